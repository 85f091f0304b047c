package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
