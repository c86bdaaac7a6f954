package builtin

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// The tests of this file check the tables of NUMBERS.md, with integers of any size as reference.

var integerTypes = []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64}

// limitsOf returns the least and the greatest value of an integer type.
func limitsOf(t ir.ElementType) (lo, hi *big.Int) {
	power := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	if t.Kind() == ir.KindUnsigned {
		return new(big.Int), power.Sub(power, big.NewInt(1))
	}
	power.Rsh(power, 1)
	return new(big.Int).Neg(power), new(big.Int).Sub(power, big.NewInt(1))
}

// wrapped returns the value of type t that has the low bits of x.
func wrapped(t ir.ElementType, x *big.Int) *big.Int {
	power := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	r := new(big.Int).Mod(x, power)
	if _, hi := limitsOf(t); r.Cmp(hi) > 0 {
		r.Sub(r, power)
	}
	return r
}

// operands returns values of type t: its limits, and small numbers.
func operands(t ir.ElementType) []*big.Int {
	lo, hi := limitsOf(t)
	one := big.NewInt(1)
	list := []*big.Int{lo, new(big.Int).Add(lo, one), new(big.Int).Sub(hi, one), hi}
	for _, v := range []int64{-100, -9, -8, -7, -3, -2, -1, 0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 31, 32, 63, 64, 65, 100} {
		if x := big.NewInt(v); x.Cmp(lo) >= 0 {
			list = append(list, x)
		}
	}
	return list
}

// bigTensor returns a vector of the values, which type t must hold.
func bigTensor(t *testing.T, elementType ir.ElementType, values []*big.Int) *ir.Tensor {
	tensor, err := ir.NewTensor(elementType, len(values))
	require.NoError(t, err)
	size := elementType.Size()
	for i, v := range values {
		bits := new(big.Int).And(v, new(big.Int).SetUint64(1<<64-1)).Uint64()
		for b := range size {
			tensor.Bytes()[i*size+b] = byte(bits >> (8 * b))
		}
	}
	return tensor
}

// newest returns the newest revision of a layer type.
func newest(t *testing.T, layerType string) *ops.Op {
	t.Helper()
	var found *ops.Op
	for _, op := range Ops() {
		if op.Type == layerType && op.Namespace == "" && (found == nil || op.Version > found.Version) {
			found = &op
		}
	}
	require.NotNil(t, found, layerType)
	return found
}

// checkIntegers compares a layer with a reference for each element. pick reports whether the
// layer accepts a pair of operands.
func checkIntegers(t *testing.T, layerType string, attributes layertest.Attributes, elementType ir.ElementType, inputs int,
	pick func(a, b *big.Int) bool, exact func(a, b *big.Int) *big.Int) {
	t.Helper()
	op := newest(t, layerType)
	var a, b, want []*big.Int
	for _, x := range operands(elementType) {
		for _, y := range operands(elementType) {
			if pick == nil || pick(x, y) {
				a, b, want = append(a, x), append(b, y), append(want, wrapped(elementType, exact(x, y)))
			}
		}
	}
	tensors := []*ir.Tensor{bigTensor(t, elementType, a), bigTensor(t, elementType, b)}[:inputs]
	layertest.CheckRuns(t, op, attributes, tensors, func(r layertest.Result) {
		t.Helper()
		require.NoError(t, r.Err, r.Layer)
		expected, size := bigTensor(t, elementType, want), elementType.Size()
		for i := range want {
			require.Equal(t, expected.Bytes()[i*size:][:size], r.Output.Bytes()[i*size:][:size],
				"%s of %v and %v, type %v: want %v", layerType, a[i], b[i], elementType, want[i])
		}
	})
}

