//go:build !amd64 || noasm

package cpu

func caches() (l1d, l2 int) { return defaultL1D, defaultL2 }
