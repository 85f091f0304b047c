package v1beta1

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

// Scale is the size of a workload as its scale subresource shows it.
//
// +k8s:isSubresource="/scale"
type Scale struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ScaleSpec   `json:"spec,omitempty"`
	Status            ScaleStatus `json:"status,omitempty"`
}

// ScaleSpec is the wanted size.
type ScaleSpec struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +default=0
	// +k8s:alpha(since: "1.36")=+k8s:minimum=0
	Replicas int32 `json:"replicas,omitempty"`
}

// ScaleStatus is the observed size and the selector of the counted pods.
type ScaleStatus struct {
	Replicas       int32             `json:"replicas"`
	Selector       map[string]string `json:"selector,omitempty"`
	TargetSelector string            `json:"targetSelector,omitempty"`
}
