package oracle

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

type widget struct {
	Spec struct {
		Size int `json:"size"`
	} `json:"spec"`
}

func (*widget) object() {}

// kubeWarnings has the shape of admission.Warnings.
type kubeWarnings []string

// typedValidator has the shape that kubebuilder scaffolds for controller-runtime's typed validators.
type typedValidator struct{}

func (typedValidator) ValidateCreate(_ context.Context, w *widget) (kubeWarnings, error) {
	if w.Spec.Size < 1 {
		return kubeWarnings{"small"}, &kubeError{Type: "FieldValueInvalid", Field: "spec.size", BadValue: w.Spec.Size}
	}
	return nil, nil
}

func (v typedValidator) ValidateUpdate(ctx context.Context, old, w *widget) (kubeWarnings, error) {
	if w.Spec.Size < old.Spec.Size {
		return nil, errors.New("cannot shrink")
	}
	return v.ValidateCreate(ctx, w)
}

func (typedValidator) ValidateDelete(context.Context, *widget) (kubeWarnings, error) { return nil, nil }

// object stands for runtime.Object.
type object interface{ object() }

// customValidator has the shape of controller-runtime's CustomValidator.
type customValidator struct{}

func (customValidator) ValidateCreate(ctx context.Context, obj object) (kubeWarnings, error) {
	w, ok := obj.(*widget)
	if !ok {
		return nil, fmt.Errorf("expected a Widget but got a %T", obj)
	}
	return typedValidator{}.ValidateCreate(ctx, w)
}

func (customValidator) ValidateUpdate(ctx context.Context, old, obj object) (kubeWarnings, error) {
	return typedValidator{}.ValidateUpdate(ctx, old.(*widget), obj.(*widget))
}

func TestValidatorsOfControllerRuntime(t *testing.T) {
	update := func(object, old string) string {
		return fmt.Sprintf(`{"id":1,"operation":"update","apiVersion":"v1","kind":"Widget","object":%s,"oldObject":%s}`, object, old)
	}
	judges := map[string]Judge{
		"typed":  Validator(typedValidator{}),
		"custom": ValidatorOf(func() object { return new(widget) }, customValidator{}),
	}
	for _, test := range []struct{ name, question, want string }{
		{"valid create", create(1, `{"spec":{"size":1}}`), `{"id":1,"errors":[]}`},
		{"invalid create", create(1, `{"spec":{"size":-1}}`),
			`{"id":1,"errors":[{"type":"FieldValueInvalid","field":"spec.size","badValue":-1}],"warnings":["small"]}`},
		{"valid update", update(`{"spec":{"size":2}}`, `{"spec":{"size":1}}`), `{"id":1,"errors":[]}`},
		{"invalid update", update(`{"spec":{"size":1}}`, `{"spec":{"size":2}}`), `{"id":1,"allowed":false,"reason":"cannot shrink"}`},
		{"object of another type", create(1, `{"spec":1}`), `{"id":1,"failure":"decode object: json: cannot unmarshal`},
		{"old object of another type", update(`{}`, `{"spec":1}`), `{"id":1,"failure":"decode old object: json: cannot unmarshal`},
	} {
		for name, judge := range judges {
			t.Run(name+" "+test.name, func(t *testing.T) {
				_, answers := served(t, Oracle{Name: "t", Judge: judge}, test.question)
				if len(answers[0]) < len(test.want) || answers[0][:len(test.want)] != test.want {
					t.Errorf("got  %s\nwant %s", answers[0], test.want)
				}
			})
		}
	}
}

func TestValidatorNeedsAPointer(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an interface was accepted")
		}
	}()
	Validator(customValidator{})
}
