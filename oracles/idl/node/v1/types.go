package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RuntimeClass is a way to run containers on a node.
type RuntimeClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:format="k8s-short-name"
	// +k8s:alpha(since: "1.36")=+k8s:immutable
	// +k8s:alpha(since: "1.36")=+k8s:required
	Handler string `json:"handler"`

	Overhead   *Overhead   `json:"overhead,omitempty"`
	Scheduling *Scheduling `json:"scheduling,omitempty"`
}

// Overhead is what running a pod costs besides its containers.
type Overhead struct {
	PodFixed corev1.ResourceList `json:"podFixed,omitempty"`
}

// Scheduling tells which nodes support a runtime class.
type Scheduling struct {
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`
}
