package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ValidatingAdmissionPolicy refuses objects by CEL expressions.
type ValidatingAdmissionPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ValidatingAdmissionPolicySpec   `json:"spec,omitempty"`
	Status            ValidatingAdmissionPolicyStatus `json:"status,omitempty"`
}

// ValidatingAdmissionPolicySpec is what a policy refuses, and when.
type ValidatingAdmissionPolicySpec struct {
	ParamKind        *ParamKind         `json:"paramKind,omitempty"`
	MatchConstraints *MatchResources    `json:"matchConstraints,omitempty"`
	Validations      []Validation       `json:"validations,omitempty"`
	FailurePolicy    *FailurePolicyType `json:"failurePolicy,omitempty"`
	AuditAnnotations []AuditAnnotation  `json:"auditAnnotations,omitempty"`
	MatchConditions  []MatchCondition   `json:"matchConditions,omitempty"`
	Variables        []Variable         `json:"variables,omitempty"`
}

// ValidatingAdmissionPolicyStatus is what a server found in the expressions.
type ValidatingAdmissionPolicyStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	TypeChecking       *TypeChecking      `json:"typeChecking,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// ParamKind names the kind that parameters have.
type ParamKind struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
}

// Validation is one expression that has to be true.
type Validation struct {
	Expression        string               `json:"expression"`
	Message           string               `json:"message,omitempty"`
	Reason            *metav1.StatusReason `json:"reason,omitempty"`
	MessageExpression string               `json:"messageExpression,omitempty"`
}

// AuditAnnotation is written into the audit log.
type AuditAnnotation struct {
	Key             string `json:"key"`
	ValueExpression string `json:"valueExpression"`
}

// Variable is an expression that others name.
type Variable struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// TypeChecking holds what is doubtful in the expressions.
type TypeChecking struct {
	ExpressionWarnings []ExpressionWarning `json:"expressionWarnings,omitempty"`
}

// ExpressionWarning is one doubt about an expression.
type ExpressionWarning struct {
	FieldRef string `json:"fieldRef"`
	Warning  string `json:"warning"`
}
