//go:build noasm || (!amd64 && !arm64)

package levels

func vectorCodes([]uint8, []float32, float32, float32, float32) int { return 0 }

func vectorValues([]float32, []uint8, float32, float32) int { return 0 }

// vectorRows reports that there is no assembly for rows.
func vectorRows([]float32, []byte, int) bool { return false }

// vectorSums computes nothing: Sums uses the assembly of other functions.
func vectorSums(_ []float32, _, _ []uint8, _ *Sum) int { return 0 }

// vectorSumCodes computes nothing, as vectorSums.
func vectorSumCodes(_, _, _ []uint8, _ *Sum) int { return 0 }
