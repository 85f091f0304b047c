package v1

import (
	"k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// NetworkPolicy filters the traffic of a set of pods.
type NetworkPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              NetworkPolicySpec `json:"spec,omitempty"`
}

// NetworkPolicySpec selects pods and lists the traffic that they may have.
type NetworkPolicySpec struct {
	PodSelector metav1.LabelSelector `json:"podSelector"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Ingress []NetworkPolicyIngressRule `json:"ingress,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Egress []NetworkPolicyEgressRule `json:"egress,omitempty"`

	PolicyTypes []PolicyType `json:"policyTypes,omitempty"`
}

// NetworkPolicyIngressRule allows traffic to the pods.
type NetworkPolicyIngressRule struct {
	Ports []NetworkPolicyPort `json:"ports,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	From []NetworkPolicyPeer `json:"from,omitempty"`
}

// NetworkPolicyPort is a port, or a range of ports, that traffic may use.
type NetworkPolicyPort struct {
	Protocol *v1.Protocol        `json:"protocol,omitempty"`
	Port     *intstr.IntOrString `json:"port,omitempty"`
	EndPort  *int32              `json:"endPort,omitempty"`
}

// NetworkPolicyPeer is the other side of allowed traffic.
type NetworkPolicyPeer struct {
	PodSelector       *metav1.LabelSelector `json:"podSelector,omitempty"`
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	IPBlock *IPBlock `json:"ipBlock,omitempty"`
}

// IPBlock is a range of addresses with exceptions.
type IPBlock struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	CIDR string `json:"cidr"`

	Except []string `json:"except,omitempty"`
}

// NetworkPolicyEgressRule allows traffic from the pods.
type NetworkPolicyEgressRule struct {
	Ports []NetworkPolicyPort `json:"ports,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	To []NetworkPolicyPeer `json:"to,omitempty"`
}

// PolicyType is a direction of traffic.
type PolicyType string

const (
	PolicyTypeIngress PolicyType = "Ingress"
	PolicyTypeEgress  PolicyType = "Egress"
)

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
