package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// FlowSchema assigns requests to a priority level.
type FlowSchema struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              FlowSchemaSpec   `json:"spec,omitempty"`
	Status            FlowSchemaStatus `json:"status,omitempty"`
}

// FlowSchemaSpec says which requests a schema takes, and where they go.
type FlowSchemaSpec struct {
	PriorityLevelConfiguration PriorityLevelConfigurationReference `json:"priorityLevelConfiguration"`
	MatchingPrecedence         int32                               `json:"matchingPrecedence"`
	DistinguisherMethod        *FlowDistinguisherMethod            `json:"distinguisherMethod,omitempty"`
	Rules                      []PolicyRulesWithSubjects           `json:"rules,omitempty"`
}

// FlowSchemaStatus is the state of a schema.
type FlowSchemaStatus struct {
	Conditions []FlowSchemaCondition `json:"conditions,omitempty"`
}

// PriorityLevelConfigurationReference names a priority level.
type PriorityLevelConfigurationReference struct {
	Name string `json:"name"`
}

// FlowDistinguisherMethod says how requests are told apart.
type FlowDistinguisherMethod struct {
	Type FlowDistinguisherMethodType `json:"type"`
}

// PolicyRulesWithSubjects takes requests by who sends them and what they ask for.
type PolicyRulesWithSubjects struct {
	Subjects         []Subject               `json:"subjects"`
	ResourceRules    []ResourcePolicyRule    `json:"resourceRules,omitempty"`
	NonResourceRules []NonResourcePolicyRule `json:"nonResourceRules,omitempty"`
}

// FlowSchemaCondition is the state of one aspect of a schema.
type FlowSchemaCondition struct {
	Type               FlowSchemaConditionType `json:"type,omitempty"`
	Status             ConditionStatus         `json:"status,omitempty"`
	LastTransitionTime metav1.Time             `json:"lastTransitionTime,omitempty"`
	Reason             string                  `json:"reason,omitempty"`
	Message            string                  `json:"message,omitempty"`
}

// FlowDistinguisherMethodType names what tells requests apart.
type FlowDistinguisherMethodType string

const (
	FlowDistinguisherMethodByUserType      FlowDistinguisherMethodType = "ByUser"
	FlowDistinguisherMethodByNamespaceType FlowDistinguisherMethodType = "ByNamespace"
)

// Subject is who sends a request.
type Subject struct {
	Kind           SubjectKind            `json:"kind"`
	User           *UserSubject           `json:"user,omitempty"`
	Group          *GroupSubject          `json:"group,omitempty"`
	ServiceAccount *ServiceAccountSubject `json:"serviceAccount,omitempty"`
}

// ResourcePolicyRule takes requests for resources.
type ResourcePolicyRule struct {
	Verbs        []string `json:"verbs"`
	APIGroups    []string `json:"apiGroups"`
	Resources    []string `json:"resources"`
	ClusterScope bool     `json:"clusterScope,omitempty"`
	Namespaces   []string `json:"namespaces"`
}

// NonResourcePolicyRule takes requests for other paths.
type NonResourcePolicyRule struct {
	Verbs           []string `json:"verbs"`
	NonResourceURLs []string `json:"nonResourceURLs"`
}

// FlowSchemaConditionType names an aspect of a schema.
type FlowSchemaConditionType string

// SubjectKind is a user, a group or a service account.
type SubjectKind string

const (
	SubjectKindUser           SubjectKind = "User"
	SubjectKindGroup          SubjectKind = "Group"
	SubjectKindServiceAccount SubjectKind = "ServiceAccount"
)

// UserSubject names a user.
type UserSubject struct {
	Name string `json:"name"`
}

// GroupSubject names a group.
type GroupSubject struct {
	Name string `json:"name"`
}

// ServiceAccountSubject names a service account.
type ServiceAccountSubject struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}
