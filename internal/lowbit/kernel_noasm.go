//go:build (!amd64 && !arm64) || noasm

package lowbit

import "github.com/vinoir/vinoir/internal/parallel"

func bestISA() isa { return portable }

func (m *Matrix) expandVectors(_ []float32, _, _, _, _, _ int) bool { return false }

func (m *Matrix) addGroups(sums *[MaxRows * Columns]float32, x []float32, ldx, rows, block, first, count int) {
	m.addPortable(sums, x, ldx, rows, block, first, count)
}

func hasSpans() bool { return false }

var spanTiles [0]int

func spanColumns(int) int { return 0 }

func (m *Matrix) addSpans(_ parallel.Stop, _ *[maxSpanTile * Columns]float32, _ []byte, _, _, _ int) {
}

func (l *Layout) round(_ []byte, _, _ []float32, _ int) {}
