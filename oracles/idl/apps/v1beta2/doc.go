// Package v1beta2 declares the kinds of the API group `apps`, version v1beta2, that have declarative rules.
//
// +groupName=apps
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1beta2
