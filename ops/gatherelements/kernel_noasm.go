//go:build !amd64 || noasm

package gatherelements

// assembly returns nil because there is no assembly.
func assembly[T uint8 | uint16 | uint32 | uint64, I indexType](*plan) kernel { return nil }
