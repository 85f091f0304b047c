// Package schema stands in for the names of kinds.
package schema

// GroupVersion names a group in a version.
type GroupVersion struct{ Group, Version string }
