// Package oracle makes a Go validator answer Takeover's questions: it speaks version 1 of the oracle protocol on standard
// input and output.
//
//	func main() {
//		oracle.Main(oracle.Oracle{
//			Name:  "widget-webhook",
//			Kinds: []oracle.Kind{{APIVersion: "shop.example.com/v1", Kind: "Widget"}},
//			Judge: oracle.Validator(&WidgetCustomValidator{}),
//		})
//	}
package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Judge answers one question. Several goroutines call it at once, unless [Oracle.Workers] is 1.
//
// A returned error says that this question could not be judged. To refuse an object, return an [Answer]. A panic is
// reported to Takeover with its place, and the process carries on.
type Judge func(ctx context.Context, req *Request) (Answer, error)

// Oracle says who answers, and how.
type Oracle struct {
	// Name is shown in reports. Required.
	Name string
	// Version is shown in reports.
	Version string
	// Kinds that the oracle judges. Empty: any kind.
	Kinds []Kind
	// Answers says what is compared; empty means [AnswersErrors].
	Answers Answers
	// Origins says that field errors name their origin.
	Origins bool
	// Marks says that field errors carry Kubernetes' marks.
	Marks bool
	// Unsteady says that the same question may get different answers.
	Unsteady bool
	// Batch is the most questions in one line; 0 means 64.
	Batch int
	// Pending is the most questions that may wait for an answer; 0 means 256.
	Pending int
	// Workers is the number of goroutines that call Judge; 0 means one per processor that Go may use.
	Workers int
	// Judge answers the questions. Required.
	Judge Judge
}

// Answers says what an oracle's answers are compared by.
type Answers string

const (
	// AnswersErrors compares field errors.
	AnswersErrors Answers = "errors"
	// AnswersDecision compares whether the object is allowed.
	AnswersDecision Answers = "decision"
	// AnswersObject compares the object as the oracle changed it.
	AnswersObject Answers = "object"
)

// Kind is a kind that an oracle judges.
type Kind struct {
	APIVersion   string
	Kind         string
	Subresources []string
	// OnlySubresources leaves out the main resource.
	OnlySubresources bool
}

// Operation is what the API server was asked to do.
type Operation string

const (
	// Create stores a new object.
	Create Operation = "create"
	// Update replaces a stored object.
	Update Operation = "update"
)

// Request is one question: may this object be stored?
type Request struct {
	ID          uint64          `json:"id"`
	Operation   Operation       `json:"operation"`
	APIVersion  string          `json:"apiVersion"`
	Kind        string          `json:"kind"`
	Subresource string          `json:"subresource"`
	Object      json.RawMessage `json:"object"`
	// OldObject is the stored object of an update; nil on creates.
	OldObject json.RawMessage `json:"oldObject"`
	// Options are the feature gates and validation options that the case sets.
	Options map[string]bool `json:"options"`
	User    User            `json:"user"`
}

// User is who asks the API server.
type User struct {
	Username string   `json:"username"`
	Groups   []string `json:"groups"`
}

// Decode reads the object into a Go value.
func (r *Request) Decode(into any) error {
	if err := json.Unmarshal(r.Object, into); err != nil {
		return fmt.Errorf("decode object: %w", err)
	}
	return nil
}

// DecodeOld reads the stored object of an update into a Go value. It fails on creates.
func (r *Request) DecodeOld(into any) error {
	if r.OldObject == nil {
		return errors.New("decode old object: there is none")
	}
	if err := json.Unmarshal(r.OldObject, into); err != nil {
		return fmt.Errorf("decode old object: %w", err)
	}
	return nil
}

// Answer is what the oracle says of an object. The zero Answer accepts it as it is.
type Answer struct {
	// Errors say why the object may not be stored.
	Errors Errors
	// Allowed is the decision, for oracles that know no field errors.
	Allowed *bool
	// Reason explains a decision.
	Reason string
	// Object is the object as the oracle changed it.
	Object json.RawMessage
	// Warnings are shown to the user; they refuse nothing.
	Warnings []string
}

// Refuse answers with field errors. Without any, it accepts the object.
func Refuse(errs ...FieldError) Answer { return Answer{Errors: errs} }

// Allow answers with the decision to store the object.
func Allow() Answer {
	allowed := true
	return Answer{Allowed: &allowed}
}

// Deny answers with the decision not to store the object.
func Deny(reason string) Answer {
	allowed := false
	return Answer{Allowed: &allowed, Reason: reason}
}

// Change answers with the changed object.
func Change(object any) (Answer, error) {
	encoded, err := json.Marshal(object)
	if err != nil {
		return Answer{}, fmt.Errorf("encode changed object: %w", err)
	}
	return Answer{Object: encoded}, nil
}

// ErrorType is Kubernetes' name for what is wrong with a field.
type ErrorType string

// The error types of k8s.io/apimachinery/pkg/util/validation/field.
const (
	Required     ErrorType = "FieldValueRequired"
	Invalid      ErrorType = "FieldValueInvalid"
	NotSupported ErrorType = "FieldValueNotSupported"
	Forbidden    ErrorType = "FieldValueForbidden"
	Duplicate    ErrorType = "FieldValueDuplicate"
	NotFound     ErrorType = "FieldValueNotFound"
	TooLong      ErrorType = "FieldValueTooLong"
	TooShort     ErrorType = "FieldValueTooShort"
	TooMany      ErrorType = "FieldValueTooMany"
	TooFew       ErrorType = "FieldValueTooFew"
	TypeInvalid  ErrorType = "FieldValueTypeInvalid"
	Internal     ErrorType = "InternalError"
)

// FieldError says what is wrong with one field.
type FieldError struct {
	Type ErrorType `json:"type"`
	// Field is the path, such as `spec.ports[2].name`; empty for the object itself.
	Field string `json:"field"`
	// Detail explains the error to people.
	Detail string `json:"detail,omitempty"`
	// BadValue is the value at fault. A value that JSON cannot hold is left out.
	BadValue any `json:"badValue,omitempty"`
	// Origin names the check, such as `minimum`.
	Origin               string `json:"origin,omitempty"`
	CoveredByDeclarative bool   `json:"coveredByDeclarative,omitempty"`
	ShortCircuit         bool   `json:"shortCircuit,omitempty"`
	// Stability is `alpha` or `beta` for a declarative rule of that level.
	Stability string `json:"stability,omitempty"`
}

// Error reads `spec.replicas: FieldValueInvalid: must be positive`.
func (e FieldError) Error() string {
	text := fmt.Sprintf("%s: %s", e.Field, e.Type)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Errors are field errors. A validator may return them as its error; an empty list accepts the object.
type Errors []FieldError

func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i, err := range e {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Main serves standard input and output until Takeover closes the input, then returns. On an error it prints a message to
// standard error and exits with 1. What the validator prints to [os.Stdout] goes to standard error.
func Main(o Oracle) {
	if err := Serve(context.Background(), o); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", o.Name, err)
		os.Exit(1)
	}
}

// Serve answers the questions on standard input until it ends and everything is answered. It returns an error when a line
// is no message of the protocol, when an answer cannot be written, or when ctx is cancelled.
func Serve(ctx context.Context, o Oracle) error {
	out := os.Stdout
	os.Stdout = os.Stderr
	defer func() { os.Stdout = out }()
	return ServeIO(ctx, o, os.Stdin, out)
}
