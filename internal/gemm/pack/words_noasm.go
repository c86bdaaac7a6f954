//go:build !amd64 || noasm

package pack

func widenVectors(_ []float32, _ []uint8, _ uint8) int { return 0 }

func scaleVectors(_, _, _ []float32) int { return 0 }
