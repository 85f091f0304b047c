// Package scheme stands in for the builder of schemes.
package scheme

import "k8s.io/apimachinery/pkg/runtime/schema"

// Builder belongs to one group and version.
type Builder struct{ GroupVersion schema.GroupVersion }
