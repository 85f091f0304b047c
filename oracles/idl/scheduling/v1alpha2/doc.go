// Package v1alpha2 declares the kinds of the API group `scheduling.k8s.io`, version v1alpha2, that have declarative rules.
//
// +groupName=scheduling.k8s.io
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1alpha2
