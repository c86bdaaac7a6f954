//go:build !amd64 || noasm

package adaptivepool

func (m *maxColumns) vectorSet([]float32, *box) (done, known bool) { return false, false }
