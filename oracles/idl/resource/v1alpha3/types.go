package v1alpha3

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ResourcePoolStatusRequest asks for the state of resource pools.
//
// +k8s:supportsSubresource="/status"
type ResourcePoolStatusRequest struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:immutable
	Spec ResourcePoolStatusRequestSpec `json:"spec"`

	// +k8s:optional
	Status *ResourcePoolStatusRequestStatus `json:"status,omitempty"`
}

// ResourcePoolStatusRequestSpec tells which pools are asked for.
type ResourcePoolStatusRequestSpec struct {
	// +k8s:required
	// +k8s:format=k8s-long-name-caseless
	Driver string `json:"driver"`

	// +k8s:optional
	// +k8s:format=k8s-resource-pool-name
	PoolName *string `json:"poolName,omitempty"`

	// +k8s:optional
	// +default=100
	// +k8s:minimum=1
	// +k8s:maximum=1000
	Limit *int32 `json:"limit,omitempty"`
}

// ResourcePoolStatusRequestStatus is the answer, given once.
type ResourcePoolStatusRequestStatus struct {
	// +k8s:required
	// +k8s:minimum=0
	PoolCount *int32 `json:"poolCount,omitempty"`

	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:maxItems=1000
	Pools []PoolStatus `json:"pools,omitempty"`

	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=type
	// +k8s:maxItems=10
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// PoolStatus is the state of one pool.
type PoolStatus struct {
	// +k8s:required
	// +k8s:format=k8s-long-name-caseless
	Driver string `json:"driver,omitempty"`

	// +k8s:required
	// +k8s:format=k8s-resource-pool-name
	PoolName string `json:"poolName,omitempty"`

	// +k8s:required
	// +k8s:minimum=0
	Generation int64 `json:"generation"`

	// +k8s:optional
	// +k8s:minimum=1
	ResourceSliceCount *int32 `json:"resourceSliceCount,omitempty"`

	// +k8s:optional
	// +k8s:minimum=0
	TotalDevices *int32 `json:"totalDevices,omitempty"`

	// +k8s:optional
	// +k8s:minimum=0
	AllocatedDevices *int32 `json:"allocatedDevices,omitempty"`

	// +k8s:optional
	// +k8s:minimum=0
	AvailableDevices *int32 `json:"availableDevices,omitempty"`

	// +k8s:optional
	// +k8s:minimum=0
	UnavailableDevices *int32 `json:"unavailableDevices,omitempty"`

	// +k8s:optional
	// +k8s:format=k8s-long-name
	NodeName *string `json:"nodeName,omitempty"`

	// +k8s:optional
	// +k8s:maxBytes=256
	ValidationError *string `json:"validationError,omitempty"`
}

// DeviceTaintRule puts a taint on devices.
type DeviceTaintRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              DeviceTaintRuleSpec   `json:"spec"`
	Status            DeviceTaintRuleStatus `json:"status,omitempty"`
}

// DeviceTaintRuleSpec is the taint and the devices that get it.
type DeviceTaintRuleSpec struct {
	DeviceSelector *DeviceTaintSelector `json:"deviceSelector,omitempty"`
	Taint          DeviceTaint          `json:"taint,omitempty"`
}

// DeviceTaintSelector selects devices to taint.
type DeviceTaintSelector struct {
	Driver *string `json:"driver,omitempty"`
	Pool   *string `json:"pool,omitempty"`
	Device *string `json:"device,omitempty"`
}

// DeviceTaint marks a device that should not be used.
type DeviceTaint struct {
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`

	// +k8s:required
	Effect DeviceTaintEffect `json:"effect"`

	TimeAdded *metav1.Time `json:"timeAdded,omitempty"`
}

// DeviceTaintEffect tells what a device taint does to claims and pods.
//
// +k8s:enum
type DeviceTaintEffect string

const (
	DeviceTaintEffectNone       DeviceTaintEffect = "None"
	DeviceTaintEffectNoSchedule DeviceTaintEffect = "NoSchedule"
	DeviceTaintEffectNoExecute  DeviceTaintEffect = "NoExecute"
)

// DeviceTaintRuleStatus is how far the taint took effect.
type DeviceTaintRuleStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
