//go:build !amd64 || noasm

package lowbit

func bestISA() isa { return portable }

func (m *Matrix) expandVectors(_ []float32, _, _, _, _, _ int) bool { return false }

func (m *Matrix) addGroups(sums *[MaxRows * Columns]float32, x []float32, ldx, rows, block, first, count int) {
	m.addPortable(sums, x, ldx, rows, block, first, count)
}
