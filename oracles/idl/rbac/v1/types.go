package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Role allows actions within one namespace.
type Role struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Rules []PolicyRule `json:"rules"`
}

// PolicyRule allows verbs on resources or on URLs.
type PolicyRule struct {
	// +k8s:alpha(since: "1.36")=+k8s:required
	Verbs []string `json:"verbs"`

	APIGroups       []string `json:"apiGroups,omitempty"`
	Resources       []string `json:"resources,omitempty"`
	ResourceNames   []string `json:"resourceNames,omitempty"`
	NonResourceURLs []string `json:"nonResourceURLs,omitempty"`
}

// RoleBinding grants a role within one namespace.
type RoleBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Subjects []Subject `json:"subjects,omitempty"`

	RoleRef RoleRef `json:"roleRef"`
}

// Subject is a user, a group or a service account.
type Subject struct {
	Kind     string `json:"kind"`
	APIGroup string `json:"apiGroup,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	Name string `json:"name"`

	Namespace string `json:"namespace,omitempty"`
}

// RoleRef names the role that a binding grants.
type RoleRef struct {
	APIGroup string `json:"apiGroup"`
	Kind     string `json:"kind"`

	// +k8s:alpha(since: "1.36")=+k8s:required
	Name string `json:"name"`
}

// ClusterRole allows actions in the whole cluster.
type ClusterRole struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Rules []PolicyRule `json:"rules"`

	AggregationRule *AggregationRule `json:"aggregationRule,omitempty"`
}

// AggregationRule builds a cluster role out of others.
type AggregationRule struct {
	ClusterRoleSelectors []metav1.LabelSelector `json:"clusterRoleSelectors,omitempty"`
}

// ClusterRoleBinding grants a role in the whole cluster.
type ClusterRoleBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:alpha(since: "1.36")=+k8s:optional
	Subjects []Subject `json:"subjects,omitempty"`

	RoleRef RoleRef `json:"roleRef"`
}
