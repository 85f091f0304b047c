// Package v1 has a kind with what is hard to write in Rust: keywords, names that clash, a type that contains itself.
//
// +groupName=shop.example.com
package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Widget is shown in the shop.
// +genclient
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitempty,omitzero"`
}

// WidgetSpec says what is wanted.
type WidgetSpec struct {
	Shared `json:",inline"`

	Type     string `json:"type"`
	Replicas int32  `json:"replicas"`
	Paused   bool   `json:"paused"`
	Self     string `json:"self,omitempty"`
	MaxSize  *int64 `json:"maxSize,omitempty"`
	MaxSize2 *uint8 `json:"max-size,omitempty"`
	Ratio    *float64 `json:"ratio,omitempty"`

	// +listType=map
	// +listMapKey=containerPort
	// +listMapKey=protocol
	Ports []Port `json:"ports,omitempty"`
	// +listType=set
	Zones []string `json:"zones,omitempty"`
	// +mapType=atomic
	Selector map[string]string `json:"selector,omitempty"`
	Limits   map[string]resource.Quantity `json:"limits,omitempty"`
	Target   *intstr.IntOrString `json:"target,omitempty"`
	CABundle []byte `json:"caBundle,omitempty"`
	Since    *metav1.Time `json:"since,omitempty"`
	Raw      *runtime.RawExtension `json:"raw,omitempty"`
	Schema   *Schema `json:"schema,omitempty"`
	Option   *Option `json:"option,omitempty"`
	Names    *Names `json:"names,omitempty"`
	Quoted   *int64 `json:"quoted,omitempty,string"`
	RequiredDuringSchedulingIgnoredDuringExecutionForEver []Port `json:"requiredDuringSchedulingIgnoredDuringExecutionForEver,omitempty"`
}

// Shared is part of several specs.
type Shared struct {
	HostPID bool `json:"hostPID,omitempty"`
	// Type is hidden by that of the outer struct.
	Type int32 `json:"type"`
}

// Port is where a widget listens.
type Port struct {
	ContainerPort int32  `json:"containerPort"`
	Protocol      string `json:"protocol,omitempty"`
}

// Schema contains itself.
type Schema struct {
	Ref   string            `json:"$ref,omitempty"`
	Not   *Schema           `json:"not,omitempty"`
	AllOf []Schema          `json:"allOf,omitempty"`
	Of    map[string]Schema `json:"of,omitempty"`
}

// Option has the name of a Rust type.
type Option struct{}

// Names has types with the names of what the generated code uses.
type Names struct {
	Vec      []Vec `json:"vec,omitempty"`
	Default  *Default `json:"default,omitempty"`
	Extend   *Extend `json:"extend,omitempty"`
	Iterator map[string]Iterator `json:"iterator,omitempty"`
	ToOwned  *ToOwned `json:"toOwned,omitempty"`
	Result   *Result `json:"result,omitempty"`
}

// Vec has the name of a Rust type.
type Vec struct{}

// Default has the name of a Rust trait.
type Default struct{}

// Extend has the name of a Rust trait.
type Extend struct{}

// Iterator has the name of a Rust trait.
type Iterator struct{}

// ToOwned has the name of a Rust trait.
type ToOwned struct{}

// Result has the name of a Rust type that the generated code does not use.
type Result struct{}

// WidgetStatus says what is there.
type WidgetStatus struct {
	Ready int32 `json:"ready"`
}