// TestIntegers checks the layers of two integers or one, for all pairs of operands.
func TestIntegers(t *testing.T) {
	divisor := func(_, b *big.Int) bool { return b.Sign() != 0 }
	floor := func(a, b *big.Int) *big.Int {
		q, r := new(big.Int).QuoRem(a, b, new(big.Int))
		if r.Sign() != 0 && r.Sign() != b.Sign() {
			q.Sub(q, big.NewInt(1))
		}
		return q
	}
	for _, elementType := range integerTypes {
		bits := int64(elementType.Bits())
		inRange := func(b *big.Int) bool { return b.Sign() >= 0 && b.Cmp(big.NewInt(bits)) < 0 }
		for _, c := range []struct {
			layerType  string
			attributes layertest.Attributes
			inputs     int
			pick       func(a, b *big.Int) bool
			exact      func(a, b *big.Int) *big.Int
		}{
			{"Add", nil, 2, nil, func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }},
			{"Subtract", nil, 2, nil, func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }},
			{"Multiply", nil, 2, nil, func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }},
			{"SquaredDifference", nil, 2, nil, func(a, b *big.Int) *big.Int { d := new(big.Int).Sub(a, b); return d.Mul(d, d) }},
			{"Maximum", nil, 2, nil, func(a, b *big.Int) *big.Int {
				if a.Cmp(b) > 0 {
					return a
				}
				return b
			}},
			{"Divide", nil, 2, divisor, floor},
			{"Divide", layertest.Attributes{"m_pythondiv", "false"}, 2, divisor, func(a, b *big.Int) *big.Int { return new(big.Int).Quo(a, b) }},
			{"Mod", nil, 2, divisor, func(a, b *big.Int) *big.Int { return new(big.Int).Rem(a, b) }},
			{"FloorMod", nil, 2, divisor, func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, new(big.Int).Mul(floor(a, b), b)) }},
			{"Power", nil, 2, nil, func(a, b *big.Int) *big.Int { return powerOf(a, b, uint(bits)) }},
			{"BitwiseLeftShift", nil, 2, nil, func(a, b *big.Int) *big.Int {
				if !inRange(b) {
					return new(big.Int)
				}
				return new(big.Int).Lsh(a, uint(b.Int64()))
			}},
			{"BitwiseRightShift", nil, 2, nil, func(a, b *big.Int) *big.Int {
				if !inRange(b) {
					return big.NewInt(int64(min(a.Sign(), 0)))
				}
				return new(big.Int).Rsh(a, uint(b.Int64()))
			}},
			{"Negative", nil, 1, nil, func(a, _ *big.Int) *big.Int { return new(big.Int).Neg(a) }},
			{"Abs", nil, 1, nil, func(a, _ *big.Int) *big.Int { return new(big.Int).Abs(a) }},
			{"Sign", nil, 1, nil, func(a, _ *big.Int) *big.Int { return big.NewInt(int64(a.Sign())) }},
			{"Floor", nil, 1, nil, func(a, _ *big.Int) *big.Int { return a }},
			{"Ceiling", nil, 1, nil, func(a, _ *big.Int) *big.Int { return a }},
			{"Round", layertest.Attributes{"mode", "half_to_even"}, 1, nil, func(a, _ *big.Int) *big.Int { return a }},
		} {
			checkIntegers(t, c.layerType, c.attributes, elementType, c.inputs, c.pick, c.exact)
		}
	}
}

// powerOf returns a to the power of b, of which only the low bits count.
func powerOf(a, b *big.Int, bits uint) *big.Int {
	if b.Sign() >= 0 {
		return new(big.Int).Exp(a, b, new(big.Int).Lsh(big.NewInt(1), bits))
	}
	switch {
	case a.IsInt64() && a.Int64() == 1, a.IsInt64() && a.Int64() == -1 && b.Bit(0) == 0:
		return big.NewInt(1)
	case a.IsInt64() && a.Int64() == -1:
		return big.NewInt(-1)
	}
	return new(big.Int)
}

// TestIntegers_zero checks that a division by zero is an error.
func TestIntegers_zero(t *testing.T) {
	for _, elementType := range integerTypes {
		for _, layerType := range []string{"Divide", "Mod", "FloorMod"} {
			op := newest(t, layerType)
			for _, a := range operands(elementType) {
				inputs := []*ir.Tensor{bigTensor(t, elementType, []*big.Int{big.NewInt(1), a}), bigTensor(t, elementType, []*big.Int{big.NewInt(1), new(big.Int)})}
				layertest.CheckRuns(t, op, nil, inputs, func(r layertest.Result) {
					require.EqualError(t, r.Err, "integer division by zero at output position [1]", r.Layer)
				})
			}
		}
	}
}

