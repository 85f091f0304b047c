package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pod is a group of containers on one node.
type Pod struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PodSpec   `json:"spec,omitempty"`
	Status            PodStatus `json:"status,omitempty"`
}

// PodStatus is what the node says of a pod.
type PodStatus struct {
	ObservedGeneration                   int64                                `json:"observedGeneration,omitempty"`
	Phase                                PodPhase                             `json:"phase,omitempty"`
	Conditions                           []PodCondition                       `json:"conditions,omitempty"`
	Message                              string                               `json:"message,omitempty"`
	Reason                               string                               `json:"reason,omitempty"`
	NominatedNodeName                    string                               `json:"nominatedNodeName,omitempty"`
	HostIP                               string                               `json:"hostIP,omitempty"`
	HostIPs                              []HostIP                             `json:"hostIPs,omitempty"`
	PodIP                                string                               `json:"podIP,omitempty"`
	PodIPs                               []PodIP                              `json:"podIPs,omitempty"`
	StartTime                            *metav1.Time                         `json:"startTime,omitempty"`
	InitContainerStatuses                []ContainerStatus                    `json:"initContainerStatuses,omitempty"`
	ContainerStatuses                    []ContainerStatus                    `json:"containerStatuses,omitempty"`
	QOSClass                             PodQOSClass                          `json:"qosClass,omitempty"`
	EphemeralContainerStatuses           []ContainerStatus                    `json:"ephemeralContainerStatuses,omitempty"`
	Resize                               PodResizeStatus                      `json:"resize,omitempty"`
	ResourceClaimStatuses                []PodResourceClaimStatus             `json:"resourceClaimStatuses,omitempty"`
	ExtendedResourceClaimStatus          *PodExtendedResourceClaimStatus      `json:"extendedResourceClaimStatus,omitempty"`
	AllocatedResources                   ResourceList                         `json:"allocatedResources,omitempty"`
	Resources                            *ResourceRequirements                `json:"resources,omitempty"`
	NodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus `json:"nodeAllocatableResourceClaimStatuses,omitempty"`
}

// PodPhase is the state of a pod in one word.
type PodPhase string

const (
	PodPending   PodPhase = "Pending"
	PodRunning   PodPhase = "Running"
	PodSucceeded PodPhase = "Succeeded"
	PodFailed    PodPhase = "Failed"
	PodUnknown   PodPhase = "Unknown"
)

// PodCondition is the state of one aspect of a pod.
type PodCondition struct {
	Type               PodConditionType `json:"type"`
	ObservedGeneration int64            `json:"observedGeneration,omitempty"`
	Status             ConditionStatus  `json:"status"`
	LastProbeTime      metav1.Time      `json:"lastProbeTime,omitempty"`
	LastTransitionTime metav1.Time      `json:"lastTransitionTime,omitempty"`
	Reason             string           `json:"reason,omitempty"`
	Message            string           `json:"message,omitempty"`
}

// HostIP is an address of the node.
type HostIP struct {
	IP string `json:"ip"`
}

// PodIP is an address of the pod.
type PodIP struct {
	IP string `json:"ip"`
}

// ContainerStatus is the state of one container.
type ContainerStatus struct {
	Name                     string                `json:"name"`
	State                    ContainerState        `json:"state,omitempty"`
	LastTerminationState     ContainerState        `json:"lastState,omitempty"`
	Ready                    bool                  `json:"ready"`
	RestartCount             int32                 `json:"restartCount"`
	Image                    string                `json:"image"`
	ImageID                  string                `json:"imageID"`
	ContainerID              string                `json:"containerID,omitempty"`
	Started                  *bool                 `json:"started,omitempty"`
	AllocatedResources       ResourceList          `json:"allocatedResources,omitempty"`
	Resources                *ResourceRequirements `json:"resources,omitempty"`
	VolumeMounts             []VolumeMountStatus   `json:"volumeMounts,omitempty"`
	User                     *ContainerUser        `json:"user,omitempty"`
	AllocatedResourcesStatus []ResourceStatus      `json:"allocatedResourcesStatus,omitempty"`
	StopSignal               *Signal               `json:"stopSignal,omitempty"`
}

// PodQOSClass says which pods give way first.
type PodQOSClass string

const (
	PodQOSGuaranteed PodQOSClass = "Guaranteed"
	PodQOSBurstable  PodQOSClass = "Burstable"
	PodQOSBestEffort PodQOSClass = "BestEffort"
)

