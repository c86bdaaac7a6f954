//go:build !linux

package cpu

// fastCores returns n: only Linux says how fast cores are.
func fastCores(n int) int { return n }
