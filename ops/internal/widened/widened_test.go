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
		for _, n := range []int{0, 1, 7, 3 << 14} {
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

// TestPrepare_division measures how the work of the inner kernel is divided.
func TestPrepare_division(t *testing.T) {
	var got *parallel.Division
	product := op(false)
	product.Prepare = Prepare([]Conversion{U8}, func(*ops.Preparation) (*ops.Prepared, error) {
		return &ops.Prepared{Kernel: func(r *ops.Run) error {
			got = r.Division
			return nil
		}}, nil
	}, 0, 1)
	x := layertest.Ints(t, ir.U8, ir.Shape{2}, 1, 2)
	kernel, r, err := layertest.Prepare(product, nil, 1, x, x)
	require.NoError(t, err)
	r.Division = new(parallel.Division)
	require.NoError(t, kernel(r))
	assert.Same(t, r.Division, got)
}

// TestPrepare_wide prepares tensors that are larger than the address space, alone or together.
func TestPrepare_wide(t *testing.T) {
	for _, length := range []int64{math.MaxInt, math.MaxInt / 8} {
		fact := ir.Fact{Type: ir.U8, Shape: ir.ShapeOf(ir.Dim(length))}
		p := &ops.Preparation{Inputs: []ir.Fact{fact, fact}, Outputs: []ir.Fact{fact}}
		_, err := op(false).PrepareKernel(p, math.MaxInt)
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

// TestElementwise computes x*factor + 1, or whether x is above factor, of all halves and integers.
func TestElementwise(t *testing.T) {
	conversions := append(Halves[:2:2], Saturating[:4]...)
	op := func(compares bool) *ops.Op {
		return &ops.Op{
			Type: "Scale", Version: 1, Inputs: ops.Exactly(2), Memory: ops.Memory{InPlace: []int{0}},
			Infer: func(in *ops.Inference) error {
				in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: in.Inputs[0].Shape}
				if compares {
					in.Outputs[0].Type = ir.Boolean
				}
				return nil
			},
			Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
				n := p.InputShape(0).Elements()
				c := Find(conversions, p.Inputs[0].Type)
				if c.To == ir.F32 {
					return Elementwise(p, c, n, 2, scale[float32]), nil
				}
				return Elementwise(p, c, n, 2, scale[int32]), nil
			},
		}
	}
	for i := range conversions {
		for _, n := range []int{0, 1, maxBlock - 1, 2*maxBlock + 3, 5 << 13} {
			values := make([]float64, n)
			for k := range values {
				values[k] = float64(k % 20)
			}
			x := layertest.Numbers(t, conversions[i].From, ir.Shape{n}, values...)
			factor := layertest.Numbers(t, conversions[i].From, ir.Shape{}, 3)
			above, err := layertest.Run(op(true), nil, 3, x, factor)
			require.NoError(t, err)
			scaled, err := layertest.RunInPlace(op(false), nil, 3, x, factor)
			require.NoError(t, err)
			got := layertest.Floats(t, scaled)
			for k, v := range values {
				require.Equal(t, 3*v+1, got[k], "%v %d", conversions[i].From, k)
				require.Equal(t, v > 3, ir.Data[bool](above)[k], "%v %d", conversions[i].From, k)
			}
			layertest.CheckAllocations(t, op(false), nil, x, factor)
		}
	}
}

func scale[T int32 | float32](out, x, parameters []byte) {
	factor := cast.Bytes[T](parameters)[0]
	if len(out) == len(x) {
		for i, v := range cast.Bytes[T](x) {
			cast.Bytes[T](out)[i] = v*factor + 1
		}
		return
	}
	for i, v := range cast.Bytes[T](x) {
		cast.Bytes[bool](out)[i] = v > factor
	}
}

// TestPrepareConstants adds constant weights, which the kernel of f32 releases or reads.
func TestPrepareConstants(t *testing.T) {
	x, weights := layertest.Numbers(t, ir.F16, ir.Shape{2}, 1, 2), layertest.Numbers(t, ir.F16, ir.Shape{2}, 30, 40)
	for _, releases := range []bool{false, true} {
		charged := int64(0)
		p := &ops.Preparation{
			Inputs:  []ir.Fact{{Type: ir.F16, Shape: x.Shape().Partial()}, {Type: ir.F16, Shape: x.Shape().Partial(), Tensor: weights}},
			Outputs: []ir.Fact{{Type: ir.F16, Shape: x.Shape().Partial()}},
			Charge:  func(bytes int64) error { charged += bytes; return nil },
		}
		prepared, err := PrepareConstants(Halves, func(p *ops.Preparation) (*ops.Prepared, error) {
			assert.Nil(t, p.Inputs[0].Tensor)
			seen := append([]float32(nil), ir.Data[float32](p.Inputs[1].Tensor)...)
			inner := &ops.Prepared{Kernel: func(r *ops.Run) error {
				w := seen
				if !releases {
					w = ir.Data[float32](r.Inputs[1])
				}
				for i, v := range ir.Data[float32](r.Inputs[0]) {
					ir.Data[float32](r.Outputs[0])[i] = v + w[i]
				}
				return nil
			}}
			if releases {
				inner.Released = []int{1}
			}
			return inner, nil
		}, 0, 1)(p)
		require.NoError(t, err)
		assert.Equal(t, []int{1}, prepared.Released)
		assert.Equal(t, map[bool]int64{false: 8, true: 0}[releases], charged)
		out := layertest.Numbers(t, ir.F16, ir.Shape{2})
		empty := layertest.Numbers(t, ir.F16, ir.Shape{0})
		require.NoError(t, prepared.Kernel(&ops.Run{
			Inputs: []*ir.Tensor{x, empty}, Outputs: []*ir.Tensor{out}, Scratch: ir.AlignedBytes(prepared.ScratchBytes),
		}))
		assert.Equal(t, []float64{31, 42}, layertest.Floats(t, out))
	}
}

// TestConversion_pieces loads and stores more elements than a piece.
func TestConversion_pieces(t *testing.T) {
	x := layertest.Numbers(t, ir.U32, ir.Shape{piece + 9})
	for i := range ir.Data[uint32](x) {
		ir.Data[uint32](x)[i] = uint32(i)
	}
	wide, back := make([]int64, piece+4), layertest.Numbers(t, ir.U32, ir.Shape{piece + 9})
	U32.Load(nil, cast.Memory(wide), x, 2)
	assert.Equal(t, int64(2), wide[0])
	assert.Equal(t, int64(piece+5), wide[piece+3])
	U32.Store(nil, back, 3, cast.Memory(wide))
	assert.Equal(t, uint32(2), ir.Data[uint32](back)[3])
	assert.Equal(t, uint32(piece+5), ir.Data[uint32](back)[piece+6])
	assert.Equal(t, uint32(0), ir.Data[uint32](back)[piece+7])
}
