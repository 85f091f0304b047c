// Package v1 declares kinds of scheduling.k8s.io, version v1, without declarative rules.
//
// +groupName=scheduling.k8s.io
package v1
