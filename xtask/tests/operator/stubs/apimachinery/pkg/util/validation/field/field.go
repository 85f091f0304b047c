// Package field stands in for errors of fields.
package field

import (
	"errors"
	"fmt"
	"strings"
)

// ErrorType is the type of an error.
type ErrorType string

// Error says what is wrong with a field.
type Error struct {
	Type     ErrorType
	Field    string
	BadValue interface{}
	Detail   string
}

// Error says it in one line.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %s", e.Field, e.Type, e.Detail) }

// ErrorList is several of them.
type ErrorList []*Error

// ToAggregate joins them to one; none to nil.
func (l ErrorList) ToAggregate() error {
	all := make([]error, len(l))
	for i, one := range l {
		all[i] = one
	}
	return errors.Join(all...)
}

// Path leads to a field.
type Path string

// NewPath joins names.
func NewPath(name string, more ...string) Path {
	return Path(strings.Join(append([]string{name}, more...), "."))
}

// Child leads further.
func (p Path) Child(name string) Path { return p + Path("."+name) }

// Required says that a value is missing.
func Required(at Path, detail string) *Error {
	return &Error{"FieldValueRequired", string(at), "", detail}
}

// Invalid says that a value is wrong.
func Invalid(at Path, value interface{}, detail string) *Error {
	return &Error{"FieldValueInvalid", string(at), value, detail}
}

// NotSupported says that a value is none of a few.
func NotSupported(at Path, value interface{}, known []string) *Error {
	return &Error{"FieldValueNotSupported", string(at), value, `supported values: "` + strings.Join(known, `", "`) + `"`}
}

// TooLong says that a value has too many bytes.
func TooLong(at Path, value interface{}, most int) *Error {
	return &Error{"FieldValueTooLong", string(at), value, fmt.Sprintf("may not be more than %d bytes", most)}
}
