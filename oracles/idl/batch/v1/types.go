package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CronJob starts jobs on a schedule.
type CronJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              CronJobSpec   `json:"spec,omitempty"`
	Status            CronJobStatus `json:"status,omitempty"`
}

// CronJobSpec is the schedule and the pattern of the jobs.
type CronJobSpec struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	Schedule string `json:"schedule"`

	TimeZone                   *string           `json:"timeZone,omitempty"`
	StartingDeadlineSeconds    *int64            `json:"startingDeadlineSeconds,omitempty"`
	ConcurrencyPolicy          ConcurrencyPolicy `json:"concurrencyPolicy,omitempty"`
	Suspend                    *bool             `json:"suspend,omitempty"`
	JobTemplate                JobTemplateSpec   `json:"jobTemplate"`
	SuccessfulJobsHistoryLimit *int32            `json:"successfulJobsHistoryLimit,omitempty"`
	FailedJobsHistoryLimit     *int32            `json:"failedJobsHistoryLimit,omitempty"`
}

// ConcurrencyPolicy tells what happens when a run is due before the last one ended.
type ConcurrencyPolicy string

const (
	AllowConcurrent   ConcurrencyPolicy = "Allow"
	ForbidConcurrent  ConcurrencyPolicy = "Forbid"
	ReplaceConcurrent ConcurrencyPolicy = "Replace"
)

// JobTemplateSpec is the metadata and specification that new jobs start from.
type JobTemplateSpec struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              JobSpec `json:"spec,omitempty"`
}

// JobSpec describes how a job runs to its end.
type JobSpec struct {
	Parallelism             *int32                 `json:"parallelism,omitempty"`
	Completions             *int32                 `json:"completions,omitempty"`
	ActiveDeadlineSeconds   *int64                 `json:"activeDeadlineSeconds,omitempty"`
	PodFailurePolicy        *PodFailurePolicy      `json:"podFailurePolicy,omitempty"`
	SuccessPolicy           *SuccessPolicy         `json:"successPolicy,omitempty"`
	BackoffLimit            *int32                 `json:"backoffLimit,omitempty"`
	BackoffLimitPerIndex    *int32                 `json:"backoffLimitPerIndex,omitempty"`
	MaxFailedIndexes        *int32                 `json:"maxFailedIndexes,omitempty"`
	Selector                *metav1.LabelSelector  `json:"selector,omitempty"`
	ManualSelector          *bool                  `json:"manualSelector,omitempty"`
	Template                corev1.PodTemplateSpec `json:"template"`
	TTLSecondsAfterFinished *int32                 `json:"ttlSecondsAfterFinished,omitempty"`
	CompletionMode          *CompletionMode        `json:"completionMode,omitempty"`
	Suspend                 *bool                  `json:"suspend,omitempty"`
	PodReplacementPolicy    *PodReplacementPolicy  `json:"podReplacementPolicy,omitempty"`
	ManagedBy               *string                `json:"managedBy,omitempty"`
}

// PodFailurePolicy decides what failed pods mean for their job.
type PodFailurePolicy struct {
	Rules []PodFailurePolicyRule `json:"rules"`
}

// PodFailurePolicyRule is one step of a pod failure policy.
type PodFailurePolicyRule struct {
	Action          PodFailurePolicyAction                   `json:"action"`
	OnExitCodes     *PodFailurePolicyOnExitCodesRequirement  `json:"onExitCodes,omitempty"`
	OnPodConditions []PodFailurePolicyOnPodConditionsPattern `json:"onPodConditions,omitempty"`
}

// PodFailurePolicyAction is what a matching failure rule does.
type PodFailurePolicyAction string

const (
	PodFailurePolicyActionFailJob   PodFailurePolicyAction = "FailJob"
	PodFailurePolicyActionFailIndex PodFailurePolicyAction = "FailIndex"
	PodFailurePolicyActionIgnore    PodFailurePolicyAction = "Ignore"
	PodFailurePolicyActionCount     PodFailurePolicyAction = "Count"
)

// PodFailurePolicyOnExitCodesRequirement matches exit codes of containers.
type PodFailurePolicyOnExitCodesRequirement struct {
	ContainerName *string                             `json:"containerName,omitempty"`
	Operator      PodFailurePolicyOnExitCodesOperator `json:"operator"`
	Values        []int32                             `json:"values"`
}

// PodFailurePolicyOnExitCodesOperator relates exit codes to a set of codes.
type PodFailurePolicyOnExitCodesOperator string

const (
	PodFailurePolicyOnExitCodesOpIn    PodFailurePolicyOnExitCodesOperator = "In"
	PodFailurePolicyOnExitCodesOpNotIn PodFailurePolicyOnExitCodesOperator = "NotIn"
)

// PodFailurePolicyOnPodConditionsPattern matches a condition of a pod.
type PodFailurePolicyOnPodConditionsPattern struct {
	Type   corev1.PodConditionType `json:"type"`
	Status corev1.ConditionStatus  `json:"status"`
}

// SuccessPolicy decides when an indexed job counts as succeeded.
type SuccessPolicy struct {
	Rules []SuccessPolicyRule `json:"rules"`
}

// SuccessPolicyRule names the indexes that must succeed.
type SuccessPolicyRule struct {
	SucceededIndexes *string `json:"succeededIndexes,omitempty"`
	SucceededCount   *int32  `json:"succeededCount,omitempty"`
}

// CompletionMode tells how the completions of a job are counted.
type CompletionMode string

const (
	NonIndexedCompletion CompletionMode = "NonIndexed"
	IndexedCompletion    CompletionMode = "Indexed"
)

// PodReplacementPolicy tells when a pod that goes away is replaced.
type PodReplacementPolicy string

const (
	TerminatingOrFailed PodReplacementPolicy = "TerminatingOrFailed"
	Failed              PodReplacementPolicy = "Failed"
)

// CronJobStatus is what is known of past and running jobs.
type CronJobStatus struct {
	Active             []corev1.ObjectReference `json:"active,omitempty"`
	LastScheduleTime   *metav1.Time             `json:"lastScheduleTime,omitempty"`
	LastSuccessfulTime *metav1.Time             `json:"lastSuccessfulTime,omitempty"`
}
