package v1beta2

import (
	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// ResourceSlice lists devices of one pool.
type ResourceSlice struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ResourceSliceSpec `json:"spec"`
}

// ResourceSliceSpec is the pool, its devices and who can reach them.
type ResourceSliceSpec struct {
	Driver       string           `json:"driver"`
	Pool         ResourcePool     `json:"pool"`
	NodeName     *string          `json:"nodeName,omitempty"`
	NodeSelector *v1.NodeSelector `json:"nodeSelector,omitempty"`
	AllNodes     *bool            `json:"allNodes,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Devices []Device `json:"devices,omitempty"`

	PerDeviceNodeSelection *bool `json:"perDeviceNodeSelection,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:unique=map
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=name
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=8
	SharedCounters []CounterSet `json:"sharedCounters,omitempty"`
}

// ResourcePool names a pool and the generation of its slices.
type ResourcePool struct {
	Name               string `json:"name"`
	Generation         int64  `json:"generation"`
	ResourceSliceCount int64  `json:"resourceSliceCount"`
}

// Device is one device with its attributes and capacities.
type Device struct {
	Name string `json:"name"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Attributes map[QualifiedName]DeviceAttribute `json:"attributes,omitempty"`

	Capacity map[QualifiedName]DeviceCapacity `json:"capacity,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:unique=map
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=counterSet
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=2
	ConsumesCounters []DeviceCounterConsumption `json:"consumesCounters,omitempty"`

	NodeName     *string          `json:"nodeName,omitempty"`
	NodeSelector *v1.NodeSelector `json:"nodeSelector,omitempty"`
	AllNodes     *bool            `json:"allNodes,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Taints []DeviceTaint `json:"taints,omitempty"`

	BindsToNode *bool `json:"bindsToNode,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=4
	BindingConditions []string `json:"bindingConditions,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=4
	BindingFailureConditions []string `json:"bindingFailureConditions,omitempty"`

	AllowMultipleAllocations        *bool                                              `json:"allowMultipleAllocations,omitempty"`
	NodeAllocatableResourceMappings map[v1.ResourceName]NodeAllocatableResourceMapping `json:"nodeAllocatableResourceMappings,omitempty"`
}

// QualifiedName names an attribute or capacity, with or without a domain.
type QualifiedName string

// DeviceAttribute is the value of an attribute; exactly one member is set.
type DeviceAttribute struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:unionMember
	IntValue *int64 `json:"int,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:unionMember
	BoolValue *bool `json:"bool,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:unionMember
	StringValue *string `json:"string,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:unionMember
	VersionValue *string `json:"version,omitempty"`

	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:unionMember
	IntValues []int64 `json:"ints,omitempty"`

	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:unionMember
	BoolValues []bool `json:"bools,omitempty"`

	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:unionMember
	StringValues []string `json:"strings,omitempty"`

	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:unionMember
	VersionValues []string `json:"versions,omitempty"`
}

// DeviceCapacity is an amount that a device offers.
type DeviceCapacity struct {
	Value         resource.Quantity      `json:"value"`
	RequestPolicy *CapacityRequestPolicy `json:"requestPolicy,omitempty"`
}

// CapacityRequestPolicy tells which amounts of a capacity may be asked for.
type CapacityRequestPolicy struct {
	Default     *resource.Quantity          `json:"default"`
	ValidValues []resource.Quantity         `json:"validValues,omitempty"`
	ValidRange  *CapacityRequestPolicyRange `json:"validRange,omitempty"`
}

// CapacityRequestPolicyRange is a range of amounts with a step.
type CapacityRequestPolicyRange struct {
	Min  *resource.Quantity `json:"min,omitempty"`
	Max  *resource.Quantity `json:"max,omitempty"`
	Step *resource.Quantity `json:"step,omitempty"`
}

// DeviceCounterConsumption is what a device takes from one set of counters.
type DeviceCounterConsumption struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-short-name
	CounterSet string `json:"counterSet"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:eachKey=+k8s:format=k8s-short-name
	Counters map[string]Counter `json:"counters,omitempty"`
}

// Counter is an amount that devices share.
type Counter struct {
	Value resource.Quantity `json:"value"`
}

// DeviceTaint marks a device that should not be used.
type DeviceTaint struct {
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	Effect DeviceTaintEffect `json:"effect"`

	TimeAdded *metav1.Time `json:"timeAdded,omitempty"`
}

// DeviceTaintEffect tells what a device taint does to claims and pods.
//
// +k8s:alpha(since: "1.36")=+k8s:enum
type DeviceTaintEffect string

const (
	DeviceTaintEffectNone       DeviceTaintEffect = "None"
	DeviceTaintEffectNoSchedule DeviceTaintEffect = "NoSchedule"
	DeviceTaintEffectNoExecute  DeviceTaintEffect = "NoExecute"
)

// NodeAllocatableResourceMapping ties a device to a resource of its node.
type NodeAllocatableResourceMapping struct {
	CapacityKey          *QualifiedName     `json:"capacityKey,omitempty"`
	AllocationMultiplier *resource.Quantity `json:"allocationMultiplier,omitempty"`
}

// CounterSet is a named set of counters.
type CounterSet struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-short-name
	Name string `json:"name"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:eachKey=+k8s:format=k8s-short-name
	Counters map[string]Counter `json:"counters,omitempty"`
}

