package v1beta1

import (
	"k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StorageClass is a kind of storage with its provisioner.
type StorageClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:immutable
	Provisioner string `json:"provisioner"`

	// +k8s:alpha(since: "1.36")=+k8s:immutable
	// +k8s:alpha(since: "1.36")=+k8s:optional
	Parameters map[string]string `json:"parameters,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:immutable
	// +k8s:alpha(since: "1.36")=+k8s:optional
	ReclaimPolicy *v1.PersistentVolumeReclaimPolicy `json:"reclaimPolicy,omitempty"`

	MountOptions         []string `json:"mountOptions,omitempty"`
	AllowVolumeExpansion *bool    `json:"allowVolumeExpansion,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:immutable
	// +k8s:alpha(since: "1.36")=+k8s:optional
	VolumeBindingMode *VolumeBindingMode `json:"volumeBindingMode,omitempty"`

	AllowedTopologies []v1.TopologySelectorTerm `json:"allowedTopologies,omitempty"`
}

// VolumeBindingMode tells when a claim gets its volume.
type VolumeBindingMode string

const (
	VolumeBindingImmediate            VolumeBindingMode = "Immediate"
	VolumeBindingWaitForFirstConsumer VolumeBindingMode = "WaitForFirstConsumer"
)

// VolumeAttachment attaches a volume to a node.
//
// +k8s:supportsSubresource="/status"
type VolumeAttachment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:immutable
	Spec VolumeAttachmentSpec `json:"spec"`

	Status VolumeAttachmentStatus `json:"status,omitempty"`
}

// VolumeAttachmentSpec is the volume, the node and who attaches.
type VolumeAttachmentSpec struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:format="k8s-long-name-caseless"
	// +k8s:alpha(since: "1.36")=+k8s:maxLength=63
	Attacher string `json:"attacher"`

	Source   VolumeAttachmentSource `json:"source"`
	NodeName string                 `json:"nodeName"`
}

// VolumeAttachmentSource is the volume to attach; exactly one member is set.
type VolumeAttachmentSource struct {
	PersistentVolumeName *string                  `json:"persistentVolumeName,omitempty"`
	InlineVolumeSpec     *v1.PersistentVolumeSpec `json:"inlineVolumeSpec,omitempty"`
}

// VolumeAttachmentStatus is how far attaching and detaching got.
type VolumeAttachmentStatus struct {
	Attached           bool              `json:"attached"`
	AttachmentMetadata map[string]string `json:"attachmentMetadata,omitempty"`
	AttachError        *VolumeError      `json:"attachError,omitempty"`
	DetachError        *VolumeError      `json:"detachError,omitempty"`
}

// VolumeError is the last failure of an attach or detach call.
type VolumeError struct {
	Time      metav1.Time `json:"time,omitempty"`
	Message   string      `json:"message,omitempty"`
	ErrorCode *int32      `json:"errorCode,omitempty"`
}
