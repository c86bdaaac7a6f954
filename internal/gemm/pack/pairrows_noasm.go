//go:build noasm || (!amd64 && !arm64)

package pack

func pairRowsVectors(_ bool, _ []Pair, _, _ []float32) int { return 0 }

func pairPanelVectors(_ int, _ []Pair, _ []float32, _, _, _ int) { panic("BUG: no assembly") }

func roundWordsVectors(_ []uint16, _ []float32) bool { return false }

func hasPairPanels() bool { return false }
