package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PersistentVolumeClaim asks for storage, by itself or as a pattern in a stateful set.
type PersistentVolumeClaim struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PersistentVolumeClaimSpec   `json:"spec,omitempty"`
	Status            PersistentVolumeClaimStatus `json:"status,omitempty"`
}

// PersistentVolumeClaimStatus is what the claim got.
type PersistentVolumeClaimStatus struct {
	Phase                            PersistentVolumeClaimPhase           `json:"phase,omitempty"`
	AccessModes                      []PersistentVolumeAccessMode         `json:"accessModes,omitempty"`
	Capacity                         ResourceList                         `json:"capacity,omitempty"`
	Conditions                       []PersistentVolumeClaimCondition     `json:"conditions,omitempty"`
	AllocatedResources               ResourceList                         `json:"allocatedResources,omitempty"`
	AllocatedResourceStatuses        map[ResourceName]ClaimResourceStatus `json:"allocatedResourceStatuses,omitempty"`
	CurrentVolumeAttributesClassName *string                              `json:"currentVolumeAttributesClassName,omitempty"`
	ModifyVolumeStatus               *ModifyVolumeStatus                  `json:"modifyVolumeStatus,omitempty"`
}

// PersistentVolumeClaimPhase names a state of a claim.
type PersistentVolumeClaimPhase string

const (
	ClaimPending PersistentVolumeClaimPhase = "Pending"
	ClaimBound   PersistentVolumeClaimPhase = "Bound"
	ClaimLost    PersistentVolumeClaimPhase = "Lost"
)

// PersistentVolumeClaimConditionType names an aspect of a claim's state.
type PersistentVolumeClaimConditionType string

// PersistentVolumeClaimCondition says whether an aspect holds, and since when.
type PersistentVolumeClaimCondition struct {
	Type               PersistentVolumeClaimConditionType `json:"type"`
	Status             ConditionStatus                    `json:"status"`
	LastProbeTime      metav1.Time                        `json:"lastProbeTime,omitempty"`
	LastTransitionTime metav1.Time                        `json:"lastTransitionTime,omitempty"`
	Reason             string                             `json:"reason,omitempty"`
	Message            string                             `json:"message,omitempty"`
}

// ClaimResourceStatus names a state of resizing.
type ClaimResourceStatus string

// ModifyVolumeStatus is the change of a volume's attributes class that is under way.
type ModifyVolumeStatus struct {
	TargetVolumeAttributesClassName string                                  `json:"targetVolumeAttributesClassName,omitempty"`
	Status                          PersistentVolumeClaimModifyVolumeStatus `json:"status"`
}

// PersistentVolumeClaimModifyVolumeStatus names a state of such a change.
type PersistentVolumeClaimModifyVolumeStatus string
