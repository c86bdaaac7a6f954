//go:build noasm || (!amd64 && !arm64)

package conv

func quadsVectors(_ []float32, _ *[4][]uint8, _ uint32) bool { return false }

func wordsVectors(_ []float32, _, _ []uint8, _ uint16) int { return 0 }

func flipVectors(_ []float32, _ uint32) int { return 0 }
