//go:build !amd64 || noasm

package gatherelements

// assembly returns nil: there is none.
func assembly[T any, I indexType](*plan) kernel[T, I] { return nil }
