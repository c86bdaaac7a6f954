package unary

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func opOf(t testing.TB, name string) *ops.Op {
	t.Helper()
	for i := range Ops {
		if Ops[i].Type == name {
			return &Ops[i]
		}
	}
	t.Fatalf("no layer type %s", name)
	return nil
}

func TestInfer(t *testing.T) {
	for _, c := range []struct {
		op    string
		input ir.ElementType
		shape string
		want  string
	}{
		{"Relu", ir.F16, "[2,?,3..5]", "f16[2,?,3..5]"},
		{"Relu", ir.F32, "[...]", "f32[...]"},
		{"Exp", ir.I32, "[]", "i32[]"},
		{"Abs", ir.Dynamic, "[0]", "dynamic[0]"},
		{"Abs", ir.Boolean, "[2]", "data is boolean, which has no arithmetic"},
		{"Sign", ir.String, "[2]", "data is string, which has no arithmetic"},
		{"IsNaN", ir.BF16, "[?]", "boolean[?]"},
		{"IsFinite", ir.I32, "[?]", "data is i32, expected a floating-point type"},
		{"Mish", ir.NF4, "[2]", "data is nf4, expected a floating-point type"},
		{"SoftPlus", ir.Dynamic, "[2]", "dynamic[2]"},
		{"LogicalNot", ir.Boolean, "[2]", "boolean[2]"},
		{"LogicalNot", ir.F32, "[2]", "f32[2]"},
		{"BitwiseNot", ir.U4, "[2]", "u4[2]"},
		{"BitwiseNot", ir.F32, "[2]", "data is f32, expected integers or booleans"},
	} {
		s, err := ir.ParsePartialShape(c.shape)
		require.NoError(t, err)
		in := &ops.Inference{Inputs: []ir.Fact{{Type: c.input, Shape: s}}, Outputs: make([]ir.Fact, 1)}
		got := ""
		if err := opOf(t, c.op).Infer(in); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%v%v", in.Outputs[0].Type, in.Outputs[0].Shape)
		}
		assert.Equal(t, c.want, got, "%s of %v%s", c.op, c.input, c.shape)
	}
}

func TestBounds(t *testing.T) {
	known := ir.Interval{Min: math.MinInt64, Max: math.MaxInt64}
	for _, c := range []struct {
		op       string
		t        ir.ElementType
		in, want ir.Interval
	}{
		{"Abs", ir.I64, ir.Interval{Min: 2, Max: 5}, ir.Interval{Min: 2, Max: 5}},
		{"Abs", ir.I64, ir.Interval{Min: -5, Max: -2}, ir.Interval{Min: 2, Max: 5}},
		{"Abs", ir.I64, ir.Interval{Min: -2, Max: 3}, ir.Interval{Min: 0, Max: 3}},
		{"Abs", ir.I64, ir.Interval{Min: -4, Max: 3}, ir.Interval{Min: 0, Max: 4}},
		{"Abs", ir.I64, ir.Interval{Min: -4, Max: math.MaxInt64}, known},
		{"Abs", ir.I8, ir.Interval{Min: -128, Max: 0}, known}, // -128 is its own absolute value
	} {
		in := &ops.Inference{
			Inputs:  []ir.Fact{{Type: c.t, Shape: ir.StaticShape(1), Values: []ir.Interval{c.in}}},
			Outputs: make([]ir.Fact, 1),
		}
		op := opOf(t, c.op)
		require.NoError(t, op.Infer(in))
		op.Bounds(in)
		assert.Equal(t, []ir.Interval{c.want}, in.Outputs[0].Values, "%s of %v", c.op, c.in)
	}
	for _, c := range []struct{ op, in, want string }{
		{"Abs", "f32[5]=2.5..3,-3..-2.5,-3..2,-2..3,?", "f32[5]=2.5..3,2.5..3,0..3,0..3,?"},
		{"Abs", "f64[2]=-2..,2.5..", "f64[2]=?,2.5.."},
		{"Clamp", "f32[6]=0..9,-2..2,?,3..,7..9,3", "f32[6]=1.5..6.5,1.5..2,?,3..6.5,6.5,3"},
		{"Clamp", "i64[3]=0..9,?,3..", "i64[3]=2..6,?,3..6"},
	} {
		attributes := layertest.Attributes{"min", "1.5", "max", "6.5"}
		if c.op == "Abs" {
			attributes = nil
		}
		got, err := layertest.Infer(t, opOf(t, c.op), attributes, c.in)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%s of %s", c.op, c.in)
	}
	assert.Nil(t, opOf(t, "Exp").Bounds)
	assert.Nil(t, opOf(t, "LogicalNot").Bounds)
}