// TestIntegers_sums checks the layers that add up or multiply integers.
func TestIntegers_sums(t *testing.T) {
	for _, elementType := range integerTypes {
		lo, hi := limitsOf(elementType)
		for _, x := range [][]*big.Int{{hi, hi, big.NewInt(1)}, {lo, lo, hi}, {hi, big.NewInt(2), big.NewInt(3)}, {lo, new(big.Int), new(big.Int)}} {
			sum, product, squares, absolute := new(big.Int), big.NewInt(1), new(big.Int), new(big.Int)
			for _, v := range x {
				sum.Add(sum, v)
				product.Mul(product, v)
				squares.Add(squares, new(big.Int).Mul(v, v))
				absolute.Add(absolute, new(big.Int).Abs(v))
			}
			accumulator := ir.I64 // the mean adds up in 64 bits
			if elementType.Kind() == ir.KindUnsigned {
				accumulator = ir.U64
			}
			mean := new(big.Int).Quo(wrapped(accumulator, sum), big.NewInt(int64(len(x))))
			data, axes := bigTensor(t, elementType, x), layertest.Ints(t, ir.I64, ir.Shape{1}, 0)
			for layerType, want := range map[string]*big.Int{"ReduceSum": sum, "ReduceProd": product, "ReduceL1": absolute, "ReduceMean": mean} {
				checkOne(t, layerType, elementType, want, data, axes)
			}
			checkOne(t, "MatMul", elementType, squares, data, data)
		}
	}
	for _, c := range []struct{ a, b, want int64 }{{-3, -4, -3}, {3, 4, 3}, {-1, 0, 0}} {
		data := layertest.Ints(t, ir.I32, ir.Shape{2}, c.a, c.b)
		checkOne(t, "ReduceMean", ir.I32, big.NewInt(c.want), data, layertest.Ints(t, ir.I64, ir.Shape{1}, 0))
	}
}

// checkOne compares the only element of a layer's output with the low bits of want.
func checkOne(t *testing.T, layerType string, elementType ir.ElementType, want *big.Int, inputs ...*ir.Tensor) {
	t.Helper()
	expected := bigTensor(t, elementType, []*big.Int{wrapped(elementType, want)})
	layertest.CheckRuns(t, newest(t, layerType), nil, inputs, func(r layertest.Result) {
		t.Helper()
		require.NoError(t, r.Err, r.Layer)
		require.Equal(t, expected.Bytes(), r.Output.Bytes(), "%s: want %v", r.Layer, want)
	})
}

// TestIntegers_convert checks conversions to and from every integer type. The results for floats
// are those of OpenVINO 2026.4.1, where it computes the conversion itself: from f32 to types of
// at most 32 bits.
func TestIntegers_convert(t *testing.T) {
	convert := func(data *ir.Tensor, to ir.ElementType, want []*big.Int) {
		t.Helper()
		op := newest(t, "Convert")
		expected := bigTensor(t, to, want)
		layertest.CheckRuns(t, op, layertest.Attributes{"destination_type", to.String()}, []*ir.Tensor{data}, func(r layertest.Result) {
			t.Helper()
			require.NoError(t, r.Err, r.Layer)
			require.Equal(t, expected.Bytes(), r.Output.Bytes(), "%s: want %v", r.Layer, want)
		})
	}
	for _, from := range integerTypes {
		for _, to := range integerTypes {
			values := operands(from)
			want := make([]*big.Int, len(values))
			for i, v := range values {
				want[i] = wrapped(to, v)
			}
			convert(bigTensor(t, from, values), to, want)
		}
	}
	floats := []float64{0.5, -0.5, 1.5, 2.5, -1.5, 127.6, 128, 255.7, 256, -129, 300, -300, 32768, 65535, 65536, -32769, 2147483520,
		1 << 31, 1 << 32, 3e9, -3e9, 9.3e18, 1e30, math.Inf(1), math.Inf(-1), math.NaN()}
	for to, want := range map[ir.ElementType][]int64{
		ir.I8:  {0, 0, 1, 2, -1, 127, -128, -1, 0, 127, 44, -44, 0, -1, 0, -1, -128},
		ir.U8:  {0, 0, 1, 2, 255, 127, 128, 255, 0, 127, 44, 212, 0, 255, 0, 255, 128},
		ir.I16: {0, 0, 1, 2, -1, 127, 128, 255, 256, -129, 300, -300, -32768, -1, 0, 32767, -128},
		ir.U16: {0, 0, 1, 2, 65535, 127, 128, 255, 256, 65407, 300, 65236, 32768, 65535, 0, 32767, 65408},
		ir.I32: {0, 0, 1, 2, -1, 127, 128, 255, 256, -129, 300, -300, 32768, 65535, 65536, -32769, 2147483520,
			-1 << 31, -1 << 31, -1 << 31, -1 << 31, -1 << 31, -1 << 31, -1 << 31, -1 << 31, -1 << 31},
	} {
		list := make([]*big.Int, len(floats)) // those after the listed ones are 0
		for i := range list {
			list[i] = new(big.Int)
			if i < len(want) {
				list[i] = big.NewInt(want[i])
			}
		}
		convert(layertest.Numbers(t, ir.F32, ir.Shape{len(floats)}, floats...), to, list)
	}
}

