package main

// ScalePolicy is the part of api/v1's type that validation reads.
type ScalePolicy struct {
	Spec ScalePolicySpec `json:"spec"`
}

// ScalePolicySpec says how a workload is scaled.
type ScalePolicySpec struct {
	TargetRef       *TargetReference `json:"targetRef"`
	MinReplicas     *int32           `json:"minReplicas"`
	MaxReplicas     *int32           `json:"maxReplicas"`
	Mode            string           `json:"mode"`
	CooldownSeconds *int32           `json:"cooldownSeconds"`
	Schedule        []ScheduleEntry  `json:"schedule"`
	Windows         []string         `json:"windows"`
	Metrics         []Metric         `json:"metrics"`
}

// TargetReference names the workload.
type TargetReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// ScheduleEntry sets the replicas at certain times.
type ScheduleEntry struct {
	Name     string `json:"name"`
	Cron     string `json:"cron"`
	TimeZone string `json:"timeZone"`
	Replicas *int32 `json:"replicas"`
}

// Metric is a union: Type says which of the others is set.
type Metric struct {
	Type     string          `json:"type"`
	Resource *ResourceMetric `json:"resource"`
	Pods     *PodsMetric     `json:"pods"`
	External *ExternalMetric `json:"external"`
}

// ResourceMetric follows the use of a resource, in percent of what is requested.
type ResourceMetric struct {
	Name              string `json:"name"`
	TargetUtilization *int32 `json:"targetUtilization"`
}

// PodsMetric follows a metric of the pods.
type PodsMetric struct {
	Metric      string `json:"metric"`
	TargetValue *int32 `json:"targetValue"`
}

// ExternalMetric follows the result of a query.
type ExternalMetric struct {
	Query       string `json:"query"`
	TargetValue *int32 `json:"targetValue"`
}
