package gatherelements

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// FuzzLayer runs the layer with shapes and indices made from bytes. The first index that is out
// of range must be an error. Otherwise the output must be equal to the reference.
func FuzzLayer(f *testing.F) {
	f.Add(uint8(4), uint8(1), false, uint8(1), uint8(5), uint8(40), uint8(7), []byte{1, 2, 3, 250})
	f.Add(uint8(1), uint8(0), true, uint8(2), uint8(9), uint8(3), uint8(2), []byte{0, 0, 0, 0, 0, 0, 0, 128})
	f.Add(uint8(8), uint8(2), true, uint8(0), uint8(4), uint8(33), uint8(1), []byte{})
	f.Fuzz(func(t *testing.T, et, axis uint8, wide bool, a, b, c, n uint8, values []byte) {
		types := layertest.Types()
		x := types[int(et)%len(types)]
		dataShape := []int{int(a % 5), int(b % 50), int(c % 80)}
		axis %= 3
		indicesShape := []int{int(a % 5), int(b % 50), int(c % 80)}
		indicesShape[axis] = int(n % 90)
		data := fill(t, x, dataShape)

		it, size := ir.I32, 4
		if wide {
			it, size = ir.I64, 8
		}
		given := make([]int64, ir.Shape(indicesShape).Elements())
		first, d := -1, int64(dataShape[axis])
		for i := range given {
			given[i] = int64(i*7) % max(d, 1)
			if len(values) >= size {
				given[i] = int64(int32(binary.LittleEndian.Uint32(values)))
				if wide {
					given[i] = int64(binary.LittleEndian.Uint64(values))
				}
				values = values[size:]
			}
			if first < 0 && (given[i] < -d || given[i] >= d) {
				first = i
			}
		}
		indices, err := ir.TensorOfInts(it, indicesShape, given)
		require.NoError(t, err)
		if first >= 0 {
			_, err := layertest.Run(&Ops[0], axisOf(int64(axis)), 1+int(a)%2, data, indices)
			var at *ops.IndexError
			require.True(t, errors.As(err, &at), "%v", err)
			require.Equal(t, given[first], at.Value)
			return
		}
		want := elements(data, source(dataShape, indicesShape, int(axis), given))
		layertest.CheckElements(t, &Ops[0], axisOf(int64(axis)), indicesShape, want, data, indices)
	})
}