// compute returns the output of a layer, which must have the same bits in every way to run it.
func compute(t *testing.T, op *ops.Op, attributes layertest.Attributes, data *ir.Tensor) *ir.Tensor {
	t.Helper()
	var out *ir.Tensor
	layertest.CheckRuns(t, op, attributes, []*ir.Tensor{data}, func(r layertest.Result) {
		require.NoError(t, r.Err, r.Layer)
		if out == nil {
			out = r.Output
		}
		require.Equal(t, out.Bytes(), r.Output.Bytes(), r.Layer)
	})
	return out
}

// reference holds the definition of each function for real numbers.
var reference = map[string]func(x float64) float64{
	"Abs": math.Abs, "Acos": math.Acos, "Asin": math.Asin, "Atan": math.Atan, "Ceiling": math.Ceil, "Cos": math.Cos,
	"Acosh":    func(x float64) float64 { return math.Log(x + math.Sqrt(x*x-1)) },
	"Asinh":    func(x float64) float64 { return math.Copysign(math.Log(math.Abs(x)+math.Sqrt(x*x+1)), x) },
	"Atanh":    func(x float64) float64 { return math.Log((1+x)/(1-x)) / 2 },
	"Cosh":     func(x float64) float64 { return (math.Exp(x) + math.Exp(-x)) / 2 },
	"Erf":      func(x float64) float64 { return 1 - math.Erfc(x) },
	"ErfInv":   func(x float64) float64 { return math.Erfcinv(1 - x) },
	"Exp":      math.Exp,
	"Floor":    math.Floor,
	"HSigmoid": func(x float64) float64 { return math.Min(math.Max(x+3, 0), 6) / 6 },
	"HSwish":   func(x float64) float64 { return x * math.Min(math.Max(x+3, 0), 6) / 6 },
	"Log":      math.Log,
	"Mish":     func(x float64) float64 { return x * math.Tanh(math.Log(math.Exp(x)+1)) },
	"Negative": func(x float64) float64 { return -x },
	"Relu":     func(x float64) float64 { return math.Max(x, 0) },
	"Sigmoid":  func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"Sign": func(x float64) float64 {
		if x == 0 {
			return x
		}
		return math.Copysign(1, x)
	},
	"Sin": math.Sin, "Sqrt": math.Sqrt, "Tan": math.Tan,
	"Sinh":     func(x float64) float64 { return (math.Exp(x) - math.Exp(-x)) / 2 },
	"SoftPlus": func(x float64) float64 { return math.Log(math.Exp(x) + 1) },
	"SoftSign": func(x float64) float64 { return x / (1 + math.Abs(x)) },
	"Tanh":     func(x float64) float64 { e := math.Exp(2 * x); return 1 - 2/(e+1) },
}

func TestKernels_floats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, op := range Ops {
		f := reference[op.Type]
		if f == nil {
			continue
		}
		for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-9, ir.F32: 1e-6, ir.F16: 1e-3, ir.BF16: 8e-3} {
			for _, n := range []int{0, 1, 7, 2048, 20011} {
				data, err := ir.NewTensor(elementType, n)
				require.NoError(t, err)
				x := make([]float64, n)
				for i := range x {
					set(data, i, rng.NormFloat64()*1.5)
					x[i] = get(data, i)
				}
				out := compute(t, &op, nil, data)
				for i := range x {
					want, got := f(x[i]), get(out, i)
					if math.IsNaN(want) || math.IsInf(want, 0) {
						assert.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "%s(%v) in %v", op.Type, x[i], elementType)
						continue
					}
					if limit := tolerance * max(1, math.Abs(want)); !(math.Abs(got-want) <= limit) {
						require.InDelta(t, want, got, limit, "%s(%v) in %v", op.Type, x[i], elementType)
					}
				}
			}
		}
	}
}

func set(t *ir.Tensor, i int, x float64) {
	switch t.ElementType() {
	case ir.F64:
		ir.Data[float64](t)[i] = x
	case ir.F32:
		ir.Data[float32](t)[i] = float32(x)
	case ir.F16:
		ir.Data[uint16](t)[i] = float16.Fromfloat32(float32(x)).Bits()
	case ir.BF16:
		ir.Data[half.BFloat16](t)[i] = half.BFloat16Of(float32(x))
	}
}

