//go:build !amd64 || noasm

package gemm

// HasAMX reports whether there are kernels for tiles of AMX.
func HasAMX() bool { return false }
