// Package v1 declares the kinds of the API group `policy`, version v1, that have a reference.
//
// +groupName=policy
package v1
