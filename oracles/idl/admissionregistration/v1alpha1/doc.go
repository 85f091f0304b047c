// Package v1alpha1 declares the kinds of the API group `admissionregistration.k8s.io`, version v1alpha1, that have declarative rules.
//
// +groupName=admissionregistration.k8s.io
// +k8s:validation-gen=TypesWithField=TypeMeta
package v1alpha1
