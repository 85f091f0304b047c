// Package types declares the identity types of objects.
package types
