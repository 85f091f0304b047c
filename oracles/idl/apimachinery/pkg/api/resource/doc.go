// Package resource declares the amount type of resources.
package resource
