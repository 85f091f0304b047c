package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PodGroup is a set of pods that are scheduled together.
//
// +k8s:supportsSubresource="/status"
type PodGroup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PodGroupSpec   `json:"spec"`
	Status            PodGroupStatus `json:"status,omitempty"`
}

// PodGroupSpec is how the pods of a group are scheduled.
type PodGroupSpec struct {
	// +k8s:optional
	// +k8s:immutable
	PodGroupTemplateRef *PodGroupTemplateReference `json:"podGroupTemplateRef"`

	// +k8s:immutable
	SchedulingPolicy PodGroupSchedulingPolicy `json:"schedulingPolicy"`

	// +k8s:ifDisabled(TopologyAwareWorkloadScheduling)=+k8s:forbidden
	// +k8s:ifEnabled(TopologyAwareWorkloadScheduling)=+k8s:optional
	// +k8s:ifEnabled(TopologyAwareWorkloadScheduling)=+k8s:immutable
	SchedulingConstraints *PodGroupSchedulingConstraints `json:"schedulingConstraints,omitempty"`

	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:maxItems=4
	// +k8s:immutable
	ResourceClaims []PodGroupResourceClaim `json:"resourceClaims,omitempty"`

	// +k8s:ifDisabled("WorkloadAwarePreemption")=+k8s:forbidden
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:optional
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:immutable
	// +default="Pod"
	DisruptionMode *DisruptionMode `json:"disruptionMode,omitempty"`

	// +k8s:ifDisabled("WorkloadAwarePreemption")=+k8s:forbidden
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:optional
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:format=k8s-long-name
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:immutable
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// +k8s:ifDisabled("WorkloadAwarePreemption")=+k8s:forbidden
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:optional
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:immutable
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:maximum=1000000000
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:minimum=-2147483648
	Priority *int32 `json:"priority,omitempty"`
}

// PodGroupTemplateReference names the template of a group; exactly one member is set.
type PodGroupTemplateReference struct {
	// +k8s:optional
	// +k8s:unionMember
	Workload *WorkloadPodGroupTemplateReference `json:"workload"`
}

// WorkloadPodGroupTemplateReference names a template within a workload.
type WorkloadPodGroupTemplateReference struct {
	// +k8s:required
	// +k8s:format=k8s-long-name
	WorkloadName string `json:"workloadName"`

	// +k8s:required
	// +k8s:format=k8s-short-name
	PodGroupTemplateName string `json:"podGroupTemplateName"`
}

// PodGroupSchedulingPolicy is the scheduling policy of a group; exactly one member is set.
type PodGroupSchedulingPolicy struct {
	// +k8s:optional
	// +k8s:unionMember
	Basic *BasicSchedulingPolicy `json:"basic,omitempty"`

	// +k8s:optional
	// +k8s:unionMember
	Gang *GangSchedulingPolicy `json:"gang,omitempty"`
}

// BasicSchedulingPolicy schedules every pod by itself.
type BasicSchedulingPolicy struct {
}

// GangSchedulingPolicy schedules a minimum of pods at once or none.
type GangSchedulingPolicy struct {
	// +k8s:required
	// +k8s:minimum=1
	MinCount int32 `json:"minCount"`
}

// PodGroupSchedulingConstraints limit where a group may be placed.
type PodGroupSchedulingConstraints struct {
	// +k8s:optional
	// +k8s:maxItems=1
	// +k8s:listType=atomic
	Topology []TopologyConstraint `json:"topology,omitempty"`
}

// TopologyConstraint keeps a group within one domain of a topology.
type TopologyConstraint struct {
	// +k8s:required
	// +k8s:format=k8s-label-key
	Key string `json:"key"`
}

// PodGroupResourceClaim makes a resource claim available to a group.
type PodGroupResourceClaim struct {
	// +k8s:required
	// +k8s:format=k8s-short-name
	Name string `json:"name"`

	// +k8s:optional
	// +k8s:unionMember
	// +k8s:format=k8s-long-name
	ResourceClaimName *string `json:"resourceClaimName,omitempty"`

	// +k8s:optional
	// +k8s:unionMember
	// +k8s:format=k8s-long-name
	ResourceClaimTemplateName *string `json:"resourceClaimTemplateName,omitempty"`
}

// DisruptionMode tells whether pods of a group are disrupted singly or together.
//
// +k8s:enum
type DisruptionMode string

const (
	DisruptionModePod      DisruptionMode = "Pod"
	DisruptionModePodGroup DisruptionMode = "PodGroup"
)

// PodGroupStatus is what was last observed of a group.
type PodGroupStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:maxItems=4
	ResourceClaimStatuses []PodGroupResourceClaimStatus `json:"resourceClaimStatuses,omitempty"`
}

// PodGroupResourceClaimStatus is the claim made for an entry of a group.
type PodGroupResourceClaimStatus struct {
	Name string `json:"name"`

	// +k8s:optional
	// +k8s:format=k8s-long-name
	ResourceClaimName *string `json:"resourceClaimName,omitempty"`
}

// Workload describes a workload as a set of pod groups.
type Workload struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WorkloadSpec `json:"spec"`
}

// WorkloadSpec is the controller of a workload and its group templates.
type WorkloadSpec struct {
	// +k8s:optional
	// +k8s:immutable
	ControllerRef *TypedLocalObjectReference `json:"controllerRef,omitempty"`

	// +k8s:required
	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:maxItems=8
	// +k8s:immutable
	PodGroupTemplates []PodGroupTemplate `json:"podGroupTemplates"`
}

// TypedLocalObjectReference names an object of the same namespace together with its kind.
type TypedLocalObjectReference struct {
	// +k8s:optional
	// +k8s:format=k8s-long-name
	APIGroup string `json:"apiGroup,omitempty"`

	// +k8s:required
	// +k8s:format=k8s-path-segment-name
	Kind string `json:"kind"`

	// +k8s:required
	// +k8s:format=k8s-path-segment-name
	Name string `json:"name"`
}

// PodGroupTemplate is the pattern of pod groups.
type PodGroupTemplate struct {
	// +k8s:required
	// +k8s:format=k8s-short-name
	Name string `json:"name"`

	SchedulingPolicy PodGroupSchedulingPolicy `json:"schedulingPolicy"`

	// +k8s:ifDisabled(TopologyAwareWorkloadScheduling)=+k8s:forbidden
	// +k8s:ifEnabled(TopologyAwareWorkloadScheduling)=+k8s:optional
	SchedulingConstraints *PodGroupSchedulingConstraints `json:"schedulingConstraints"`

	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:maxItems=4
	// +k8s:immutable
	ResourceClaims []PodGroupResourceClaim `json:"resourceClaims,omitempty"`

	// +k8s:ifDisabled("WorkloadAwarePreemption")=+k8s:forbidden
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:optional
	DisruptionMode *DisruptionMode `json:"disruptionMode,omitempty"`

	// +k8s:ifDisabled("WorkloadAwarePreemption")=+k8s:forbidden
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:optional
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:format=k8s-long-name
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// +k8s:ifDisabled("WorkloadAwarePreemption")=+k8s:forbidden
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:optional
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:maximum=1000000000
	// +k8s:ifEnabled("WorkloadAwarePreemption")=+k8s:minimum=-2147483648
	Priority *int32 `json:"priority,omitempty"`
}
