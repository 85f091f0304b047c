// Package v2 declares the kinds of the API group `autoscaling`, version v2, that have declarative rules.
//
// +groupName=autoscaling
// +k8s:validation-gen=TypesWithField=TypeMeta
package v2
