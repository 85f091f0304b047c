// Package v1 declares the kinds of the API group `apps`, version v1, that have a reference.
//
// +groupName=apps
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1