func get(t *ir.Tensor, i int) float64 {
	switch t.ElementType() {
	case ir.F64:
		return ir.Data[float64](t)[i]
	case ir.F32:
		return float64(ir.Data[float32](t)[i])
	case ir.F16:
		return float64(float16.Frombits(ir.Data[uint16](t)[i]).Float32())
	default:
		return float64(ir.Data[half.BFloat16](t)[i].Float32())
	}
}

func TestKernels_specialFloats(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	in := []float64{nan, inf, -inf, zero, 0}
	for op, want := range map[string][]float64{
		"Relu": {0, inf, 0, 0, 0}, "Abs": {nan, inf, inf, 0, 0}, "Sign": {nan, 1, -1, zero, 0},
		"Negative": {nan, -inf, inf, 0, zero}, "SoftPlus": {nan, inf, 0, math.Ln2, math.Ln2}, "Sigmoid": {nan, 1, 0, 0.5, 0.5},
		"Floor": {nan, inf, -inf, zero, 0}, "Tanh": {nan, 1, -1, zero, 0}, "Log": {nan, inf, nan, -inf, -inf},
		"Sqrt": {nan, inf, nan, zero, 0}, "Exp": {nan, inf, 0, 1, 1}, "Sin": {nan, nan, nan, zero, 0},
	} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.F64} {
			data, err := ir.NewTensor(elementType, len(in))
			require.NoError(t, err)
			for i, x := range in {
				set(data, i, x)
			}
			out := compute(t, opOf(t, op), nil, data)
			for i, w := range want {
				if elementType == ir.F32 {
					w = float64(float32(w))
				}
				assert.Equal(t, fmt.Sprint(w), fmt.Sprint(get(out, i)), "%s(%v) in %v", op, in[i], elementType)
			}
		}
	}
}

func TestKernels_tests(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16} {
		data, err := ir.NewTensor(elementType, 5)
		require.NoError(t, err)
		for i, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -3} {
			set(data, i, x)
		}
		out := compute(t, opOf(t, "IsNaN"), nil, data)
		assert.Equal(t, []bool{true, false, false, false, false}, ir.Data[bool](out))
		out = compute(t, opOf(t, "IsFinite"), nil, data)
		assert.Equal(t, []bool{false, false, false, true, true}, ir.Data[bool](out))
	}
}

func integersTest[T ir.Element](t *testing.T, elementType ir.ElementType, op string, in, want []T) {
	t.Helper()
	data, err := ir.TensorOf(elementType, ir.Shape{len(in)}, append([]T(nil), in...))
	require.NoError(t, err)
	out := compute(t, opOf(t, op), nil, data)
	assert.Equal(t, want, ir.Data[T](out), "%s of %v %v", op, elementType, in)
}

func TestKernels_integers(t *testing.T) {
	integersTest(t, ir.I8, "Abs", []int8{-128, -3, 0, 5}, []int8{-128, 3, 0, 5})
	integersTest(t, ir.I8, "Negative", []int8{-128, -3, 0, 5}, []int8{-128, 3, 0, -5})
	integersTest(t, ir.U8, "Negative", []uint8{0, 1, 255}, []uint8{0, 255, 1})
	integersTest(t, ir.I32, "Relu", []int32{math.MinInt32, -1, 0, 7}, []int32{0, 0, 0, 7})
	integersTest(t, ir.U16, "Relu", []uint16{0, 65535}, []uint16{0, 65535})
	integersTest(t, ir.I64, "Sign", []int64{math.MinInt64, 0, 9}, []int64{-1, 0, 1})
	integersTest(t, ir.U64, "Sign", []uint64{0, math.MaxUint64}, []uint64{0, 1})
	integersTest(t, ir.I16, "Floor", []int16{-7, 3}, []int16{-7, 3})
	integersTest(t, ir.I16, "Ceiling", []int16{-7, 3}, []int16{-7, 3})
	integersTest(t, ir.I32, "BitwiseNot", []int32{0, -1, 5}, []int32{-1, 0, -6})
	integersTest(t, ir.Boolean, "BitwiseNot", []uint8{0, 1, 2}, []uint8{1, 0, 0})
	integersTest(t, ir.Boolean, "LogicalNot", []uint8{0, 1, 2}, []uint8{1, 0, 0})
	// Rounded to the nearest, ties to even, and clamped.
	integersTest(t, ir.I32, "Exp", []int32{0, 1, 2, 3, -1, 40}, []int32{1, 3, 7, 20, 0, math.MaxInt32})
	integersTest(t, ir.U8, "Exp", []uint8{0, 5, 6}, []uint8{1, 148, 255})
	integersTest(t, ir.I8, "Sigmoid", []int8{-2, 0, 1}, []int8{0, 0, 1})
	integersTest(t, ir.I64, "Sqrt", []int64{2, 3, 8, -1}, []int64{1, 2, 3, 0})
	integersTest(t, ir.I8, "Log", []int8{0, 20}, []int8{-128, 3})
	integersTest(t, ir.I64, "Exp", []int64{100, -100}, []int64{math.MaxInt64, 0})
	integersTest(t, ir.I8, "HSwish", []int8{-4, -1, 2, 5}, []int8{0, 0, 2, 5})
	integersTest(t, ir.I8, "HSigmoid", []int8{-4, 0, 1, 5}, []int8{0, 0, 1, 1})
}

