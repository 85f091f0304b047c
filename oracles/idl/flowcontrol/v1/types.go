package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PriorityLevelConfiguration gives a class of API requests its share of the server.
type PriorityLevelConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PriorityLevelConfigurationSpec   `json:"spec,omitempty"`
	Status            PriorityLevelConfigurationStatus `json:"status,omitempty"`
}

// PriorityLevelConfigurationSpec is the kind of a priority level and its limits.
type PriorityLevelConfigurationSpec struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:discriminator
	Type PriorityLevelEnablement `json:"type"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:member("Limited")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:member("Exempt")=+k8s:forbidden
	Limited *LimitedPriorityLevelConfiguration `json:"limited,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:member("Exempt")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:member("Limited")=+k8s:forbidden
	Exempt *ExemptPriorityLevelConfiguration `json:"exempt,omitempty"`
}

// PriorityLevelEnablement tells whether a priority level is limited.
type PriorityLevelEnablement string

const (
	PriorityLevelEnablementExempt  PriorityLevelEnablement = "Exempt"
	PriorityLevelEnablementLimited PriorityLevelEnablement = "Limited"
)

// LimitedPriorityLevelConfiguration limits the requests of a level.
type LimitedPriorityLevelConfiguration struct {
	NominalConcurrencyShares *int32        `json:"nominalConcurrencyShares"`
	LimitResponse            LimitResponse `json:"limitResponse,omitempty"`
	LendablePercent          *int32        `json:"lendablePercent,omitempty"`
	BorrowingLimitPercent    *int32        `json:"borrowingLimitPercent,omitempty"`
}

// LimitResponse is what happens to requests over the limit.
type LimitResponse struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:discriminator
	Type LimitResponseType `json:"type"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	// +k8s:alpha(since: "1.36")=+k8s:member("Queue")=+k8s:required
	// +k8s:alpha(since: "1.36")=+k8s:member("Reject")=+k8s:forbidden
	Queuing *QueuingConfiguration `json:"queuing,omitempty"`
}

// LimitResponseType tells whether requests over the limit wait or fail.
type LimitResponseType string

const (
	LimitResponseTypeQueue  LimitResponseType = "Queue"
	LimitResponseTypeReject LimitResponseType = "Reject"
)

// QueuingConfiguration shapes the queues of a level.
type QueuingConfiguration struct {
	Queues           int32 `json:"queues"`
	HandSize         int32 `json:"handSize"`
	QueueLengthLimit int32 `json:"queueLengthLimit"`
}

// ExemptPriorityLevelConfiguration is the share that an exempt level lends and reserves.
type ExemptPriorityLevelConfiguration struct {
	NominalConcurrencyShares *int32 `json:"nominalConcurrencyShares,omitempty"`
	LendablePercent          *int32 `json:"lendablePercent,omitempty"`
}

// PriorityLevelConfigurationStatus is what was last observed of a priority level.
type PriorityLevelConfigurationStatus struct {
	Conditions []PriorityLevelConfigurationCondition `json:"conditions,omitempty"`
}

// PriorityLevelConfigurationCondition is one observed aspect of a priority level.
type PriorityLevelConfigurationCondition struct {
	Type               PriorityLevelConfigurationConditionType `json:"type,omitempty"`
	Status             ConditionStatus                         `json:"status,omitempty"`
	LastTransitionTime metav1.Time                             `json:"lastTransitionTime,omitempty"`
	Reason             string                                  `json:"reason,omitempty"`
	Message            string                                  `json:"message,omitempty"`
}

// PriorityLevelConfigurationConditionType names an aspect of a priority level.
type PriorityLevelConfigurationConditionType string

// ConditionStatus is the truth value of a condition.
type ConditionStatus string

const (
	ConditionTrue    ConditionStatus = "True"
	ConditionFalse   ConditionStatus = "False"
	ConditionUnknown ConditionStatus = "Unknown"
)
