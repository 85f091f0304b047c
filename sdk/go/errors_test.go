package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

// The types below have the shapes of k8s.io/apimachinery's, so that the tests need no dependency.

type kubeErrorType string

type kubeStability int

func (s kubeStability) String() string { return [...]string{"unknown", "alpha", "beta"}[s] }

type OmitValueType struct{}

type kubeError struct {
	Type                     kubeErrorType
	Field                    string
	BadValue                 interface{}
	Detail                   string
	Origin                   string
	CoveredByDeclarative     bool
	FromImperative           bool
	ShortCircuit             bool
	ValidationStabilityLevel kubeStability
}

func (e *kubeError) Error() string { return e.Field + ": " + e.Detail }

type kubeErrorList []*kubeError

// oldKubeError has the members that the first releases had.
type oldKubeError struct {
	Type     kubeErrorType
	Field    string
	BadValue interface{}
	Detail   string
}

func (e oldKubeError) Error() string { return e.Detail }

type kubeAggregate []error

func (a kubeAggregate) Error() string   { return fmt.Sprint([]error(a)) }
func (a kubeAggregate) Errors() []error { return a }

type kubeCause struct {
	Type    string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Field   string `json:"field,omitempty"`
}

type kubeDetails struct {
	Causes []kubeCause `json:"causes,omitempty"`
}

type kubeStatus struct {
	Message string       `json:"message,omitempty"`
	Details *kubeDetails `json:"details,omitempty"`
}

type kubeStatusError struct{ ErrStatus kubeStatus }

func (e *kubeStatusError) Error() string      { return e.ErrStatus.Message }
func (e *kubeStatusError) Status() kubeStatus { return e.ErrStatus }

func status(causes ...kubeCause) error {
	return &kubeStatusError{kubeStatus{Message: "invalid", Details: &kubeDetails{causes}}}
}

