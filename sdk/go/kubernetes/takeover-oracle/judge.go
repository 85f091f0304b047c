package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/takeover-oracle/internal/oracle"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

const (
	handwritten = "handwritten"
	declarative = "declarative"
)

// judge answers for one side.
type judge struct {
	side  string
	gates *gates
	table map[schema.GroupKind]registration
	// merging remembers which strategies run the generated validation themselves.
	merging map[routeOperation]bool
}

// routeOperation is a strategy's method: that of a kind, a subresource and an operation.
type routeOperation struct {
	kind        schema.GroupKind
	subresource string
	operation   oracle.Operation
}

func newJudge(side, gateLine string) (*judge, error) {
	if side != handwritten && side != declarative {
		return nil, fmt.Errorf("--side is `%s`: it must be `%s` or `%s`", side, handwritten, declarative)
	}
	gates, err := newGates(gateLine)
	if err != nil {
		return nil, err
	}
	j := &judge{side: side, gates: gates, table: map[schema.GroupKind]registration{}, merging: map[routeOperation]bool{}}
	for _, known := range registrations() {
		j.table[schema.GroupKind{Group: known.group, Kind: known.kind}] = known
	}
	return j, nil
}

// kinds lists every served version of the kinds in the table.
func (j *judge) kinds() []oracle.Kind {
	var all []oracle.Kind
	for _, known := range registrations() {
		var subresources []string
		for name := range known.routes {
			if name != "" {
				subresources = append(subresources, name)
			}
		}
		slices.Sort(subresources)
		_, main := known.routes[""]
		for _, version := range legacyscheme.Scheme.VersionsForGroupKind(schema.GroupKind{Group: known.group, Kind: known.kind}) {
			all = append(all, oracle.Kind{
				APIVersion: version.String(), Kind: known.kind, Subresources: subresources, OnlySubresources: !main,
			})
		}
	}
	return all
}

// question is a question with its objects decoded.
type question struct {
	method   routeOperation
	strategy strategy
	version  schema.GroupVersion
	// object and old are of the internal version; old is nil on creates.
	object, old runtime.Object
}

// judge implements [oracle.Judge].
func (j *judge) judge(ctx context.Context, req *oracle.Request) (oracle.Answer, error) {
	if err := j.gates.set(req.Options); err != nil {
		return oracle.Answer{}, err
	}
	asked, err := j.read(req)
	if err != nil {
		return oracle.Answer{}, err
	}
	ctx, err = requestContext(ctx, req, asked)
	if err != nil {
		return oracle.Answer{}, err
	}
	var errs field.ErrorList
	if j.side == handwritten {
		errs = j.handwritten(ctx, asked)
	} else if errs, err = j.declarative(ctx, asked); err != nil {
		return oracle.Answer{}, err
	}
	// Some validators walk maps: without an order, the same question would get different answers.
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Origin, b.Origin),
			cmp.Compare(a.Detail, b.Detail))
	})
	return oracle.FromFieldErrors(errs), nil
}

// read decodes the objects and converts them to the internal version. It sets no defaults: Takeover has.
func (j *judge) read(req *oracle.Request) (question, error) {
	version, err := schema.ParseGroupVersion(req.APIVersion)
	if err != nil {
		return question{}, err
	}
	kind := version.WithKind(req.Kind)
	asked := question{method: routeOperation{kind.GroupKind(), req.Subresource, req.Operation}, version: version}
	known, ok := j.table[kind.GroupKind()]
	if !ok {
		return question{}, fmt.Errorf("kind `%s` is not in kinds.go", kind.GroupKind())
	}
	if asked.strategy, ok = known.routes[req.Subresource]; !ok {
		return question{}, fmt.Errorf("subresource `%s` of `%s` is not in kinds.go", req.Subresource, kind.GroupKind())
	}
	if req.Operation == oracle.Create && req.Subresource != "" {
		return question{}, fmt.Errorf("`%s` is created through subresource `%s`", req.Kind, req.Subresource)
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

// requestContext is what the API server gives to strategies.
func requestContext(ctx context.Context, req *oracle.Request, asked question) (context.Context, error) {
	object, err := meta.Accessor(asked.object)
	if err != nil {
		return nil, err
	}
	resource, _ := meta.UnsafeGuessKindToResource(asked.version.WithKind(req.Kind))
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: req.User.Username, Groups: req.User.Groups})
	ctx = request.WithNamespace(ctx, object.GetNamespace())
	return request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true,
		Verb:              string(req.Operation),
		APIGroup:          asked.version.Group,
		APIVersion:        asked.version.Version,
		Resource:          resource.Resource,
		Subresource:       req.Subresource,
		Namespace:         object.GetNamespace(),
		Name:              object.GetName(),
	}), nil
}

// handwritten is what the strategy reports without the generated validation. In 1.36, most strategies run that as well.
func (j *judge) handwritten(ctx context.Context, asked question) field.ErrorList {
	log := &log{}
	errs := asked.run(klog.NewContext(ctx, logr.New(log)))
	if j.merges(ctx, asked) {
		errs = slices.DeleteFunc(errs, func(e *field.Error) bool { return !e.FromImperative })
	}
	return errs
}

