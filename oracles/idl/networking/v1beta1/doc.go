// Package v1beta1 declares the kinds of the API group `networking.k8s.io`, version v1beta1, that have declarative rules.
//
// +groupName=networking.k8s.io
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1beta1
