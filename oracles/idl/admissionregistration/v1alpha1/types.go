package v1alpha1

import (
	"k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ValidatingAdmissionPolicyBinding puts an admission policy to work.
type ValidatingAdmissionPolicyBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ValidatingAdmissionPolicyBindingSpec `json:"spec,omitempty"`
}

// ValidatingAdmissionPolicyBindingSpec is the policy, its parameters and where it applies.
type ValidatingAdmissionPolicyBindingSpec struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	PolicyName string `json:"policyName,omitempty"`

	ParamRef       *ParamRef       `json:"paramRef,omitempty"`
	MatchResources *MatchResources `json:"matchResources,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	ValidationActions []ValidationAction `json:"validationActions,omitempty"`
}

// ParamRef names or selects the parameters of a policy.
type ParamRef struct {
	Name                    string                       `json:"name,omitempty"`
	Namespace               string                       `json:"namespace,omitempty"`
	Selector                *metav1.LabelSelector        `json:"selector,omitempty"`
	ParameterNotFoundAction *ParameterNotFoundActionType `json:"parameterNotFoundAction,omitempty"`
}

// ParameterNotFoundActionType tells what happens when no parameters are found.
type ParameterNotFoundActionType string

const (
	AllowAction ParameterNotFoundActionType = "Allow"
	DenyAction  ParameterNotFoundActionType = "Deny"
)

// MatchResources selects the requests that a policy sees.
type MatchResources struct {
	NamespaceSelector    *metav1.LabelSelector     `json:"namespaceSelector,omitempty"`
	ObjectSelector       *metav1.LabelSelector     `json:"objectSelector,omitempty"`
	ResourceRules        []NamedRuleWithOperations `json:"resourceRules,omitempty"`
	ExcludeResourceRules []NamedRuleWithOperations `json:"excludeResourceRules,omitempty"`
	MatchPolicy          *MatchPolicyType          `json:"matchPolicy,omitempty"`
}

// NamedRuleWithOperations is a rule for certain object names.
type NamedRuleWithOperations struct {
	ResourceNames      []string `json:"resourceNames,omitempty"`
	RuleWithOperations `json:",inline"`
}

// RuleWithOperations is a rule for certain operations.
type RuleWithOperations = v1.RuleWithOperations

// MatchPolicyType tells whether equivalent resources match, too.
type MatchPolicyType string

const (
	Exact      MatchPolicyType = "Exact"
	Equivalent MatchPolicyType = "Equivalent"
)

// ValidationAction is what a failed validation leads to.
type ValidationAction string

const (
	Deny  ValidationAction = "Deny"
	Warn  ValidationAction = "Warn"
	Audit ValidationAction = "Audit"
)
