// Package v1alpha3 declares the kinds of the API group `resource.k8s.io`, version v1alpha3, that have declarative rules.
//
// +groupName=resource.k8s.io
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1alpha3
