// Package v1beta2 declares the kinds of the API group `resource.k8s.io`, version v1beta2, that have declarative rules.
//
// +groupName=resource.k8s.io
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1beta2
