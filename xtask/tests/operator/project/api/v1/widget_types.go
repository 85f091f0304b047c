package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// WidgetMode says how a widget runs.
// +kubebuilder:validation:Enum=Fast;Slow
// +k8s:enum
type WidgetMode string

const (
	// WidgetModeFast runs at once.
	WidgetModeFast WidgetMode = "Fast"
	// WidgetModeSlow waits its turn.
	WidgetModeSlow WidgetMode = "Slow"
)

// WidgetSpec defines the desired state of Widget
type WidgetSpec struct {
	// size in units.
	// +required
	// +k8s:required
	// +kubebuilder:validation:Minimum=1
	// +k8s:minimum=1
	Size *int32 `json:"size"`

	// maxSize is the size that it may grow to.
	// +optional
	// +k8s:optional
	MaxSize *int32 `json:"maxSize,omitempty"`

	// mode of the widget.
	// +optional
	// +k8s:optional
	Mode WidgetMode `json:"mode,omitempty"`

	// label that is shown on the widget.
	// +optional
	// +k8s:optional
	Label string `json:"label,omitempty"`

	// owner of the widget; cannot change once set.
	// +optional
	// +k8s:optional
	Owner string `json:"owner,omitempty"`
}

// WidgetStatus defines the observed state of Widget.
type WidgetStatus struct {
	// ready says whether the widget can be used.
	// +optional
	Ready bool `json:"ready,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Widget is the Schema for the widgets API
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec,omitempty"`
	Status WidgetStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// WidgetList contains a list of Widget
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}
