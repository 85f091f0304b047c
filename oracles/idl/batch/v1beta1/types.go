package v1beta1

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/api/core/v1"
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
	Spec              batchv1.JobSpec `json:"spec,omitempty"`
}

// CronJobStatus is what is known of past and running jobs.
type CronJobStatus struct {
	Active             []v1.ObjectReference `json:"active,omitempty"`
	LastScheduleTime   *metav1.Time         `json:"lastScheduleTime,omitempty"`
	LastSuccessfulTime *metav1.Time         `json:"lastSuccessfulTime,omitempty"`
}
