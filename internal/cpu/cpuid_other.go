//go:build !amd64 || noasm

package cpu

func hasAMXFP16() bool { return false }