// PodResizeStatus is how far a change of resources is.
type PodResizeStatus string

const (
	PodResizeStatusInProgress PodResizeStatus = "InProgress"
	PodResizeStatusDeferred   PodResizeStatus = "Deferred"
	PodResizeStatusInfeasible PodResizeStatus = "Infeasible"
)

// PodResourceClaimStatus names the claim that was made for an entry of the pod.
type PodResourceClaimStatus struct {
	Name              string  `json:"name"`
	ResourceClaimName *string `json:"resourceClaimName,omitempty"`
}

// PodExtendedResourceClaimStatus names the claim that stands for extended resources.
type PodExtendedResourceClaimStatus struct {
	RequestMappings   []ContainerExtendedResourceRequest `json:"requestMappings"`
	ResourceClaimName string                             `json:"resourceClaimName"`
}

// NodeAllocatableResourceClaimStatus is what a claim takes of the resources of a node.
type NodeAllocatableResourceClaimStatus struct {
	ResourceClaimName string                             `json:"resourceClaimName"`
	Containers        []string                           `json:"containers,omitempty"`
	Resources         map[ResourceName]resource.Quantity `json:"resources"`
}

// ContainerState is one of three states.
type ContainerState struct {
	Waiting    *ContainerStateWaiting    `json:"waiting,omitempty"`
	Running    *ContainerStateRunning    `json:"running,omitempty"`
	Terminated *ContainerStateTerminated `json:"terminated,omitempty"`
}

// VolumeMountStatus is how a volume is mounted.
type VolumeMountStatus struct {
	Name              string                 `json:"name"`
	MountPath         string                 `json:"mountPath"`
	ReadOnly          bool                   `json:"readOnly,omitempty"`
	RecursiveReadOnly *RecursiveReadOnlyMode `json:"recursiveReadOnly,omitempty"`
	VolumeStatus      *VolumeStatus          `json:"volumeStatus,omitempty"`
}

// ContainerUser is the user of the first process.
type ContainerUser struct {
	Linux *LinuxContainerUser `json:"linux,omitempty"`
}

// ResourceStatus is the health of one resource.
type ResourceStatus struct {
	Name      ResourceName     `json:"name"`
	Resources []ResourceHealth `json:"resources,omitempty"`
}

// ContainerExtendedResourceRequest maps a resource of a container to a request of a claim.
type ContainerExtendedResourceRequest struct {
	ContainerName string `json:"containerName"`
	ResourceName  string `json:"resourceName"`
	RequestName   string `json:"requestName"`
}

// ContainerStateWaiting says why a container does not run yet.
type ContainerStateWaiting struct {
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// ContainerStateRunning says since when a container runs.
type ContainerStateRunning struct {
	StartedAt metav1.Time `json:"startedAt,omitempty"`
}

// ContainerStateTerminated says how a container ended.
type ContainerStateTerminated struct {
	ExitCode    int32       `json:"exitCode"`
	Signal      int32       `json:"signal,omitempty"`
	Reason      string      `json:"reason,omitempty"`
	Message     string      `json:"message,omitempty"`
	StartedAt   metav1.Time `json:"startedAt,omitempty"`
	FinishedAt  metav1.Time `json:"finishedAt,omitempty"`
	ContainerID string      `json:"containerID,omitempty"`
}

// VolumeStatus is the state of a mounted volume.
type VolumeStatus struct {
	Image *ImageVolumeStatus `json:"image,omitempty"`
}

// LinuxContainerUser is a user and its groups.
type LinuxContainerUser struct {
	UID                int64   `json:"uid"`
	GID                int64   `json:"gid"`
	SupplementalGroups []int64 `json:"supplementalGroups,omitempty"`
}

// ResourceHealth is the health of one device.
type ResourceHealth struct {
	ResourceID ResourceID           `json:"resourceID"`
	Health     ResourceHealthStatus `json:"health,omitempty"`
	Message    *string              `json:"message,omitempty"`
}

// ImageVolumeStatus names the image that is mounted.
type ImageVolumeStatus struct {
	ImageRef string `json:"imageRef,omitempty"`
}

// ResourceID names a device.
type ResourceID string

// ResourceHealthStatus is the health in one word.
type ResourceHealthStatus string

const (
	ResourceHealthStatusHealthy   ResourceHealthStatus = "Healthy"
	ResourceHealthStatusUnhealthy ResourceHealthStatus = "Unhealthy"
	ResourceHealthStatusUnknown   ResourceHealthStatus = "Unknown"
)
