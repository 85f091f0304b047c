// Package intstr declares a value that is a number or a text.
package intstr
