package oracle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// FromError answers with what a validator returned, recognised by its shape:
//
//   - nil and empty lists accept the object;
//   - [Errors], [FieldError] and field.Error of Kubernetes are field errors, and so are all of them in an aggregate, in
//     [errors.Join] or wrapped;
//   - errors with Kubernetes' Status, such as apierrors.NewInvalid makes, are their causes;
//   - anything else is the decision to deny, with the error's text as the reason.
func FromError(err error) Answer {
	if err == nil {
		return Answer{}
	}
	if errs, ok := fieldErrors(err); ok {
		return Answer{Errors: errs}
	}
	return Deny(err.Error())
}

// FromFieldErrors answers with a list of field errors, such as field.ErrorList of Kubernetes.
func FromFieldErrors[L ~[]E, E error](list L) Answer {
	var all Errors
	for _, err := range list {
		errs, ok := fieldErrors(err)
		if !ok {
			return Deny(err.Error())
		}
		all = append(all, errs...)
	}
	return Answer{Errors: all}
}

// fieldErrors returns the field errors that err consists of, or false if any part of it is something else.
func fieldErrors(err error) (Errors, bool) {
	switch known := err.(type) {
	case Errors:
		return known, true
	case FieldError:
		return Errors{known}, true
	case *FieldError:
		return Errors{*known}, true
	case interface{ Errors() []error }:
		return eachFieldError(known.Errors())
	case interface{ Unwrap() []error }:
		return eachFieldError(known.Unwrap())
	}
	if one, ok := fieldErrorByShape(err); ok {
		return Errors{one}, true
	}
	if causes, ok := causesByShape(err); ok {
		return causes, true
	}
	if wrapper, ok := err.(interface{ Unwrap() error }); ok {
		if inner := wrapper.Unwrap(); inner != nil {
			return fieldErrors(inner)
		}
	}
	return nil, false
}

func eachFieldError(list []error) (Errors, bool) {
	var all Errors
	for _, err := range list {
		errs, ok := fieldErrors(err)
		if !ok {
			return nil, false
		}
		all = append(all, errs...)
	}
	return all, true
}

// shape is where a struct keeps the parts of a field error: indexes of its fields, nil for those that it lacks.
type shape struct {
	typ, field, badValue, detail, origin, covered, shortCircuit, stability []int
}

// shapes remembers the *shape of every type of error seen; nil for types that are no field errors.
var shapes sync.Map

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	var found *shape
	if t.Kind() == reflect.Struct {
		index := func(name string, kind reflect.Kind) []int {
			if f, ok := t.FieldByName(name); ok && f.IsExported() && len(f.Index) == 1 && f.Type.Kind() == kind {
				return f.Index
			}
			return nil
		}
		s := shape{
			typ:          index("Type", reflect.String),
			field:        index("Field", reflect.String),
			badValue:     index("BadValue", reflect.Interface),
			detail:       index("Detail", reflect.String),
			origin:       index("Origin", reflect.String),
			covered:      index("CoveredByDeclarative", reflect.Bool),
			shortCircuit: index("ShortCircuit", reflect.Bool),
			stability:    index("ValidationStabilityLevel", reflect.Int),
		}
		if s.typ != nil && s.field != nil && s.badValue != nil && s.detail != nil {
			found = &s
		}
	}
	shapes.Store(t, found)
	return found
}

