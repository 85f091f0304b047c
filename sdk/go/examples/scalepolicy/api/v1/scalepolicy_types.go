package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ScaleMode says who decides about replicas.
// +kubebuilder:validation:Enum=Auto;Manual;Off
type ScaleMode string

const (
	// ScaleModeAuto follows metrics and schedule.
	ScaleModeAuto ScaleMode = "Auto"
	// ScaleModeManual follows the schedule only.
	ScaleModeManual ScaleMode = "Manual"
	// ScaleModeOff changes nothing.
	ScaleModeOff ScaleMode = "Off"
)

// MetricType says which member of a metric is set.
// +kubebuilder:validation:Enum=Resource;Pods;External
type MetricType string

const (
	// ResourceMetricType follows the use of a resource.
	ResourceMetricType MetricType = "Resource"
	// PodsMetricType follows a metric of the pods.
	PodsMetricType MetricType = "Pods"
	// ExternalMetricType follows the result of a query.
	ExternalMetricType MetricType = "External"
)

// TargetReference names the workload that is scaled.
type TargetReference struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	APIVersion string `json:"apiVersion"`

	// +required
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`

	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// ScheduleEntry sets the replicas at certain times.
type ScheduleEntry struct {
	// name of the entry, unique in the schedule.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// cron says when: minute, hour, day of month, month and day of week.
	// +required
	// +kubebuilder:validation:Pattern=`^[0-9*,/-]+( [0-9*,/-]+){4}$`
	Cron string `json:"cron"`

	// timeZone of the cron text; UTC if empty.
	// +optional
	// +kubebuilder:validation:Pattern=`^([A-Za-z_]+(/[A-Za-z0-9_+-]+)*)?$`
	TimeZone string `json:"timeZone,omitempty"`

	// replicas from that time on.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Replicas *int32 `json:"replicas"`
}

// ResourceMetric follows the use of a resource.
type ResourceMetric struct {
	// name of the resource, such as cpu.
	// +required
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// targetUtilization in percent of what is requested.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	TargetUtilization *int32 `json:"targetUtilization"`
}

// PodsMetric follows a metric of the pods.
type PodsMetric struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	Metric string `json:"metric"`

	// +required
	// +kubebuilder:validation:Minimum=1
	TargetValue *int32 `json:"targetValue"`
}

// ExternalMetric follows the result of a query.
type ExternalMetric struct {
	// +required
	// +kubebuilder:validation:MinLength=1
	Query string `json:"query"`

	// +required
	// +kubebuilder:validation:Minimum=1
	TargetValue *int32 `json:"targetValue"`
}

// Metric is what a policy follows: type says which member is set.
// +kubebuilder:validation:XValidation:rule="self.type != 'Resource' || has(self.resource)",message="must be set when type is Resource",reason=FieldValueRequired,fieldPath=".resource"
// +kubebuilder:validation:XValidation:rule="self.type == 'Resource' || !has(self.resource)",message="may only be set when type is Resource",reason=FieldValueForbidden,fieldPath=".resource"
// +kubebuilder:validation:XValidation:rule="self.type != 'Pods' || has(self.pods)",message="must be set when type is Pods",reason=FieldValueRequired,fieldPath=".pods"
// +kubebuilder:validation:XValidation:rule="self.type == 'Pods' || !has(self.pods)",message="may only be set when type is Pods",reason=FieldValueForbidden,fieldPath=".pods"
// +kubebuilder:validation:XValidation:rule="self.type != 'External' || has(self.external)",message="must be set when type is External",reason=FieldValueRequired,fieldPath=".external"
// +kubebuilder:validation:XValidation:rule="self.type == 'External' || !has(self.external)",message="may only be set when type is External",reason=FieldValueForbidden,fieldPath=".external"
type Metric struct {
	// +required
	Type MetricType `json:"type"`

	// +optional
	Resource *ResourceMetric `json:"resource,omitempty"`

	// +optional
	Pods *PodsMetric `json:"pods,omitempty"`

	// +optional
	External *ExternalMetric `json:"external,omitempty"`
}

// ScalePolicySpec defines the desired state of ScalePolicy.
// +kubebuilder:validation:XValidation:rule="self.maxReplicas >= self.minReplicas",message="must be at least minReplicas",fieldPath=".maxReplicas"
type ScalePolicySpec struct {
	// targetRef names the workload. It cannot be changed.
	// +required
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable"
	TargetRef *TargetReference `json:"targetRef"`

	// minReplicas that are kept at any time.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	MinReplicas *int32 `json:"minReplicas,omitempty"`

	// maxReplicas that are never exceeded.
	// +required
	// +kubebuilder:validation:Maximum=1000
	MaxReplicas *int32 `json:"maxReplicas"`

	// mode says who decides about replicas.
	// +optional
	// +kubebuilder:default=Auto
	Mode ScaleMode `json:"mode,omitempty"`

	// cooldownSeconds between two changes.
	// +optional
	// +kubebuilder:default=300
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	CooldownSeconds *int32 `json:"cooldownSeconds,omitempty"`

	// schedule of replicas.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Schedule []ScheduleEntry `json:"schedule,omitempty"`

	// windows in which replicas may change, such as "Mon-Fri 08:00-18:00".
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=64
	Windows []string `json:"windows,omitempty"`

	// metrics that are followed; the highest result counts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Metrics []Metric `json:"metrics,omitempty"`
}

// ScalePolicyStatus defines the observed state of ScalePolicy.
type ScalePolicyStatus struct {
	// replicas that were last set.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`

	// conditions of the policy.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sp
// +kubebuilder:printcolumn:name="Mode",type=string,JSONPath=`.spec.mode`

// ScalePolicy is the Schema for the scalepolicies API.
type ScalePolicy struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +required
	Spec ScalePolicySpec `json:"spec"`

	// +optional
	Status ScalePolicyStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// ScalePolicyList contains a list of ScalePolicy.
type ScalePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ScalePolicy `json:"items"`
}

func init() {
	SchemeBuilder.Register(&ScalePolicy{}, &ScalePolicyList{})
}