func TestErrorsAreReadByShape(t *testing.T) {
	invalid := &kubeError{Type: "FieldValueInvalid", Field: "spec.a", BadValue: -1, Detail: "must be positive"}
	const invalidJSON = `{"type":"FieldValueInvalid","field":"spec.a","detail":"must be positive","badValue":-1}`
	const denied = `{"id":1,"allowed":false,"reason":"`

	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"nil", nil, `{"id":1,"errors":[]}`},
		{"no errors", Errors(nil), `{"id":1,"errors":[]}`},
		{"own errors", Errors{{Type: Invalid, Field: "a"}}, `{"id":1,"errors":[{"type":"FieldValueInvalid","field":"a"}]}`},
		{"own error", FieldError{Type: Invalid, Field: "a"}, `{"id":1,"errors":[{"type":"FieldValueInvalid","field":"a"}]}`},
		{"own error behind a pointer", &FieldError{Type: Invalid, Field: "a"}, `{"id":1,"errors":[{"type":"FieldValueInvalid","field":"a"}]}`},
		{"field error", invalid, `{"id":1,"errors":[` + invalidJSON + `]}`},
		{"wrapped field error", fmt.Errorf("widget: %w", invalid), `{"id":1,"errors":[` + invalidJSON + `]}`},
		{"joined field errors", errors.Join(invalid, invalid), `{"id":1,"errors":[` + invalidJSON + "," + invalidJSON + `]}`},
		{"aggregate", kubeAggregate{invalid, invalid}, `{"id":1,"errors":[` + invalidJSON + "," + invalidJSON + `]}`},
		{"empty aggregate", kubeAggregate{}, `{"id":1,"errors":[]}`},
		{"aggregate with another error", kubeAggregate{invalid, errors.New("x")}, denied + `[spec.a: must be positive x]"}`},
		{"field error with marks", &kubeError{
			Type: "FieldValueTooLong", Field: "a", Origin: "maxLength", CoveredByDeclarative: true, ShortCircuit: true, ValidationStabilityLevel: 2,
		}, `{"id":1,"errors":[{"type":"FieldValueTooLong","field":"a","origin":"maxLength","coveredByDeclarative":true,"shortCircuit":true,"stability":"beta"}]}`},
		{"field error of an old release", oldKubeError{"FieldValueRequired", "a", "", "why"},
			`{"id":1,"errors":[{"type":"FieldValueRequired","field":"a","detail":"why","badValue":""}]}`},
		{"omitted value", &kubeError{Type: "FieldValueTooMany", Field: "a", BadValue: OmitValueType{}},
			`{"id":1,"errors":[{"type":"FieldValueTooMany","field":"a"}]}`},
		{"error as value", &kubeError{Type: "InternalError", Field: "a", BadValue: errors.New("x")},
			`{"id":1,"errors":[{"type":"InternalError","field":"a","badValue":"x"}]}`},
		{"error that is the detail", &kubeError{Type: "InternalError", Field: "a", Detail: "x", BadValue: errors.New("x")},
			`{"id":1,"errors":[{"type":"InternalError","field":"a","detail":"x"}]}`},
		{"value that encodes itself", &kubeError{Type: "FieldValueInvalid", Field: "a", BadValue: json.RawMessage(`"1Gi"`)},
			`{"id":1,"errors":[{"type":"FieldValueInvalid","field":"a","badValue":"1Gi"}]}`},
		{"other error", errors.New("quota exceeded"), denied + `quota exceeded"}`},
		{"status with causes", status(
			kubeCause{"FieldValueInvalid", "Invalid value: -1: must be positive", "spec.a"},
			kubeCause{"FieldValueRequired", "Required value: say which", "spec.b"},
			kubeCause{"FieldValueForbidden", "Forbidden", "spec.c"},
		), `{"id":1,"errors":[` + invalidJSON + `,{"type":"FieldValueRequired","field":"spec.b","detail":"say which"},` +
			`{"type":"FieldValueForbidden","field":"spec.c"}]}`},
		{"wrapped status", fmt.Errorf("x: %w", status(kubeCause{"FieldValueDuplicate", `Duplicate value: "a: b"`, "f"})),
			`{"id":1,"errors":[{"type":"FieldValueDuplicate","field":"f","badValue":"a: b"}]}`},
		{"status without causes", status(), denied + `invalid"}`},
		{"status without details", &kubeStatusError{kubeStatus{Message: "not found"}}, denied + `not found"}`},
		{"status with other causes", status(kubeCause{"FieldManagerConflict", "conflict", "f"}), denied + `invalid"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			line := string(newReply(&Request{ID: 1}, FromError(test.err), AnswersErrors).line())
			if line != test.want+"\n" {
				t.Errorf("got  %swant %s", line, test.want)
			}
		})
	}
}

func TestErrorListsAreFieldErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer Answer
		want   int
	}{
		{"none", FromFieldErrors(kubeErrorList(nil)), 0},
		{"two", FromFieldErrors(kubeErrorList{{Type: "FieldValueInvalid"}, {Type: "FieldValueRequired"}}), 2},
		{"own", FromFieldErrors(Errors{{Type: Invalid}}), 1},
	} {
		if len(test.answer.Errors) != test.want || test.answer.Allowed != nil {
			t.Errorf("%s: %+v", test.name, test.answer)
		}
	}
	if answer := FromFieldErrors([]error{errors.New("x")}); answer.Allowed == nil || *answer.Allowed {
		t.Errorf("%+v", answer)
	}
}

func TestMessagesOfCausesAreTakenApart(t *testing.T) {
	for _, test := range []struct{ title, message, value, detail string }{
		{"Invalid value", "Invalid value: -1: must be positive", "-1", "must be positive"},
		{"Invalid value", `Invalid value: "a\x00": no`, `"a\u0000"`, "no"},
		{"Invalid value", `Invalid value: {"a":[1,2]}: no`, `{"a":[1,2]}`, "no"},
		{"Invalid value", "Invalid value: true", "true", ""},
		{"Invalid value", "Invalid value: must be positive", "null", "must be positive"},
		{"Invalid value", "Invalid value: 1 is wrong", "null", "1 is wrong"},
		{"Invalid value", "something else", "null", "something else"},
		{"Unsupported value", `Unsupported value: "x": supported values: "y"`, `"x"`, `supported values: "y"`},
		{"Required value", `Required value: "x": y`, "null", `"x": y`},
		{"Too long", "Too long: may not be more than 3 bytes", "null", "may not be more than 3 bytes"},
	} {
		value, detail := splitMessage(test.title, test.message)
		encoded, err := json.Marshal(value)
		if err != nil || string(encoded) != test.value || detail != test.detail {
			t.Errorf("%s: %s, %q, %v", test.message, encoded, detail, err)
		}
	}
}

func TestPanicWhileEncodingLeavesTheValueOut(t *testing.T) {
	errs := Errors{{Type: Invalid, Field: "a", BadValue: panics{}}}
	line := string(newReply(&Request{ID: 1}, Refuse(errs...), AnswersErrors).line())
	if line != `{"id":1,"errors":[{"type":"FieldValueInvalid","field":"a"}]}`+"\n" {
		t.Error(line)
	}
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("internal type") }