// declarative is what the generated validation reports, with the options that the strategy passes to it.
func (j *judge) declarative(ctx context.Context, asked question) (field.ErrorList, error) {
	if options, ok := declaredOptions(ctx, asked); ok {
		return generated(ctx, asked, options)
	}
	if !j.merges(ctx, asked) {
		return generated(ctx, asked, reflect.Value{})
	}
	log := &log{}
	everything := rest.WithAllDeclarativeEnforcedForTest(klog.NewContext(ctx, logr.New(log)))
	errs, panicked := asked.try(everything)
	if log.panicked != "" {
		panic(log.panicked)
	}
	if panicked {
		// The handwritten checks ran first: the panic is the other side's.
		return generated(ctx, asked, reflect.Value{})
	}
	return slices.DeleteFunc(errs, func(e *field.Error) bool { return e.FromImperative }), nil
}

// merges says whether the strategy itself runs the generated validation and mixes its errors with the handwritten ones, as
// strategies do in 1.36. Without information about the request, the generated validation reports just that.
func (j *judge) merges(ctx context.Context, asked question) bool {
	known, ok := j.merging[asked.method]
	if ok {
		return known
	}
	blind := rest.WithAllDeclarativeEnforcedForTest(klog.NewContext(withoutRequestInfo{ctx}, logr.Discard()))
	errs, panicked := asked.try(blind)
	merges := slices.ContainsFunc(errs, func(e *field.Error) bool {
		return e.Type == field.ErrorTypeInternal && !e.FromImperative && strings.Contains(e.Detail, "requestInfo")
	})
	if !panicked {
		j.merging[asked.method] = merges
	}
	return merges
}

// withoutRequestInfo hides what request.WithRequestInfo put into a context.
type withoutRequestInfo struct{ context.Context }

func (c withoutRequestInfo) Value(key any) any {
	value := c.Context.Value(key)
	if _, ok := value.(*request.RequestInfo); ok {
		return nil
	}
	return value
}

// run calls the strategy's own validation.
func (q question) run(ctx context.Context) field.ErrorList {
	if q.method.operation == oracle.Update {
		return q.strategy.ValidateUpdate(ctx, q.object, q.old)
	}
	return q.strategy.Validate(ctx, q.object)
}

// try is run for a validation whose panics are not to be reported.
func (q question) try(ctx context.Context) (errs field.ErrorList, panicked bool) {
	defer func() {
		if recover() != nil {
			errs, panicked = nil, true
		}
	}()
	return q.run(ctx), false
}

// declaredOptions asks the strategy for the options of the generated validation, as the API server does from 1.37 on. In 1.36,
// no strategy has the method, nor is there the type that it returns.
func declaredOptions(ctx context.Context, asked question) (reflect.Value, bool) {
	method := reflect.ValueOf(asked.strategy).MethodByName("DeclarativeValidationConfig")
	if !method.IsValid() {
		return reflect.Value{}, false
	}
	config := method.Call([]reflect.Value{reflect.ValueOf(ctx), object(asked.object), object(asked.old)})[0]
	return config.FieldByName("Options"), true
}

// generated calls the generated validation. Options of which nothing is known are off.
func generated(ctx context.Context, asked question, options reflect.Value) (field.ErrorList, error) {
	versioned, err := legacyscheme.Scheme.ConvertToVersion(asked.object, asked.version)
	if err != nil {
		return nil, fmt.Errorf("convert object: %w", err)
	}
	name, objects := "Validate", []reflect.Value{object(versioned)}
	if asked.method.operation == oracle.Update {
		old, err := legacyscheme.Scheme.ConvertToVersion(asked.old, asked.version)
		if err != nil {
			return nil, fmt.Errorf("convert old object: %w", err)
		}
		name, objects = "ValidateUpdate", append(objects, object(old))
	}
	// By reflection, because the type of the options differs from release to release.
	method := reflect.ValueOf(legacyscheme.Scheme).MethodByName(name)
	if !options.IsValid() {
		options = reflect.Zero(method.Type().In(1))
	}
	arguments := append([]reflect.Value{reflect.ValueOf(ctx), options}, objects...)
	if asked.method.subresource != "" {
		for _, part := range strings.Split(asked.method.subresource, "/") {
			arguments = append(arguments, reflect.ValueOf(part))
		}
	}
	errs, ok := method.Call(arguments)[0].Interface().(field.ErrorList)
	if !ok {
		return nil, errors.New("the generated validation returned no field.ErrorList")
	}
	// The generated code has no rules for this subresource.
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		return e.Type == field.ErrorTypeInternal && strings.HasPrefix(e.Detail, "no validation found for ")
	}), nil
}

// object is a value of type [runtime.Object], which a nil object needs.
func object(o runtime.Object) reflect.Value {
	if o == nil {
		return reflect.Zero(reflect.TypeFor[runtime.Object]())
	}
	return reflect.ValueOf(o)
}

// log takes what Kubernetes logs of the two validations: mismatches, which Takeover finds itself, and in 1.36 panics of the
// generated validation, which are reported nowhere else.
type log struct{ panicked string }

func (l *log) Init(logr.RuntimeInfo)          {}
func (l *log) Enabled(int) bool               { return false }
func (l *log) Info(int, string, ...any)       {}
func (l *log) WithValues(...any) logr.LogSink { return l }
func (l *log) WithName(string) logr.LogSink   { return l }
func (l *log) Error(_ error, text string, _ ...any) {
	if strings.HasPrefix(text, "panic during declarative validation") {
		l.panicked = text
	}
}