// fieldErrorByShape reads a struct like field.Error of k8s.io/apimachinery/pkg/util/validation/field, or a pointer to one.
func fieldErrorByShape(err error) (FieldError, bool) {
	value := reflect.ValueOf(err)
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return FieldError{}, false
		}
		value = value.Elem()
	}
	s := shapeOf(value.Type())
	if s == nil {
		return FieldError{}, false
	}
	text := func(index []int) string {
		if index == nil {
			return ""
		}
		return value.FieldByIndex(index).String()
	}
	flag := func(index []int) bool { return index != nil && value.FieldByIndex(index).Bool() }
	found := FieldError{
		Type:                 ErrorType(text(s.typ)),
		Field:                text(s.field),
		Detail:               text(s.detail),
		BadValue:             badValue(value.FieldByIndex(s.badValue).Interface(), value.FieldByIndex(s.detail).String()),
		Origin:               text(s.origin),
		CoveredByDeclarative: flag(s.covered),
		ShortCircuit:         flag(s.shortCircuit),
	}
	if s.stability != nil {
		if level := fmt.Sprint(value.FieldByIndex(s.stability).Interface()); level == "alpha" || level == "beta" {
			found.Stability = level
		}
	}
	return found, true
}

// badValue is the value at fault as JSON can hold it. The value of an internal error is an error that says the detail once more.
func badValue(value any, detail string) any {
	switch known := value.(type) {
	case nil:
		return nil
	case json.Marshaler:
		return known
	case error:
		if text := known.Error(); text != detail {
			return text
		}
		return nil
	}
	if reflect.TypeOf(value).Name() == "OmitValueType" {
		return nil
	}
	return value
}

// causesByShape reads the causes of an error like apierrors.StatusError: its method Status returns what the API server
// would send.
func causesByShape(err error) (Errors, bool) {
	method := reflect.ValueOf(err).MethodByName("Status")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return nil, false
	}
	encoded, failed := encode(method.Call(nil)[0].Interface())
	if failed != nil {
		return nil, false
	}
	var status struct {
		Details struct {
			Causes []struct {
				Type    ErrorType `json:"reason"`
				Message string    `json:"message"`
				Field   string    `json:"field"`
			} `json:"causes"`
		} `json:"details"`
	}
	if json.Unmarshal(encoded, &status) != nil || len(status.Details.Causes) == 0 {
		return nil, false
	}
	var all Errors
	for _, cause := range status.Details.Causes {
		title, known := titles[cause.Type]
		if !known {
			return nil, false
		}
		one := FieldError{Type: cause.Type, Field: cause.Field}
		one.BadValue, one.Detail = splitMessage(title, cause.Message)
		all = append(all, one)
	}
	return all, true
}

// titles are the words that the message of a cause starts with.
var titles = map[ErrorType]string{
	Required:     "Required value",
	Invalid:      "Invalid value",
	NotSupported: "Unsupported value",
	Forbidden:    "Forbidden",
	Duplicate:    "Duplicate value",
	NotFound:     "Not found",
	TooLong:      "Too long",
	TooShort:     "Too short",
	TooMany:      "Too many",
	TooFew:       "Too few",
	TypeInvalid:  "Invalid value",
	Internal:     "Internal error",
}

// splitMessage takes `Invalid value: -1: must be positive` apart: the bad value and the detail. What does not read like
// that is all detail.
func splitMessage(title, message string) (any, string) {
	rest, ok := strings.CutPrefix(message, title)
	if !ok {
		return nil, message
	}
	rest, ok = strings.CutPrefix(rest, ": ")
	if !ok {
		return nil, rest
	}
	switch title {
	case titles[Invalid], titles[NotSupported], titles[Duplicate], titles[NotFound], titles[TooMany], titles[TooFew]:
	default:
		return nil, rest
	}
	value, length := leadingValue(rest)
	if length == 0 {
		return nil, rest
	}
	if length == len(rest) {
		return value, ""
	}
	if detail, ok := strings.CutPrefix(rest[length:], ": "); ok {
		return value, detail
	}
	return nil, rest
}

// leadingValue reads the Go string or JSON value that text starts with, and returns its length; 0 if there is none.
func leadingValue(text string) (any, int) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil {
		if value, err := strconv.Unquote(quoted); err == nil {
			return value, len(quoted)
		}
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	var value json.RawMessage
	if decoder.Decode(&value) != nil {
		return nil, 0
	}
	return value, int(decoder.InputOffset())
}
