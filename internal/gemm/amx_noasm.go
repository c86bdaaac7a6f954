//go:build !amd64 || noasm

package gemm

func hasAMX() bool { return false }