// ResourceClaim asks for devices.
//
// +k8s:supportsSubresource="/status"
type ResourceClaim struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:immutable
	Spec ResourceClaimSpec `json:"spec"`

	Status ResourceClaimStatus `json:"status,omitempty"`
}

// ResourceClaimSpec is what a claim asks for.
type ResourceClaimSpec struct {
	Devices DeviceClaim `json:"devices"`
}

// DeviceClaim holds the requests of a claim, their constraints and settings.
type DeviceClaim struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:unique=map
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=name
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Requests []DeviceRequest `json:"requests"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Constraints []DeviceConstraint `json:"constraints,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Config []DeviceClaimConfiguration `json:"config,omitempty"`
}

// DeviceRequest asks for devices, in one way or in ranked ways.
type DeviceRequest struct {
	Name string `json:"name"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Exactly *ExactDeviceRequest `json:"exactly,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:unique=map
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=name
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=8
	FirstAvailable []DeviceSubRequest `json:"firstAvailable,omitempty"`
}

// ExactDeviceRequest asks for devices of one class.
type ExactDeviceRequest struct {
	DeviceClassName string `json:"deviceClassName"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Selectors []DeviceSelector `json:"selectors,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	AllocationMode DeviceAllocationMode `json:"allocationMode,omitempty"`

	Count       int64 `json:"count,omitempty"`
	AdminAccess *bool `json:"adminAccess,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Tolerations []DeviceToleration `json:"tolerations,omitempty"`

	Capacity *CapacityRequirements `json:"capacity,omitempty"`
}

// DeviceSelector selects devices; exactly one member is set.
type DeviceSelector struct {
	CEL *CELDeviceSelector `json:"cel,omitempty"`
}

// CELDeviceSelector selects devices by a CEL expression.
type CELDeviceSelector struct {
	Expression string `json:"expression"`
}

// DeviceAllocationMode tells how many of the matching devices are taken.
//
// +k8s:alpha(since: "1.36")=+k8s:enum
type DeviceAllocationMode string

const (
	DeviceAllocationModeExactCount DeviceAllocationMode = "ExactCount"
	DeviceAllocationModeAll        DeviceAllocationMode = "All"
)

// DeviceToleration lets a request use devices with a matching taint.
type DeviceToleration struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-label-key
	Key string `json:"key,omitempty"`

	// +default="Equal"
	// +k8s:alpha(since: "1.36")=+k8s:optional
	Operator DeviceTolerationOperator `json:"operator,omitempty"`

	Value string `json:"value,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Effect DeviceTaintEffect `json:"effect,omitempty"`

	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// DeviceTolerationOperator tells how a toleration compares a taint's value.
//
// +k8s:alpha(since: "1.36")=+k8s:enum
type DeviceTolerationOperator string

const (
	DeviceTolerationOpExists DeviceTolerationOperator = "Exists"
	DeviceTolerationOpEqual  DeviceTolerationOperator = "Equal"
)

// CapacityRequirements are the amounts asked of a device.
type CapacityRequirements struct {
	Requests map[QualifiedName]resource.Quantity `json:"requests,omitempty"`
}

// DeviceSubRequest is one of the ranked ways to serve a request.
type DeviceSubRequest struct {
	Name string `json:"name"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-long-name
	DeviceClassName string `json:"deviceClassName"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Selectors []DeviceSelector `json:"selectors,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	AllocationMode DeviceAllocationMode `json:"allocationMode,omitempty"`

	Count int64 `json:"count,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Tolerations []DeviceToleration `json:"tolerations,omitempty"`

	Capacity *CapacityRequirements `json:"capacity,omitempty"`
}

// DeviceConstraint must hold over several devices; exactly one member is set.
type DeviceConstraint struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:unique=set
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Requests []string `json:"requests,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-resource-fully-qualified-name
	MatchAttribute *FullyQualifiedName `json:"matchAttribute,omitempty"`

	DistinctAttribute *FullyQualifiedName `json:"distinctAttribute,omitempty"`
}

// FullyQualifiedName names an attribute together with its domain.
type FullyQualifiedName string

// DeviceClaimConfiguration holds the settings of some requests of a claim.
type DeviceClaimConfiguration struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:unique=set
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Requests []string `json:"requests,omitempty"`

	DeviceConfiguration `json:",inline"`
}

// DeviceConfiguration holds settings of devices; exactly one member is set.
type DeviceConfiguration struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	Opaque *OpaqueDeviceConfiguration `json:"opaque,omitempty"`
}

// OpaqueDeviceConfiguration holds settings that only the driver reads.
type OpaqueDeviceConfiguration struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:maxLength=63
	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-long-name-caseless
	Driver string `json:"driver"`

	Parameters runtime.RawExtension `json:"parameters"`
}

// ResourceClaimStatus is what was allocated, to whom, and how its devices do.
type ResourceClaimStatus struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:update=NoModify
	Allocation *AllocationResult `json:"allocation,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:listType=map
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=uid
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=256
	ReservedFor []ResourceClaimConsumerReference `json:"reservedFor,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:listType=map
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=driver
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=device
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=pool
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=shareID
	Devices []AllocatedDeviceStatus `json:"devices,omitempty"`
}

// AllocationResult is the outcome of an allocation.
type AllocationResult struct {
	Devices             DeviceAllocationResult `json:"devices,omitempty"`
	NodeSelector        *v1.NodeSelector       `json:"nodeSelector,omitempty"`
	AllocationTimestamp *metav1.Time           `json:"allocationTimestamp,omitempty"`
}

// DeviceAllocationResult lists allocated devices and their settings.
type DeviceAllocationResult struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Results []DeviceRequestAllocationResult `json:"results,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=64
	Config []DeviceAllocationConfiguration `json:"config,omitempty"`
}