// TestIntegers_functions checks functions of integers that are computed in f64.
func TestIntegers_functions(t *testing.T) {
	for _, elementType := range integerTypes {
		_, hi := limitsOf(elementType)
		data := bigTensor(t, elementType, []*big.Int{new(big.Int), big.NewInt(1), big.NewInt(2), hi})
		for layerType, want := range map[string][]*big.Int{
			"Exp":     {big.NewInt(1), big.NewInt(3), big.NewInt(7), hi},
			"Sigmoid": {new(big.Int), big.NewInt(1), big.NewInt(1), big.NewInt(1)},
			"Tanh":    {new(big.Int), big.NewInt(1), big.NewInt(1), big.NewInt(1)},
			"Asin":    {new(big.Int), big.NewInt(2), new(big.Int), new(big.Int)}, // NaN above 1
		} {
			layertest.CheckRuns(t, newest(t, layerType), nil, []*ir.Tensor{data}, func(r layertest.Result) {
				require.NoError(t, r.Err, r.Layer)
				require.Equal(t, bigTensor(t, elementType, want).Bytes(), r.Output.Bytes(), r.Layer)
			})
		}
	}
	data, axes := layertest.Ints(t, ir.I8, ir.Shape{3}, 100, 100, 100), layertest.Ints(t, ir.I64, ir.Shape{1}, 0)
	checkOne(t, "ReduceL2", ir.I8, big.NewInt(173), data, axes)
}

