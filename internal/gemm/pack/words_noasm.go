//go:build !amd64 || noasm

package pack

func widenVectors(_ []Word, _ []uint8, _ uint8) int { return 0 }

func scaleVectors(_ []Sum, _, _ []float32) int { return 0 }
