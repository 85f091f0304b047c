package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/takeover-oracle/internal/oracle"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// handwritten is what the strategy reports, less what the generated validation reported to it.
func (j *judge) handwritten(ctx context.Context, asked question) field.ErrorList {
	errs := asked.validate(klog.NewContext(ctx, klog.New(&panicLog{})))
	if j.merges(ctx, asked) {
		errs = slices.DeleteFunc(errs, func(e *field.Error) bool { return !e.FromImperative })
	}
	return errs
}

// declarative is what the generated validation reports, of every level, with the options that the strategy passes to it. A
// strategy that does not run it yet passes none.
func (j *judge) declarative(ctx context.Context, asked question) (field.ErrorList, error) {
	if options, ok := declaredOptions(ctx, asked); ok {
		return generated(ctx, asked, options)
	}
	if !j.merges(ctx, asked) {
		return generated(ctx, asked, reflect.Value{})
	}
	log := &panicLog{}
	errs, panicked := asked.tryValidate(rest.WithAllDeclarativeEnforcedForTest(klog.NewContext(ctx, klog.New(log))))
	if log.text != "" {
		// Without the strategy, the panic shows its place.
		_, _ = generated(ctx, asked, reflect.Value{})
		panic(log.text)
	}
	if panicked {
		// The handwritten checks did, which run first: that is the other side's answer.
		return generated(ctx, asked, reflect.Value{})
	}
	return slices.DeleteFunc(errs, func(e *field.Error) bool { return e.FromImperative }), nil
}

// merges says whether the strategy runs the generated validation and returns the errors of both, as strategies of 1.36 do.
// Without information about the request, the generated validation reports that it lacks it.
func (j *judge) merges(ctx context.Context, asked question) bool {
	if known, ok := j.merging[asked.method]; ok {
		return known
	}
	blind := klog.NewContext(withoutRequestInfo{ctx}, klog.New(&panicLog{}))
	errs, panicked := asked.tryValidate(rest.WithAllDeclarativeEnforcedForTest(blind))
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

// panicLog takes what Kubernetes logs while it validates: mismatches, which Takeover finds itself, and panics of the
// generated validation, which 1.36 reports nowhere else.
type panicLog struct{ text string }

func (*panicLog) Init(klog.RuntimeInfo)            {}
func (*panicLog) Enabled(int) bool                 { return false }
func (*panicLog) Info(int, string, ...any)         {}
func (l *panicLog) WithValues(...any) klog.LogSink { return l }
func (l *panicLog) WithName(string) klog.LogSink   { return l }
func (l *panicLog) Error(_ error, text string, _ ...any) {
	if strings.HasPrefix(text, "panic during declarative validation") {
		l.text = text
	}
}

// declaredOptions asks the strategy for the options of the generated validation, as the API server does from 1.37 on. In 1.36
// there is neither the method nor the type that it returns.
func declaredOptions(ctx context.Context, asked question) (reflect.Value, bool) {
	configure := reflect.ValueOf(asked.strategy).MethodByName("DeclarativeValidationConfig")
	if !configure.IsValid() {
		return reflect.Value{}, false
	}
	config := configure.Call([]reflect.Value{reflect.ValueOf(ctx), objectValue(asked.object), objectValue(asked.old)})[0]
	return config.FieldByName("Options"), true
}

// generated calls the generated validation. No options means that all are off.
func generated(ctx context.Context, asked question, options reflect.Value) (field.ErrorList, error) {
	versioned, err := legacyscheme.Scheme.ConvertToVersion(asked.object, asked.version)
	if err != nil {
		return nil, fmt.Errorf("convert object: %w", err)
	}
	name, objects := "Validate", []reflect.Value{objectValue(versioned)}
	if asked.method.operation == oracle.Update {
		old, err := legacyscheme.Scheme.ConvertToVersion(asked.old, asked.version)
		if err != nil {
			return nil, fmt.Errorf("convert old object: %w", err)
		}
		name, objects = "ValidateUpdate", append(objects, objectValue(old))
	}
	// By reflection, because the type of the options differs from release to release.
	validate := reflect.ValueOf(legacyscheme.Scheme).MethodByName(name)
	if !options.IsValid() {
		options = reflect.Zero(validate.Type().In(1))
	}
	arguments := append([]reflect.Value{reflect.ValueOf(ctx), options}, objects...)
	if asked.method.subresource != "" {
		for _, part := range strings.Split(asked.method.subresource, "/") {
			arguments = append(arguments, reflect.ValueOf(part))
		}
	}
	errs, ok := validate.Call(arguments)[0].Interface().(field.ErrorList)
	if !ok {
		return nil, errors.New("the generated validation returned no field.ErrorList")
	}
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		// There are no rules for this subresource.
		return e.Type == field.ErrorTypeInternal && strings.HasPrefix(e.Detail, "no validation found for ")
	}), nil
}

// objectValue is a value of type [runtime.Object], which a nil object needs.
func objectValue(object runtime.Object) reflect.Value {
	if object == nil {
		return reflect.Zero(reflect.TypeFor[runtime.Object]())
	}
	return reflect.ValueOf(object)
}