func TestPrepare_refuses(t *testing.T) {
	for _, c := range []struct {
		op   string
		fact ir.Fact
		want string
	}{
		{"Relu", ir.Fact{Type: ir.U4, Shape: ir.StaticShape(2)}, "Relu-1 has no kernel for input 0 of type u4"},
		{"LogicalNot", ir.Fact{Type: ir.F32, Shape: ir.StaticShape(2)}, "LogicalNot-1 has no kernel for input 0 of type f32, only for [boolean]"},
		{"BitwiseNot", ir.Fact{Type: ir.F16, Shape: ir.StaticShape(2)}, "BitwiseNot-13 has no kernel for input 0 of type f16"},
		{"Mish", ir.Fact{Type: ir.I32, Shape: ir.StaticShape(2)}, "Mish-4 has no kernel for input 0 of type i32, only for [f32 f64 f16 bf16]"},
		{"Relu", ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(ir.AnyDim)}, "shape [?] is not static"},
	} {
		_, err := opOf(t, c.op).PrepareKernel(&ops.Preparation{Inputs: []ir.Fact{c.fact}, Outputs: []ir.Fact{c.fact}, Threads: 1}, 0)
		assert.ErrorContains(t, err, c.want, c.op)
	}
}

func TestLimits(t *testing.T) {
	lo32, hi32 := limits[int32]()
	assert.Equal(t, []int32{math.MinInt32, math.MaxInt32}, []int32{lo32, hi32})
	lo, hi := limits[int64]()
	assert.Equal(t, []int64{math.MinInt64, math.MaxInt64}, []int64{lo, hi})
	ulo, uhi := limits[uint64]()
	assert.Equal(t, []uint64{0, math.MaxUint64}, []uint64{ulo, uhi})
}

func BenchmarkKernels(b *testing.B) {
	for _, c := range []struct {
		op string
		t  ir.ElementType
	}{{"Relu", ir.F32}, {"Abs", ir.F32}, {"Sqrt", ir.F32}, {"Exp", ir.F32}, {"Sigmoid", ir.F32}, {"Tanh", ir.F32}, {"Erf", ir.F32}, {"Relu", ir.F16}} {
		b.Run(fmt.Sprint(c.op, "_", c.t), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(9, 9))
			data, err := ir.NewTensor(c.t, 100000)
			require.NoError(b, err)
			out, err := ir.NewTensor(c.t, 100000)
			require.NoError(b, err)
			for i := range data.Len() {
				set(data, i, rng.NormFloat64())
			}
			fact := []ir.Fact{{Type: c.t, Shape: data.Shape().Partial()}}
			p := &ops.Preparation{Inputs: fact, Outputs: fact, Threads: 1}
			prepared, err := opOf(b, c.op).Prepare(p)
			require.NoError(b, err)
			r := &ops.Run{Inputs: []*ir.Tensor{data}, Outputs: []*ir.Tensor{out}, Scratch: ir.AlignedBytes(prepared.ScratchBytes)}
			b.SetBytes(int64(len(out.Bytes())))
			b.ReportAllocs()
			for b.Loop() {
				if err := prepared.Kernel(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