// DeviceRequestAllocationResult is the device given to one request.
type DeviceRequestAllocationResult struct {
	Request string `json:"request"`

	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-long-name-caseless
	// +k8s:alpha(since: "1.36")=+k8s:maxLength=63
	// +k8s:alpha(since: "1.36")=+k8s:required
	Driver string `json:"driver"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-resource-pool-name
	Pool string `json:"pool"`

	Device      string `json:"device"`
	AdminAccess *bool  `json:"adminAccess,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Tolerations []DeviceToleration `json:"tolerations,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=4
	BindingConditions []string `json:"bindingConditions,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=4
	BindingFailureConditions []string `json:"bindingFailureConditions,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-uuid
	ShareID *types.UID `json:"shareID,omitempty"`

	ConsumedCapacity map[QualifiedName]resource.Quantity `json:"consumedCapacity,omitempty"`
}

// DeviceAllocationConfiguration holds settings together with where they came from.
type DeviceAllocationConfiguration struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	Source AllocationConfigSource `json:"source"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:unique=set
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Requests []string `json:"requests,omitempty"`

	DeviceConfiguration `json:",inline"`
}

// AllocationConfigSource tells whether settings came from the class or the claim.
//
// +k8s:alpha(since: "1.36")=+k8s:enum
type AllocationConfigSource string

const (
	AllocationConfigSourceClass AllocationConfigSource = "FromClass"
	AllocationConfigSourceClaim AllocationConfigSource = "FromClaim"
)

// ResourceClaimConsumerReference names a user of a claim.
type ResourceClaimConsumerReference struct {
	APIGroup string    `json:"apiGroup,omitempty"`
	Resource string    `json:"resource"`
	Name     string    `json:"name"`
	UID      types.UID `json:"uid"`
}

// AllocatedDeviceStatus is how an allocated device does, as its driver reports.
type AllocatedDeviceStatus struct {
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	Device string `json:"device"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-uuid
	ShareID *string `json:"shareID,omitempty"`

	Conditions []metav1.Condition    `json:"conditions"`
	Data       *runtime.RawExtension `json:"data,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	NetworkData *NetworkDeviceData `json:"networkData,omitempty"`
}

// NetworkDeviceData is what a driver reports of a network device.
type NetworkDeviceData struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxBytes=256
	InterfaceName string `json:"interfaceName,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:unique=set
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=16
	IPs []string `json:"ips,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxBytes=128
	HardwareAddress string `json:"hardwareAddress,omitempty"`
}

// DeviceClass is a kind of devices with its settings.
type DeviceClass struct {
	metav1.TypeMeta `json:",inline"`

	// +k8s:alpha(since: "1.36")=+k8s:subfield(name)=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:subfield(name)=+k8s:format=k8s-long-name
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec DeviceClassSpec `json:"spec"`
}

// DeviceClassSpec selects the devices of a class and sets them up.
type DeviceClassSpec struct {
	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Selectors []DeviceSelector `json:"selectors,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:maxItems=32
	Config []DeviceClassConfiguration `json:"config,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:format=k8s-extended-resource-name
	ExtendedResourceName *string `json:"extendedResourceName,omitempty"`
}

// DeviceClassConfiguration holds settings that come with a class.
type DeviceClassConfiguration struct {
	DeviceConfiguration `json:",inline"`
}

// ResourceClaimTemplate is the pattern of claims made for pods.
type ResourceClaimTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ResourceClaimTemplateSpec `json:"spec"`
}

// ResourceClaimTemplateSpec is the metadata and specification that new claims start from.
type ResourceClaimTemplateSpec struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ResourceClaimSpec `json:"spec"`
}
