// Package v1 declares the metadata, selector and time types that all API groups share.
package v1
