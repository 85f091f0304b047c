package v1

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	shopv1 "shop.example.com/operator/api/v1"
)

// +kubebuilder:webhook:path=/validate-shop-example-com-v1-widget,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=widgets,verbs=create;update,versions=v1,name=vwidget-v1.kb.io,admissionReviewVersions=v1

// WidgetCustomValidator struct is responsible for validating the Widget resource
// when it is created, updated, or deleted.
type WidgetCustomValidator struct{}

// ValidateCreate implements webhook.CustomValidator so a webhook will be registered for the type Widget.
func (v *WidgetCustomValidator) ValidateCreate(_ context.Context, widget *shopv1.Widget) (admission.Warnings, error) {
	return nil, validate(widget).ToAggregate()
}

// ValidateUpdate implements webhook.CustomValidator so a webhook will be registered for the type Widget.
func (v *WidgetCustomValidator) ValidateUpdate(_ context.Context, old, widget *shopv1.Widget) (admission.Warnings, error) {
	errs := validate(widget)
	if old.Spec.Owner != "" && widget.Spec.Owner != old.Spec.Owner {
		errs = append(errs, field.Invalid(field.NewPath("spec", "owner"), widget.Spec.Owner, "field is immutable"))
	}
	return nil, errs.ToAggregate()
}

// ValidateDelete implements webhook.CustomValidator so a webhook will be registered for the type Widget.
func (v *WidgetCustomValidator) ValidateDelete(context.Context, *shopv1.Widget) (admission.Warnings, error) {
	return nil, nil
}

func validate(widget *shopv1.Widget) field.ErrorList {
	spec := field.NewPath("spec")
	var errs field.ErrorList
	switch size, most := widget.Spec.Size, widget.Spec.MaxSize; {
	case size == nil:
		errs = append(errs, field.Required(spec.Child("size"), ""))
	case *size < 1:
		errs = append(errs, field.Invalid(spec.Child("size"), *size, "must be greater than or equal to 1"))
	case most != nil && *most < *size:
		errs = append(errs, field.Invalid(spec.Child("maxSize"), *most, "must not be less than size"))
	}
	switch widget.Spec.Mode {
	case "", shopv1.WidgetModeFast, shopv1.WidgetModeSlow:
	default:
		errs = append(errs, field.NotSupported(spec.Child("mode"), widget.Spec.Mode, []string{"Fast", "Slow"}))
	}
	if len(widget.Spec.Label) > 20 {
		errs = append(errs, field.TooLong(spec.Child("label"), widget.Spec.Label, 20))
	}
	return errs
}
