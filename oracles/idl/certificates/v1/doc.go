// Package v1 declares the kinds of the API group `certificates.k8s.io`, version v1, that have declarative rules.
//
// +groupName=certificates.k8s.io
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1
