package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PodTemplate is a template of pods that stands for itself.
type PodTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Template PodTemplateSpec `json:"template,omitempty"`
}
