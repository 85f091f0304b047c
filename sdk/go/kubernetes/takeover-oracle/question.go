package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/cmd/takeover-oracle/internal/oracle"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// method is a method of a strategy: Validate or ValidateUpdate of a kind, or of one of its subresources.
type method struct {
	kind        schema.GroupKind
	subresource string
	operation   oracle.Operation
}

// question is a question with its objects decoded.
type question struct {
	method   method
	strategy strategy
	version  schema.GroupVersion
	// object and old are of the internal version; old is nil on creates.
	object, old runtime.Object
}

// read decodes the objects and converts them to the internal version. It sets no defaults: Takeover has.
func (j *judge) read(req *oracle.Request) (question, error) {
	version, err := schema.ParseGroupVersion(req.APIVersion)
	if err != nil {
		return question{}, err
	}
	kind := version.WithKind(req.Kind)
	asked := question{method: method{kind.GroupKind(), req.Subresource, req.Operation}, version: version}
	if asked.strategy, err = j.strategy(asked.method); err != nil {
		return question{}, err
	}
	if req.Operation == oracle.Create && req.Subresource != "" {
		return question{}, fmt.Errorf("a create through subresource `%s`, which only updates", req.Subresource)
	}
	if asked.object, err = decode(req.Object, kind); err != nil {
		return question{}, fmt.Errorf("decode object: %w", err)
	}
	if req.Operation == oracle.Update {
		if asked.old, err = decode(req.OldObject, kind); err != nil {
			return question{}, fmt.Errorf("decode old object: %w", err)
		}
	}
	return asked, nil
}

func decode(object []byte, kind schema.GroupVersionKind) (runtime.Object, error) {
	versioned, got, err := legacyscheme.Codecs.UniversalDeserializer().Decode(object, &kind, nil)
	if err != nil {
		return nil, err
	}
	if *got != kind {
		return nil, fmt.Errorf("it is a `%s`, not a `%s`", got, kind)
	}
	internal := schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal}
	return legacyscheme.Scheme.UnsafeConvertToVersion(versioned, internal)
}

// context adds what the API server tells strategies about a request.
func (q question) context(ctx context.Context, asker oracle.User) (context.Context, error) {
	object, err := meta.Accessor(q.object)
	if err != nil {
		return nil, err
	}
	resource, _ := meta.UnsafeGuessKindToResource(q.version.WithKind(q.method.kind.Kind))
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: asker.Username, Groups: asker.Groups})
	ctx = request.WithNamespace(ctx, object.GetNamespace())
	return request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true,
		Verb:              string(q.method.operation),
		APIGroup:          q.version.Group,
		APIVersion:        q.version.Version,
		Resource:          resource.Resource,
		Subresource:       q.method.subresource,
		Namespace:         object.GetNamespace(),
		Name:              object.GetName(),
	}), nil
}

// validate calls the strategy.
func (q question) validate(ctx context.Context) field.ErrorList {
	if q.method.operation == oracle.Update {
		return q.strategy.ValidateUpdate(ctx, q.object, q.old)
	}
	return q.strategy.Validate(ctx, q.object)
}

// tryValidate is validate for when a panic is not to be reported.
func (q question) tryValidate(ctx context.Context) (errs field.ErrorList, panicked bool) {
	defer func() {
		if recover() != nil {
			errs, panicked = nil, true
		}
	}()
	return q.validate(ctx), false
}
