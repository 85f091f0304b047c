package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// IngressClass names a controller that serves ingresses.
type IngressClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              IngressClassSpec `json:"spec,omitempty"`
}

// IngressClassSpec is the controller of a class and its parameters.
type IngressClassSpec struct {
	Controller string `json:"controller,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Parameters *IngressClassParametersReference `json:"parameters,omitempty"`
}

// IngressClassParametersReference names the object with the parameters of a class.
type IngressClassParametersReference struct {
	APIGroup *string `json:"apiGroup,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	Kind string `json:"kind"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	Name string `json:"name"`

	Scope     *string `json:"scope"`
	Namespace *string `json:"namespace,omitempty"`
}

// IPAddress records that an address is in use.
type IPAddress struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              IPAddressSpec `json:"spec,omitempty"`
}

// IPAddressSpec tells who uses an address.
type IPAddressSpec struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:immutable
	ParentRef *ParentReference `json:"parentRef,omitempty"`
}

// ParentReference names the object that uses an address.
type ParentReference struct {
	Group string `json:"group,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	Resource string `json:"resource,omitempty"`

	Namespace string `json:"namespace,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	Name string `json:"name,omitempty"`
}
