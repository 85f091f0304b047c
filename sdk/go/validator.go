package oracle

import (
	"context"
	"fmt"
	"reflect"
)

// TypedValidator has the shape of controller-runtime's admission.Validator, and with T = runtime.Object that of its
// CustomValidator.
type TypedValidator[T any, W ~[]string] interface {
	ValidateCreate(ctx context.Context, obj T) (W, error)
	ValidateUpdate(ctx context.Context, oldObj, newObj T) (W, error)
}

// Validator judges with a webhook's validator for one Go type, a pointer such as *v1.Widget. [FromError] reads its errors.
func Validator[T any, W ~[]string](validator TypedValidator[T, W]) Judge {
	pointer := reflect.TypeOf((*T)(nil)).Elem()
	if pointer.Kind() != reflect.Pointer {
		panic(fmt.Sprintf("oracle.Validator: %v is not a pointer; use ValidatorOf", pointer))
	}
	return ValidatorOf(func() T { return reflect.New(pointer.Elem()).Interface().(T) }, validator)
}

// ValidatorOf is [Validator] for a validator that takes an interface. newObject returns a new, empty object of the type
// that the validator expects behind it.
func ValidatorOf[T any, W ~[]string](newObject func() T, validator TypedValidator[T, W]) Judge {
	return func(ctx context.Context, req *Request) (Answer, error) {
		object := newObject()
		if err := req.Decode(object); err != nil {
			return Answer{}, err
		}
		var warnings W
		var err error
		if req.Operation == Update {
			old := newObject()
			if err := req.DecodeOld(old); err != nil {
				return Answer{}, err
			}
			warnings, err = validator.ValidateUpdate(ctx, old, object)
		} else {
			warnings, err = validator.ValidateCreate(ctx, object)
		}
		answer := FromError(err)
		answer.Warnings = warnings
		return answer, nil
	}
}
