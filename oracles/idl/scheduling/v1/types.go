package v1

import (
	apiv1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PriorityClass gives pods a priority.
type PriorityClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Value             int32                   `json:"value"`
	GlobalDefault     bool                    `json:"globalDefault,omitempty"`
	Description       string                  `json:"description,omitempty"`
	PreemptionPolicy  *apiv1.PreemptionPolicy `json:"preemptionPolicy,omitempty"`
}
