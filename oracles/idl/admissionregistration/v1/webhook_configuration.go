package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ValidatingWebhookConfiguration lists webhooks that may refuse requests.
type ValidatingWebhookConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Webhooks          []ValidatingWebhook `json:"webhooks,omitempty"`
}

// ValidatingWebhook is one webhook that may refuse requests.
type ValidatingWebhook struct {
	Name                    string                `json:"name"`
	ClientConfig            WebhookClientConfig   `json:"clientConfig"`
	Rules                   []RuleWithOperations  `json:"rules,omitempty"`
	FailurePolicy           *FailurePolicyType    `json:"failurePolicy,omitempty"`
	MatchPolicy             *MatchPolicyType      `json:"matchPolicy,omitempty"`
	NamespaceSelector       *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	ObjectSelector          *metav1.LabelSelector `json:"objectSelector,omitempty"`
	SideEffects             *SideEffectClass      `json:"sideEffects"`
	TimeoutSeconds          *int32                `json:"timeoutSeconds,omitempty"`
	AdmissionReviewVersions []string              `json:"admissionReviewVersions"`
	MatchConditions         []MatchCondition      `json:"matchConditions,omitempty"`
}

// MutatingWebhookConfiguration lists webhooks that may change objects of requests.
type MutatingWebhookConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Webhooks          []MutatingWebhook `json:"webhooks,omitempty"`
}

// MutatingWebhook is one webhook that may change objects.
type MutatingWebhook struct {
	Name                    string                  `json:"name"`
	ClientConfig            WebhookClientConfig     `json:"clientConfig"`
	Rules                   []RuleWithOperations    `json:"rules,omitempty"`
	FailurePolicy           *FailurePolicyType      `json:"failurePolicy,omitempty"`
	MatchPolicy             *MatchPolicyType        `json:"matchPolicy,omitempty"`
	NamespaceSelector       *metav1.LabelSelector   `json:"namespaceSelector,omitempty"`
	ObjectSelector          *metav1.LabelSelector   `json:"objectSelector,omitempty"`
	SideEffects             *SideEffectClass        `json:"sideEffects"`
	TimeoutSeconds          *int32                  `json:"timeoutSeconds,omitempty"`
	AdmissionReviewVersions []string                `json:"admissionReviewVersions"`
	ReinvocationPolicy      *ReinvocationPolicyType `json:"reinvocationPolicy,omitempty"`
	MatchConditions         []MatchCondition        `json:"matchConditions,omitempty"`
}

// WebhookClientConfig tells how a webhook is reached.
type WebhookClientConfig struct {
	URL      *string           `json:"url,omitempty"`
	Service  *ServiceReference `json:"service,omitempty"`
	CABundle []byte            `json:"caBundle,omitempty"`
}

// ServiceReference names the service of a webhook.
type ServiceReference struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Path      *string `json:"path,omitempty"`
	Port      *int32  `json:"port,omitempty"`
}

// MatchCondition is an expression that a request must fulfil before a webhook is asked.
type MatchCondition struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// FailurePolicyType tells what becomes of a request when a webhook fails.
type FailurePolicyType string

const (
	Ignore FailurePolicyType = "Ignore"
	Fail   FailurePolicyType = "Fail"
)

// SideEffectClass tells what a webhook does beside its answer.
type SideEffectClass string

const (
	SideEffectClassUnknown      SideEffectClass = "Unknown"
	SideEffectClassNone         SideEffectClass = "None"
	SideEffectClassSome         SideEffectClass = "Some"
	SideEffectClassNoneOnDryRun SideEffectClass = "NoneOnDryRun"
)

// ReinvocationPolicyType tells whether a webhook is asked again after others changed the object.
type ReinvocationPolicyType string

const (
	NeverReinvocationPolicy    ReinvocationPolicyType = "Never"
	IfNeededReinvocationPolicy ReinvocationPolicyType = "IfNeeded"
)
