package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Node is a machine that runs pods.
type Node struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              NodeSpec   `json:"spec,omitempty"`
	Status            NodeStatus `json:"status,omitempty"`
}

// NodeSpec is how a node is set up.
type NodeSpec struct {
	PodCIDR            string            `json:"podCIDR,omitempty"`
	PodCIDRs           []string          `json:"podCIDRs,omitempty"`
	ProviderID         string            `json:"providerID,omitempty"`
	Unschedulable      bool              `json:"unschedulable,omitempty"`
	Taints             []Taint           `json:"taints,omitempty"`
	ConfigSource       *NodeConfigSource `json:"configSource,omitempty"`
	DoNotUseExternalID string            `json:"externalID,omitempty"`
}

// NodeStatus is what a node reports.
type NodeStatus struct {
	Capacity         ResourceList         `json:"capacity,omitempty"`
	Allocatable      ResourceList         `json:"allocatable,omitempty"`
	Phase            NodePhase            `json:"phase,omitempty"`
	Conditions       []NodeCondition      `json:"conditions,omitempty"`
	Addresses        []NodeAddress        `json:"addresses,omitempty"`
	DaemonEndpoints  NodeDaemonEndpoints  `json:"daemonEndpoints,omitempty"`
	NodeInfo         NodeSystemInfo       `json:"nodeInfo,omitempty"`
	Images           []ContainerImage     `json:"images,omitempty"`
	VolumesInUse     []UniqueVolumeName   `json:"volumesInUse,omitempty"`
	VolumesAttached  []AttachedVolume     `json:"volumesAttached,omitempty"`
	Config           *NodeConfigStatus    `json:"config,omitempty"`
	RuntimeHandlers  []NodeRuntimeHandler `json:"runtimeHandlers,omitempty"`
	Features         *NodeFeatures        `json:"features,omitempty"`
	DeclaredFeatures []string             `json:"declaredFeatures,omitempty"`
}

// Taint keeps pods away that do not tolerate it.
type Taint struct {
	Key       string       `json:"key"`
	Value     string       `json:"value,omitempty"`
	Effect    TaintEffect  `json:"effect"`
	TimeAdded *metav1.Time `json:"timeAdded,omitempty"`
}

// NodeConfigSource is where a node took its configuration from.
type NodeConfigSource struct {
	ConfigMap *ConfigMapNodeConfigSource `json:"configMap,omitempty"`
}

// NodePhase is the state of a node in one word.
type NodePhase string

const (
	NodePending    NodePhase = "Pending"
	NodeRunning    NodePhase = "Running"
	NodeTerminated NodePhase = "Terminated"
)

// NodeCondition is the state of one aspect of a node.
type NodeCondition struct {
	Type               NodeConditionType `json:"type"`
	Status             ConditionStatus   `json:"status"`
	LastHeartbeatTime  metav1.Time       `json:"lastHeartbeatTime,omitempty"`
	LastTransitionTime metav1.Time       `json:"lastTransitionTime,omitempty"`
	Reason             string            `json:"reason,omitempty"`
	Message            string            `json:"message,omitempty"`
}

// NodeAddress is an address of a node.
type NodeAddress struct {
	Type    NodeAddressType `json:"type"`
	Address string          `json:"address"`
}

// NodeDaemonEndpoints lists the ports of the daemons of a node.
type NodeDaemonEndpoints struct {
	KubeletEndpoint DaemonEndpoint `json:"kubeletEndpoint,omitempty"`
}

// NodeSystemInfo identifies machine and software.
type NodeSystemInfo struct {
	MachineID               string          `json:"machineID"`
	SystemUUID              string          `json:"systemUUID"`
	BootID                  string          `json:"bootID"`
	KernelVersion           string          `json:"kernelVersion"`
	OSImage                 string          `json:"osImage"`
	ContainerRuntimeVersion string          `json:"containerRuntimeVersion"`
	KubeletVersion          string          `json:"kubeletVersion"`
	KubeProxyVersion        string          `json:"kubeProxyVersion"`
	OperatingSystem         string          `json:"operatingSystem"`
	Architecture            string          `json:"architecture"`
	Swap                    *NodeSwapStatus `json:"swap,omitempty"`
}

// ContainerImage is an image that a node has.
type ContainerImage struct {
	Names     []string `json:"names"`
	SizeBytes int64    `json:"sizeBytes,omitempty"`
}

// UniqueVolumeName names a volume of one plugin.
type UniqueVolumeName string

// AttachedVolume is a volume that is attached to a node.
type AttachedVolume struct {
	Name       UniqueVolumeName `json:"name"`
	DevicePath string           `json:"devicePath"`
}

// NodeConfigStatus is the configuration that a node uses.
type NodeConfigStatus struct {
	Assigned      *NodeConfigSource `json:"assigned,omitempty"`
	Active        *NodeConfigSource `json:"active,omitempty"`
	LastKnownGood *NodeConfigSource `json:"lastKnownGood,omitempty"`
	Error         string            `json:"error,omitempty"`
}

// NodeRuntimeHandler is a runtime that a node offers.
type NodeRuntimeHandler struct {
	Name     string                      `json:"name"`
	Features *NodeRuntimeHandlerFeatures `json:"features,omitempty"`
}

// NodeFeatures lists what the runtime of a node can do.
type NodeFeatures struct {
	SupplementalGroupsPolicy *bool `json:"supplementalGroupsPolicy,omitempty"`
}

// ConfigMapNodeConfigSource names a config map that configures a node.
type ConfigMapNodeConfigSource struct {
	Namespace        string    `json:"namespace"`
	Name             string    `json:"name"`
	UID              types.UID `json:"uid,omitempty"`
	ResourceVersion  string    `json:"resourceVersion,omitempty"`
	KubeletConfigKey string    `json:"kubeletConfigKey"`
}

// NodeConditionType names an aspect of a node.
type NodeConditionType string

const (
	NodeReady              NodeConditionType = "Ready"
	NodeMemoryPressure     NodeConditionType = "MemoryPressure"
	NodeDiskPressure       NodeConditionType = "DiskPressure"
	NodePIDPressure        NodeConditionType = "PIDPressure"
	NodeNetworkUnavailable NodeConditionType = "NetworkUnavailable"
)

// NodeAddressType is the kind of an address.
type NodeAddressType string

const (
	NodeHostName    NodeAddressType = "Hostname"
	NodeInternalIP  NodeAddressType = "InternalIP"
	NodeExternalIP  NodeAddressType = "ExternalIP"
	NodeInternalDNS NodeAddressType = "InternalDNS"
	NodeExternalDNS NodeAddressType = "ExternalDNS"
)

// DaemonEndpoint is the port of a daemon.
type DaemonEndpoint struct {
	Port int32 `json:"Port"`
}

// NodeSwapStatus is how much swap a node has.
type NodeSwapStatus struct {
	Capacity *int64 `json:"capacity,omitempty"`
}

// NodeRuntimeHandlerFeatures lists what a runtime can do.
type NodeRuntimeHandlerFeatures struct {
	RecursiveReadOnlyMounts *bool `json:"recursiveReadOnlyMounts,omitempty"`
	UserNamespaces          *bool `json:"userNamespaces,omitempty"`
}
