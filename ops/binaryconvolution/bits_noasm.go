//go:build noasm || !amd64

package binaryconvolution

func vectorDifferences(_ []int64, _, _, _ []uint64, _ int) bool { return false }

func vectorPack[T any](_ []uint64, _ []T, _, _ int) int { return 0 }
