// Package v1beta1 declares the kinds of the API group `batch`, version v1beta1, that have declarative rules.
//
// +groupName=batch
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1beta1