// TestFloats checks the table of floats, for the types that have the values.
func TestFloats(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	axes := layertest.Ints(t, ir.I64, ir.Shape{1}, 0)
	for _, c := range []struct {
		layerType  string
		attributes layertest.Attributes
		a, b, want []float64
	}{
		{"Relu", nil, []float64{nan, -inf, inf}, nil, []float64{0, 0, inf}},
		{"Clamp", layertest.Attributes{"min", "-2", "max", "3"}, []float64{nan, -inf, inf}, nil, []float64{-2, -2, 3}},
		{"Exp", nil, []float64{nan, -inf, inf, zero}, nil, []float64{nan, 0, inf, 1}},
		{"HSigmoid", nil, []float64{nan, -inf, inf}, nil, []float64{nan, 0, 1}},
		{"Gelu", layertest.Attributes{"approximation_mode", "erf"}, []float64{nan, -inf, inf}, nil, []float64{nan, nan, inf}},
		{"Gelu", layertest.Attributes{"approximation_mode", "tanh"}, []float64{nan, -inf, inf}, nil, []float64{nan, nan, inf}},
		{"Swish", nil, []float64{nan, -inf, inf}, nil, []float64{nan, nan, inf}},
		{"Mish", nil, []float64{nan, -inf, inf}, nil, []float64{nan, nan, inf}},
		{"HSwish", nil, []float64{nan, -inf, inf}, nil, []float64{nan, nan, inf}},
		{"SoftSign", nil, []float64{nan, -inf, inf}, nil, []float64{nan, nan, nan}},
		{"Round", layertest.Attributes{"mode", "half_away_from_zero"}, []float64{zero, -0.5, 0.5, nan, inf}, nil, []float64{zero, -1, 1, nan, inf}},
		{"Round", layertest.Attributes{"mode", "half_to_even"}, []float64{zero, -0.5, 0.5, 1.5, 2.5}, nil, []float64{zero, zero, 0, 2, 2}},
		{"Maximum", nil, []float64{nan, 1, zero, 0, 1}, []float64{2, nan, 0, zero, inf}, []float64{2, nan, 0, zero, inf}},
		{"Minimum", nil, []float64{nan, 1, zero, 0, 1}, []float64{2, nan, 0, zero, -inf}, []float64{2, nan, 0, zero, -inf}},
		{"Mod", nil, []float64{1, -1, 1, inf}, []float64{inf, inf, 0, 2}, []float64{1, -1, nan, nan}},
		{"FloorMod", nil, []float64{1, 1, -1, -1, 1}, []float64{inf, -inf, inf, -inf, 0}, []float64{1, -inf, inf, -1, nan}},
		{"Divide", nil, []float64{1, -1, 0, 1}, []float64{0, 0, 0, zero}, []float64{inf, -inf, nan, -inf}},
		{"Power", nil, []float64{nan, 1, 0, zero, -8, -2}, []float64{0, nan, -1, -1, 0.5, 3}, []float64{1, 1, inf, -inf, nan, -8}},
	} {
		for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16} {
			inputs := []*ir.Tensor{layertest.Numbers(t, elementType, ir.Shape{len(c.a)}, c.a...)}
			if c.b != nil {
				inputs = append(inputs, layertest.Numbers(t, elementType, ir.Shape{len(c.b)}, c.b...))
			}
			checkFloats(t, c.layerType, c.attributes, c.want, inputs...)
		}
	}
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16} {
		for _, x := range [][]float64{{nan, 1, 2}, {1, nan, 2}, {1, 2, nan}} {
			data := layertest.Numbers(t, elementType, ir.Shape{3}, x...)
			checkFloats(t, "ReduceMax", nil, []float64{nan}, data, axes)
			checkFloats(t, "ReduceMin", nil, []float64{nan}, data, axes)
		}
		a, b := layertest.Numbers(t, elementType, ir.Shape{3}, nan, 1, nan), layertest.Numbers(t, elementType, ir.Shape{3}, 1, nan, nan)
		for _, layerType := range []string{"Greater", "GreaterEqual", "Less", "LessEqual", "Equal"} {
			layertest.CheckRuns(t, newest(t, layerType), nil, []*ir.Tensor{a, b}, func(r layertest.Result) {
				require.NoError(t, r.Err, r.Layer)
				require.Equal(t, make([]byte, 3), r.Output.Bytes(), r.Layer)
			})
		}
	}
	for elementType, least := range map[ir.ElementType]float64{ir.F32: 0x1p-149, ir.F64: 0x1p-1074, ir.F16: 0x1p-24, ir.BF16: 0x1p-133} {
		a, b := layertest.Numbers(t, elementType, ir.Shape{2}, least, -least), layertest.Numbers(t, elementType, ir.Shape{2}, least, -least)
		checkFloats(t, "Add", nil, []float64{2 * least, -2 * least}, a, b)
		checkFloats(t, "Divide", nil, []float64{1, 1}, a, b)
	}
	checkFloats(t, "Multiply", nil, []float64{0x1p1000}, layertest.Numbers(t, ir.F64, ir.Shape{1}, 0x1p500), layertest.Numbers(t, ir.F64, ir.Shape{1}, 0x1p500))
	const below = 0.49999997 // the greatest f32 below 0.5
	checkFloats(t, "Round", layertest.Attributes{"mode", "half_away_from_zero"}, []float64{0, zero}, layertest.Numbers(t, ir.F32, ir.Shape{2}, below, -below))

	// The window of size 4 has 3 elements: 1 / (1 + 8/4*3), and two elements at the ends.
	lrn := layertest.Attributes{"alpha", "8", "beta", "1", "bias", "1", "size", "4"}
	ones := layertest.Numbers(t, ir.F64, ir.Shape{1, 4}, 1, 1, 1, 1)
	checkFloats(t, "LRN", lrn, []float64{1. / 5, 1. / 7, 1. / 7, 1. / 5}, ones, layertest.Ints(t, ir.I64, ir.Shape{1}, 1))
}

// checkFloats compares the elements of a layer's output, where all NaN are equal and the sign of 0
// counts.
func checkFloats(t *testing.T, layerType string, attributes layertest.Attributes, want []float64, inputs ...*ir.Tensor) {
	t.Helper()
	layertest.CheckRuns(t, newest(t, layerType), attributes, inputs, func(r layertest.Result) {
		t.Helper()
		require.NoError(t, r.Err, r.Layer)
		got := layertest.Floats(t, r.Output)
		require.Len(t, got, len(want), r.Layer)
		for i, w := range want {
			same := got[i] == w && math.Signbit(got[i]) == math.Signbit(w) || got[i] != got[i] && w != w
			require.True(t, same, "%s: element %d is %v, want %v", r.Layer, i, got[i], w)
		}
	})
}
