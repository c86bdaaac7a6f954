//go:build noasm || (!amd64 && !arm64)

package gemm

func quadVectors(_ []float32, _ *[4][]uint8, _ uint8, _ int) int { return 0 }

func flipVectors(_ []float32, _ uint32) int { return 0 }

func hasQuadPanels() bool { return false }

func quadPanelVectors(_ []float32, _ []uint8, _, _, _ int) { panic("BUG: no assembly") }
