//go:build noasm || !amd64

package binaryconvolution

import "github.com/vinoir/vinoir/ir"

func vectorDifferences(_ []int64, _, _, _ []uint64, _ int) bool { return false }

func vectorPack(_ []uint64, _ *ir.Tensor, _, _, _ int) int { return 0 }
