// Package v1 declares kinds of coordination.k8s.io, version v1, without declarative rules.
//
// +groupName=coordination.k8s.io
package v1
