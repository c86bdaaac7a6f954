package movement

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// halves returns axes of two elements that are swapped, each of which is a segment.
func halves(depth int) [][]Segment {
	axes := make([][]Segment, depth)
	for k := range axes {
		stride := 1 << (depth - 1 - k)
		axes[k] = []Segment{Range(1, stride, stride, 0, stride), Range(1, 0, stride, stride, stride)}
	}
	return axes
}

func preparation(charge func(int64) error) *ops.Preparation {
	return &ops.Preparation{Outputs: []ir.Fact{{Type: ir.U8}}, Charge: charge}
}

// TestPieces_order swaps the elements of all axes, which reverses the tensor.
func TestPieces_order(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.U4, ir.String, ir.Complex128} {
		p := preparation(nil)
		p.Outputs[0].Type = elementType
		kernel, err := Pieces(p, halves(5), false)
		require.NoError(t, err)
		in, err := ir.NewTensor(elementType, 32)
		require.NoError(t, err)
		out, err := ir.NewTensor(elementType, 32)
		require.NoError(t, err)
		for i := range 32 {
			switch {
			case elementType == ir.String:
				in.Strings()[i] = string(rune('a' + i))
			case elementType == ir.U4:
				in.SetPacked(i, uint8(i)%16)
			default:
				in.Bytes()[i*elementType.Size()] = byte(i)
			}
		}
		require.NoError(t, kernel(&ops.Run{Inputs: []*ir.Tensor{in}, Outputs: []*ir.Tensor{out}}))
		for i := range 32 {
			switch {
			case elementType == ir.String:
				require.Equal(t, in.Strings()[31-i], out.Strings()[i])
			case elementType == ir.U4:
				require.Equal(t, in.Packed(31-i), out.Packed(i))
			default:
				require.Equal(t, in.Bytes()[(31-i)*elementType.Size()], out.Bytes()[i*elementType.Size()])
			}
		}
	}
}

// TestPieces_reserve has thousands of pieces, whose memory must be reserved.
func TestPieces_reserve(t *testing.T) {
	reserved := int64(0)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kernel, err := Pieces(preparation(func(n int64) error { reserved += n; return nil }), halves(12), true)
	require.NoError(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kernel)
	kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	assert.Greater(t, kept, int64(1<<18))
	assert.LessOrEqual(t, kept, reserved+1<<14)

	_, err = Pieces(preparation(ops.UpTo(1<<16)), halves(60), false)
	require.Error(t, err)
	_, err = Pieces(preparation(ops.UpTo(1<<16)), halves(12), false)
	require.ErrorContains(t, err, "more than the limit")
}

// TestPieces_stop stops before many pieces are made.
func TestPieces_stop(t *testing.T) {
	done := make(chan struct{})
	close(done)
	p := preparation(nil)
	p.Stop = done
	_, err := Pieces(p, halves(15), false)
	require.Equal(t, parallel.ErrStopped, err)
}
