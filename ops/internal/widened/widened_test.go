package widened

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// op computes a*b + a of i32 and i64, or whether a is less than b, on copies of all other integers.
func op(compares bool) *ops.Op {
	return &ops.Op{
		Type: "Product", Version: 1, Inputs: ops.Exactly(2),
		Infer: func(in *ops.Inference) error {
			in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: in.Inputs[0].Shape}
			if compares {
				in.Outputs[0].Type = ir.Boolean
			}
			return nil
		},
		Prepare: Prepare([]Conversion{I8, U8, I16, U16, U32}, func(p *ops.Preparation) (*ops.Prepared, error) {
			kernel := compute[int32]
			if p.Inputs[0].Type == ir.I64 {
				kernel = compute[int64]
			}
			return &ops.Prepared{Kernel: kernel, ScratchBytes: 8}, nil
		}, 0, 1),
	}
}

func compute[T int32 | int64](r *ops.Run) error {
	a, b := ir.Data[T](r.Inputs[0]), ir.Data[T](r.Inputs[1])
	r.Scratch[7] = 1 // the copies stay as they are
	for i, v := range a {
		if r.Outputs[0].ElementType() == ir.Boolean {
			ir.Data[bool](r.Outputs[0])[i] = v < b[i]
		} else {
			ir.Data[T](r.Outputs[0])[i] = v*b[i] + v
		}
	}
	return nil
}

func TestPrepare(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, elementType := range []ir.ElementType{ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64} {
		for _, n := range []int{0, 1, 7, 3 * grain} {
			a, b := make([]int64, n), make([]int64, n)
			shift := 64 - elementType.Bits()
			wrap := func(v int64) int64 {
				if v <<= shift; elementType.Kind() == ir.KindUnsigned {
					return int64(uint64(v) >> shift)
				}
				return v >> shift
			}
			for i := range a {
				a[i], b[i] = wrap(rng.Int64()), wrap(rng.Int64())
			}
			x, y := layertest.Ints(t, elementType, ir.Shape{n}, a...), layertest.Ints(t, elementType, ir.Shape{n}, b...)
			products, err := layertest.Run(op(false), nil, 3, x, y)
			require.NoError(t, err)
			less, err := layertest.Run(op(true), nil, 3, x, y)
			require.NoError(t, err)
			ints, err := products.Ints()
			require.NoError(t, err)
			for i := range a {
				require.Equal(t, wrap(a[i]*b[i]+a[i]), ints[i], "%v %d %d", elementType, a[i], b[i])
				require.Equal(t, a[i] < b[i], ir.Data[bool](less)[i], "%v %d %d", elementType, a[i], b[i])
			}
			layertest.CheckAllocations(t, op(false), nil, x, y)
		}
	}
}

// TestSaturating narrows numbers at and beyond the limits of each type.
func TestSaturating(t *testing.T) {
	for i := range Saturating {
		c := &Saturating[i]
		lo, hi := int64(0), int64(1)<<c.From.Bits()-1
		if c.From.Kind() == ir.KindSigned {
			hi >>= 1
			lo = ^hi
		}
		numbers := []int64{lo - 1, lo, lo + 1, -1, 0, 1, hi - 1, hi, hi + 1, math.MinInt32, math.MaxInt32}
		wide, narrow := layertest.Ints(t, c.To, ir.Shape{len(numbers)}, numbers...), layertest.Ints(t, c.From, ir.Shape{len(numbers)}, make([]int64, len(numbers))...)
		c.Narrow(narrow.Bytes(), wide.Bytes())
		got, err := narrow.Ints()
		require.NoError(t, err)
		for i, n := range numbers {
			assert.Equal(t, min(max(n, lo), hi), got[i], "%v of %d", c.From, n)
		}
		back := layertest.Ints(t, c.To, ir.Shape{len(numbers)}, make([]int64, len(numbers))...)
		c.Widen(back.Bytes(), narrow.Bytes())
		again, err := back.Ints()
		require.NoError(t, err)
		assert.Equal(t, got, again, "%v", c.From)
	}
}

// TestPrepare_stop asks to stop: the kernel then ends with the error of a stop.
func TestPrepare_stop(t *testing.T) {
	x := layertest.Ints(t, ir.U8, ir.Shape{2}, 1, 2)
	kernel, r, err := layertest.Prepare(op(false), nil, 1, x, x)
	require.NoError(t, err)
	stop := make(chan struct{})
	close(stop)
	r.Stop = stop
	require.ErrorIs(t, kernel(r), parallel.ErrStopped)
}

// TestPrepare_wide prepares tensors that are larger than the address space, alone or together.
func TestPrepare_wide(t *testing.T) {
	for _, length := range []int64{math.MaxInt, math.MaxInt / 8} {
		fact := ir.Fact{Type: ir.U8, Shape: ir.ShapeOf(ir.Dim(length))}
		p := &ops.Preparation{Inputs: []ir.Fact{fact, fact}, Outputs: []ir.Fact{fact}}
		_, err := op(false).Prepare(p)
		assert.Error(t, err)
	}
}

// TestRounded narrows numbers at the limits of all types.
func TestRounded(t *testing.T) {
	wide := []float32{0.5, 1.5, -0.5, -1.5, 126.6, 300, -300, 1e30, -1e30, float32(math.NaN())}
	for elementType, want := range map[ir.ElementType][]int64{
		ir.I8:  {0, 2, 0, -2, 127, 127, -128, 127, -128, 0},
		ir.U8:  {0, 2, 0, 0, 127, 255, 0, 255, 0, 0},
		ir.I16: {0, 2, 0, -2, 127, 300, -300, math.MaxInt16, math.MinInt16, 0},
		ir.U16: {0, 2, 0, 0, 127, 300, 0, math.MaxUint16, 0, 0},
		ir.I32: {0, 2, 0, -2, 127, 300, -300, math.MaxInt32, math.MinInt32, 0},
		ir.U32: {0, 2, 0, 0, 127, 300, 0, math.MaxUint32, 0, 0},
		ir.I64: {0, 2, 0, -2, 127, 300, -300, math.MaxInt64, math.MinInt64, 0},
		ir.U64: {0, 2, 0, 0, 127, 300, 0, -1, 0, 0}, // the largest one
	} {
		c, size := Find(Rounded, elementType), elementType.Size()
		narrow, back := make([]byte, size*len(wide)), make([]float32, 2)
		c.Narrow(narrow, cast.Memory(wide))
		for i, v := range want {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], uint64(v))
			assert.Equal(t, b[:size], narrow[i*size:(i+1)*size], "%v of %v", elementType, wide[i])
		}
		c.Widen(cast.Memory(back), narrow[:2*size])
		assert.Equal(t, []float32{0, 2}, back)
	}
}
