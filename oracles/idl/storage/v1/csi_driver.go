package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CSIDriver says what a driver of volumes can do.
type CSIDriver struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              CSIDriverSpec `json:"spec"`
}

// CSIDriverSpec is what a driver can do.
type CSIDriverSpec struct {
	AttachRequired                     *bool                 `json:"attachRequired,omitempty"`
	PodInfoOnMount                     *bool                 `json:"podInfoOnMount,omitempty"`
	VolumeLifecycleModes               []VolumeLifecycleMode `json:"volumeLifecycleModes,omitempty"`
	StorageCapacity                    *bool                 `json:"storageCapacity,omitempty"`
	FSGroupPolicy                      *FSGroupPolicy        `json:"fsGroupPolicy,omitempty"`
	TokenRequests                      []TokenRequest        `json:"tokenRequests,omitempty"`
	RequiresRepublish                  *bool                 `json:"requiresRepublish,omitempty"`
	SELinuxMount                       *bool                 `json:"seLinuxMount,omitempty"`
	NodeAllocatableUpdatePeriodSeconds *int64                `json:"nodeAllocatableUpdatePeriodSeconds,omitempty"`
	ServiceAccountTokenInSecrets       *bool                 `json:"serviceAccountTokenInSecrets,omitempty"`
	PreventPodSchedulingIfMissing      *bool                 `json:"preventPodSchedulingIfMissing,omitempty"`
}

// VolumeLifecycleMode says how long volumes live.
type VolumeLifecycleMode string

const (
	VolumeLifecyclePersistent VolumeLifecycleMode = "Persistent"
	VolumeLifecycleEphemeral  VolumeLifecycleMode = "Ephemeral"
)

// FSGroupPolicy says whether a driver changes who owns files.
type FSGroupPolicy string

const (
	ReadWriteOnceWithFSTypeFSGroupPolicy FSGroupPolicy = "ReadWriteOnceWithFSType"
	FileFSGroupPolicy                    FSGroupPolicy = "File"
	NoneFSGroupPolicy                    FSGroupPolicy = "None"
)

// TokenRequest asks for a token of the service account of a pod.
type TokenRequest struct {
	Audience          string `json:"audience"`
	ExpirationSeconds *int64 `json:"expirationSeconds,omitempty"`
}
