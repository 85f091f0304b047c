// Package v1 declares the kinds of the core API, version v1, that have declarative rules.
//
// +groupName=
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1
