// Package v1 stands in for the metadata of objects.
package v1

// TypeMeta names version and kind.
type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

// ObjectMeta is the part of the metadata that the test's webhook may read.
type ObjectMeta struct {
	Name      string            `json:"name,omitempty"`
	Namespace string            `json:"namespace,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
}

// ListMeta is empty here.
type ListMeta struct{}
