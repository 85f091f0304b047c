// Package admission stands in for the types of webhooks.
package admission

// Warnings are shown to who sent the object.
type Warnings []string
