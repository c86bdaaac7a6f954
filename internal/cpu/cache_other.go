//go:build !amd64 || noasm

package cpu

func secondLevel() int { return defaultL2 }
