// Package v1 declares the kinds of the API group `autoscaling`, version v1, that have declarative rules.
//
// +groupName=autoscaling
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1
