//go:build !amd64 || noasm

package gatherelements

// assembly returns nil because there is no assembly.
func assembly[T any, I indexType](*plan) kernel[T, I] { return nil }
