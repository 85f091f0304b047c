package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// PodDisruptionBudget bounds how many pods may be missing at once on somebody's wish.
type PodDisruptionBudget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PodDisruptionBudgetSpec   `json:"spec,omitempty"`
	Status            PodDisruptionBudgetStatus `json:"status,omitempty"`
}

// PodDisruptionBudgetSpec is the bound, and the pods that it is about.
type PodDisruptionBudgetSpec struct {
	MinAvailable               *intstr.IntOrString             `json:"minAvailable,omitempty"`
	Selector                   *metav1.LabelSelector           `json:"selector,omitempty"`
	MaxUnavailable             *intstr.IntOrString             `json:"maxUnavailable,omitempty"`
	UnhealthyPodEvictionPolicy *UnhealthyPodEvictionPolicyType `json:"unhealthyPodEvictionPolicy,omitempty"`
}

// UnhealthyPodEvictionPolicyType tells which unhealthy pods may be evicted.
type UnhealthyPodEvictionPolicyType string

const (
	IfHealthyBudget UnhealthyPodEvictionPolicyType = "IfHealthyBudget"
	AlwaysAllow     UnhealthyPodEvictionPolicyType = "AlwaysAllow"
)

// PodDisruptionBudgetStatus counts the pods and what is left of the budget.
type PodDisruptionBudgetStatus struct {
	ObservedGeneration int64                  `json:"observedGeneration,omitempty"`
	DisruptedPods      map[string]metav1.Time `json:"disruptedPods,omitempty"`
	DisruptionsAllowed int32                  `json:"disruptionsAllowed"`
	CurrentHealthy     int32                  `json:"currentHealthy"`
	DesiredHealthy     int32                  `json:"desiredHealthy"`
	ExpectedPods       int32                  `json:"expectedPods"`
	Conditions         []metav1.Condition     `json:"conditions,omitempty"`
}
