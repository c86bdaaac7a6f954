package irxml

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestUnalignedConstants(t *testing.T) {
	bin := ir.AlignedBytes(1 + 2*largeBytes)
	for i := range bin {
		bin[i] = byte(i * 7)
	}
	w := &weights{data: bin, size: int64(len(bin))}
	w.init(ReadOptions{Limits: Limits{}.withDefaults()})
	for _, at := range []ir.ConstRange{{Offset: 1, Size: largeBytes}, {Offset: 1, Size: largeBytes}, {Offset: 1, Size: largeBytes - 2}, {Offset: 2, Size: largeBytes}} {
		size := int(at.Size)
		tensor, err := w.tensor(ir.F16, ir.Shape{size / 2}, size, at)
		require.NoError(t, err)
		want := bin[at.Offset:][:size]
		if at.Offset == 1 && size == largeBytes {
			require.NotNil(t, tensor.Unaligned())
			assert.Same(t, &want[0], &tensor.Unaligned()[0])
			assert.NotSame(t, &want[0], &tensor.Bytes()[0])
		} else {
			assert.Nil(t, tensor.Unaligned(), "%v", at)
		}
		assert.True(t, bytes.Equal(want, tensor.Bytes()))
		if at.Offset == 2 {
			assert.Same(t, &want[0], &tensor.Bytes()[0])
		}
	}
	assert.EqualValues(t, 2*largeBytes-2, w.copied, "those of one range are copied once")
}
