package v1alpha1

import (
	"k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
