// Package runtime declares the types that stand for objects of any kind.
package runtime
