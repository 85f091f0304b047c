package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PersistentVolume is a piece of storage.
type PersistentVolume struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PersistentVolumeSpec   `json:"spec,omitempty"`
	Status            PersistentVolumeStatus `json:"status,omitempty"`
}

// PersistentVolumeStatus is the state of a volume.
type PersistentVolumeStatus struct {
	Phase                   PersistentVolumePhase `json:"phase,omitempty"`
	Message                 string                `json:"message,omitempty"`
	Reason                  string                `json:"reason,omitempty"`
	LastPhaseTransitionTime *metav1.Time          `json:"lastPhaseTransitionTime,omitempty"`
}

// PersistentVolumePhase is the state of a volume in one word.
type PersistentVolumePhase string

const (
	VolumePending   PersistentVolumePhase = "Pending"
	VolumeAvailable PersistentVolumePhase = "Available"
	VolumeBound     PersistentVolumePhase = "Bound"
	VolumeReleased  PersistentVolumePhase = "Released"
	VolumeFailed    PersistentVolumePhase = "Failed"
)
