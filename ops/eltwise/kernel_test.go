package eltwise

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// referenceInt computes one element of integers or booleans with big integers and wraps the result.
// It returns false if the function is undefined.
func referenceInt(at attributes, t ir.ElementType, x, y int64) (int64, bool) {
	a, b, z := big.NewInt(x), big.NewInt(y), new(big.Int)
	truth := func(holds bool) (int64, bool) {
		if holds {
			return 1, true
		}
		return 0, true
	}
	switch at.f {
	case add:
		z.Add(a, b)
	case subtract:
		z.Sub(a, b)
	case multiply:
		z.Mul(a, b)
	case squaredDifference:
		z.Sub(a, b)
		z.Mul(z, z)
	case maximum:
		z.SetInt64(max(x, y))
	case minimum:
		z.SetInt64(min(x, y))
	case divide, floorDiv, mod, floorMod:
		if y == 0 {
			return 0, false
		}
		q, r := new(big.Int).QuoRem(a, b, new(big.Int))
		down := r.Sign() != 0 && r.Sign() != b.Sign()
		switch {
		case at.f == mod:
			z = r
		case at.f == floorMod && down:
			z.Add(r, b)
		case at.f == floorMod:
			z = r
		case down && (at.floor || at.f == floorDiv):
			z.Sub(q, big.NewInt(1))
		default:
			z = q
		}
	case power:
		if y >= 0 {
			z.Exp(a, b, new(big.Int).Lsh(big.NewInt(1), 64))
		} else if x == 1 || x == -1 {
			z.Exp(a, big.NewInt(-y&1), nil)
		}
	case and:
		z.And(a, b)
	case or:
		z.Or(a, b)
	case xor:
		z.Xor(a, b)
	case leftShift, rightShift:
		places := uint(64)
		if y >= 0 && y < 64 && y < int64(t.Bits()) {
			places = uint(y)
		}
		if at.f == leftShift {
			z.Lsh(a, places)
		} else {
			z.Rsh(a, places)
		}
	case equal:
		return truth(x == y)
	case notEqual:
		return truth(x != y)
	case less:
		return truth(x < y)
	case lessEqual:
		return truth(x <= y)
	case greater:
		return truth(x > y)
	case greaterEqual:
		return truth(x >= y)
	}
	if t == ir.Boolean {
		return z.Int64(), true
	}
	// The low bits, as a signed number if the type is signed.
	z.And(z, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(t.Bits())), big.NewInt(1)))
	if t.Kind() == ir.KindSigned && z.Bit(t.Bits()-1) == 1 {
		z.Sub(z, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits())))
	}
	if z.IsInt64() {
		return z.Int64(), true
	}
	return int64(z.Uint64()), true
}

// referenceFloat computes one element of floats in T.
func referenceFloat[T cast.Float](f function, x, y T) T {
	switch f {
	case add:
		return x + y
	case subtract:
		return x - y
	case multiply:
		return x * y
	case divide:
		return x / y
	case squaredDifference:
		return (x - y) * (x - y)
	case maximum:
		if x > y {
			return x
		}
		return y
	case minimum:
		if x < y {
			return x
		}
		return y
	case power:
		return T(math.Pow(float64(x), float64(y)))
	case mod:
		return T(math.Mod(float64(x), float64(y)))
	default: // floorMod
		r := math.Mod(float64(x), float64(y))
		if r != 0 && (r < 0) != (y < 0) {
			return T(r) + y
		}
		return T(math.Copysign(r, float64(y)))
	}
}

// source returns the index of the element of an input that an element of the output is computed
// from, coordinate by coordinate.
func source(out, in ir.Shape, start, element int) int {
	at := make([]int, len(out))
	for i := len(out) - 1; i >= 0; i-- {
		at[i] = element % out[i]
		element /= out[i]
	}
	index := 0
	for i, n := range in {
		index *= n
		if n > 1 {
			index += at[start+i]
		}
	}
	return index
}

// attributesOf splits attributes that are given as "name=value name=value".
func attributesOf(data string) layertest.Attributes {
	return strings.FieldsFunc(data, func(r rune) bool { return r == ' ' || r == '=' })
}

// randomTensor returns a tensor of small numbers and, among integers, the limits.
func randomTensor(t testing.TB, rng *rand.Rand, elementType ir.ElementType, shape ir.Shape) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(elementType, shape...)
	require.NoError(t, err)
	for i := range tensor.Len() {
		f := float32(math.Round(rng.NormFloat64()*40) / 8)
		switch elementType {
		case ir.String:
			tensor.Strings()[i] = strings.Repeat("é", rng.IntN(3))
		case ir.F32:
			ir.Data[float32](tensor)[i] = f
		case ir.F64:
			ir.Data[float64](tensor)[i] = float64(f)
		case ir.F16:
			ir.Data[uint16](tensor)[i] = float16.Fromfloat32(f).Bits()
		case ir.BF16:
			ir.Data[half.BFloat16](tensor)[i] = half.BFloat16Of(f)
		}
	}
	if !elementType.IsIntegral() {
		return tensor
	}
	lo, hi, _ := elementType.Limits()
	if elementType == ir.Boolean {
		lo, hi = 0, 1
	}
	values := make([]int64, tensor.Len())
	for i := range values {
		values[i] = max(lo, min(hi, rng.Int64N(20)-8))
		if rng.IntN(8) == 0 {
			values[i] = []int64{lo, hi, lo + 1, hi - 1}[rng.IntN(4)]
		}
	}
	filled, err := ir.TensorOfInts(elementType, shape, values)
	require.NoError(t, err)
	return filled
}

// randomShapes returns two shapes that broadcast by the rule in data, and the axis
// at which each starts in the output.
func randomShapes(rng *rand.Rand, sizes []int) (a, b, out ir.Shape, aStart, bStart int, data string) {
	out = make(ir.Shape, rng.IntN(5))
	for i := range out {
		out[i] = sizes[rng.IntN(len(sizes))]
	}
	stretched := func(s ir.Shape) ir.Shape {
		s = append(ir.Shape(nil), s...)
		for i := range s {
			if rng.IntN(3) == 0 {
				s[i] = 1
			}
		}
		return s
	}
	// PaddlePaddle's rule does not stretch b to a length of 0.
	if len(out) > 0 && out.Elements() > 0 && rng.IntN(4) == 0 {
		bStart = rng.IntN(len(out))
		b = stretched(out[bStart : bStart+rng.IntN(len(out)-bStart)+1])
		return out, b, out, 0, bStart, fmt.Sprintf("auto_broadcast=pdpd auto_broadcast.auto_broadcast_axis=%d", bStart)
	}
	aStart, bStart = rng.IntN(len(out)+1), rng.IntN(len(out)+1)
	a, b = stretched(out[aStart:]), stretched(out[bStart:])
	// The output has the shape that a and b broadcast to.
	out = append(ir.Shape(nil), out[min(aStart, bStart):]...)
	aStart, bStart = len(out)-len(a), len(out)-len(b)
	for i := range out {
		out[i] = 1
		for _, n := range []int{at(a, i-aStart), at(b, i-bStart)} {
			if n != 1 {
				out[i] = n
			}
		}
	}
	return a, b, out, aStart, bStart, ""
}

func at(s ir.Shape, i int) int {
	if i < 0 {
		return 1
	}
	return s[i]
}

// check computes op of two random tensors and compares with the reference.
func check(t *testing.T, rng *rand.Rand, op *ops.Op, elementType ir.ElementType, sizes []int) {
	a, b, outShape, aStart, bStart, data := randomShapes(rng, sizes)
	x, y := randomTensor(t, rng, elementType, a), randomTensor(t, rng, elementType, b)
	floor := rng.IntN(2) == 0
	if op.Type == "Divide" {
		data += fmt.Sprintf(" m_pythondiv=%t", floor)
	}
	in, err := inferred(t, op, data, ir.Fact{Type: elementType, Shape: a.Partial()}, ir.Fact{Type: elementType, Shape: b.Partial()})
	require.NoError(t, err)
	require.Equal(t, outShape.String(), in.Outputs[0].Shape.String())
	layer := in.Attributes.(attributes)
	wantErr := false
	want := make([]any, outShape.Elements())
	for i := range want {
		j, k := source(outShape, a, aStart, i), source(outShape, b, bStart, i)
		var ok bool
		if want[i], ok = reference(layer, elementType, x, y, j, k); !ok {
			wantErr = true
		}
	}
	layertest.CheckRuns(t, op, attributesOf(data), []*ir.Tensor{x, y}, func(r layertest.Result) {
		if wantErr {
			require.ErrorContains(t, r.Err, "integer division by zero at output position [", r.Layer)
			return
		}
		require.NoError(t, r.Err, r.Layer)
		for i := range want {
			if w, ok := want[i].(string); ok && layer.f == power && elementType == ir.F32 {
				requireNear(t, w, element(r.Output, i).(string), r.Layer)
				continue
			}
			require.Equal(t, want[i], element(r.Output, i), "%s: element %d", r.Layer, i)
		}
	})
}

// requireNear allows two units in the last place of a float32.
func requireNear(t *testing.T, want, got, name string) {
	t.Helper()
	w, err := strconv.ParseFloat(want, 64)
	require.NoError(t, err)
	g, err := strconv.ParseFloat(got, 64)
	require.NoError(t, err)
	if want != got {
		require.InEpsilon(t, w, g, 0x1p-22, name)
	}
}

// reference returns the value of an element in the format of the function element.
func reference(at attributes, elementType ir.ElementType, x, y *ir.Tensor, j, k int) (any, bool) {
	if elementType.IsIntegral() {
		a, _ := x.Ints()
		b, _ := y.Ints()
		if at.f == divide && at.floor {
			at.f = floorDiv
		}
		return referenceInt(at, elementType, a[j], b[k])
	}
	if elementType == ir.String {
		if (x.Strings()[j] == y.Strings()[k]) == (at.f == equal) {
			return int64(1), true
		}
		return int64(0), true
	}
	p, q := real64(x, j), real64(y, k)
	if compares(at.f) {
		holds := map[function]bool{
			equal: p == q, notEqual: p != q, less: p < q, lessEqual: p <= q, greater: p > q, greaterEqual: p >= q,
		}[at.f]
		if holds {
			return int64(1), true
		}
		return int64(0), true
	}
	switch elementType {
	case ir.F64:
		return text(referenceFloat(at.f, p, q)), true
	case ir.F16:
		return text(float64(float16.Fromfloat32(referenceFloat(at.f, float32(p), float32(q))).Float32())), true
	case ir.BF16:
		return text(float64(half.BFloat16Of(referenceFloat(at.f, float32(p), float32(q))).Float32())), true
	}
	return text(float64(referenceFloat(at.f, float32(p), float32(q)))), true
}

func real64(t *ir.Tensor, i int) float64 {
	switch t.ElementType() {
	case ir.F64:
		return ir.Data[float64](t)[i]
	case ir.F16:
		return float64(float16.Frombits(ir.Data[uint16](t)[i]).Float32())
	case ir.BF16:
		return float64(ir.Data[half.BFloat16](t)[i].Float32())
	}
	return float64(ir.Data[float32](t)[i])
}

// text shows a float so that NaN equals NaN and -0 does not equal 0.
func text(f float64) string { return fmt.Sprint(f) }

func element(t *ir.Tensor, i int) any {
	if t.ElementType().IsIntegral() {
		if t.ElementType() == ir.U64 {
			return int64(ir.Data[uint64](t)[i])
		}
		ints, _ := t.Ints()
		return ints[i]
	}
	return text(real64(t, i))
}

func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range Ops {
		op := &Ops[i]
		if op.Type == "PRelu" {
			continue // has its own broadcasting, see TestPRelu_slopes
		}
		for _, elementType := range op.Types {
			t.Run(fmt.Sprintf("%s/%v", op.Type, elementType), func(t *testing.T) {
				for range 25 {
					check(t, rng, op, elementType, []int{0, 1, 2, 2, 3, 3, 4})
				}
			})
		}
	}
}

// TestKernels_large runs rows long enough for several threads and blocks.
func TestKernels_large(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, c := range []struct {
		op          string
		elementType ir.ElementType
	}{{"Add", ir.F32}, {"Subtract", ir.F16}, {"Less", ir.BF16}, {"Maximum", ir.I32}} {
		for _, shapes := range [][2]ir.Shape{
			{{40009}, {40009}}, {{3, 17001}, {17001}}, {{3, 17001}, {3, 1}}, {{1, 129}, {400, 1}}, {{90, 40, 13}, {90, 1, 13}}, {{}, {50021}},
		} {
			x, y := randomTensor(t, rng, c.elementType, shapes[0]), randomTensor(t, rng, c.elementType, shapes[1])
			op := opOf(t, c.op)
			got, err := layertest.Run(op, nil, 2, x, y)
			require.NoError(t, err)
			in, err := inferred(t, op, "", ir.Fact{Type: c.elementType, Shape: shapes[0].Partial()}, ir.Fact{Type: c.elementType, Shape: shapes[1].Partial()})
			require.NoError(t, err)
			out := got.Shape()
			step := max(len(shapes[0]), len(shapes[1]))
			for range 3000 {
				i := rng.IntN(got.Len())
				j := source(out, shapes[0], step-len(shapes[0]), i)
				k := source(out, shapes[1], step-len(shapes[1]), i)
				// One element of each is enough for the reference.
				want, _ := reference(in.Attributes.(attributes), c.elementType, one(x, j), one(y, k), 0, 0)
				require.Equal(t, want, element(one(got, i), 0), "%s %v %v: element %d", c.op, c.elementType, shapes, i)
			}
		}
	}
}

// one returns element i as a tensor of its own.
func one(t *ir.Tensor, i int) *ir.Tensor {
	size := t.ElementType().Size()
	tensor, err := ir.TensorOfBytes(t.ElementType(), nil, t.Bytes()[i*size:])
	if err != nil {
		panic(err)
	}
	return tensor
}

func tensorOf[T ir.Element](t testing.TB, elementType ir.ElementType, data ...T) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorOf(elementType, ir.Shape{len(data)}, data)
	require.NoError(t, err)
	return tensor
}

func TestKernel_floats(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	zero := float32(math.Copysign(0, -1))
	for _, c := range []struct {
		op         string
		a, b, want []float32
	}{
		{"Maximum", []float32{nan, 1, nan, zero, 0}, []float32{1, nan, nan, 0, zero}, []float32{1, nan, nan, 0, zero}},
		{"Minimum", []float32{nan, 1, zero}, []float32{1, nan, 0}, []float32{1, nan, 0}},
		{"Mod", []float32{5, -5, 5, -5, 7.5, 1, 5}, []float32{3, 3, -3, -3, -2, inf, 0}, []float32{2, -2, 2, -2, 1.5, 1, nan}},
		{"FloorMod", []float32{5, -5, 5, -5, 7.5, 1, -1, 5, 6}, []float32{3, 3, -3, -3, -2, inf, inf, 0, -3}, []float32{2, 1, -1, -2, -0.5, 1, inf, nan, zero}},
		{"Divide", []float32{1, -1, 0}, []float32{0, 0, 0}, []float32{inf, -inf, nan}},
		{"Power", []float32{0, 0, 2, -8, 1, nan, -1.5, 3, zero, -inf}, []float32{0, -1, -1, 0.3, nan, 0, 2, 3, 0.5, 0.5},
			[]float32{1, inf, 0.5, nan, 1, 1, 2.25, 27, 0, inf}},
	} {
		// Rows, and each number against the other as a scalar.
		op := opOf(t, c.op)
		got, err := layertest.Run(op, nil, 2, tensorOf(t, ir.F32, c.a...), tensorOf(t, ir.F32, c.b...))
		require.NoError(t, err)
		for i, want := range c.want {
			assert.Equal(t, text(float64(want)), element(got, i), "%s(%v, %v)", c.op, c.a[i], c.b[i])
			a, b := tensorOf(t, ir.F32, c.a[i]), tensorOf(t, ir.F32, c.b[i])
			for _, pair := range [][2]*ir.Tensor{{tensorOf(t, ir.F32, c.a[i], c.a[i]), b}, {a, tensorOf(t, ir.F32, c.b[i], c.b[i])}} {
				got, err := layertest.Run(op, nil, 2, pair[0], pair[1])
				require.NoError(t, err)
				assert.Equal(t, text(float64(want)), element(got, 1), "%s(%v, %v), one of them a scalar", c.op, c.a[i], c.b[i])
			}
		}
	}
}

func TestPowerScalar(t *testing.T) {
	x := []float32{0, float32(math.Copysign(0, -1)), 1, -2, 0.3, 1e20, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	for _, y := range []float32{2, 3, -1, 0.5, -0.5, 0, 1, -2, 1.7} {
		out := make([]float32, len(x))
		powerScalar(out, x, []float32{y})
		for i := range x {
			assert.Equal(t, text(float64(pow(x[i], y))), text(float64(out[i])), "%v to the %v", x[i], y)
		}
	}
}

func TestKernel_integers(t *testing.T) {
	a := tensorOf[int8](t, ir.I8, 7, -7, 7, -7, math.MinInt8, 6)
	b := tensorOf[int8](t, ir.I8, 2, 2, -2, -2, -1, 4)
	for _, c := range []struct {
		op, data string
		want     []int8
	}{
		{"Divide", "", []int8{3, -4, -4, 3, math.MinInt8, 1}},
		{"Divide", "m_pythondiv=false", []int8{3, -3, -3, 3, math.MinInt8, 1}},
		{"Mod", "", []int8{1, -1, 1, -1, 0, 2}},
		{"FloorMod", "", []int8{1, 1, -1, -1, 0, 2}},
		{"Power", "", []int8{49, 49, 0, 0, 0, 16}},
		{"Multiply", "", []int8{14, -14, -14, 14, math.MinInt8, 24}},
		{"BitwiseLeftShift", "", []int8{28, -28, 0, 0, 0, 96}},
		{"BitwiseRightShift", "", []int8{1, -2, 0, -1, -1, 0}},
	} {
		got, err := layertest.Run(opOf(t, c.op), attributesOf(c.data), 2, a, b)
		require.NoError(t, err)
		assert.Equal(t, c.want, ir.Data[int8](got), c.op)
	}
}

func TestKernel_booleans(t *testing.T) {
	// Every byte but 0 is true.
	a, b := tensorOf[uint8](t, ir.Boolean, 0, 0, 1, 2), tensorOf[uint8](t, ir.Boolean, 0, 4, 0, 1)
	for op, want := range map[string][]uint8{
		"LogicalAnd": {0, 0, 0, 1}, "LogicalOr": {0, 1, 1, 1}, "LogicalXor": {0, 1, 1, 0}, "Xor": {0, 1, 1, 0},
		"BitwiseAnd": {0, 0, 0, 1}, "BitwiseOr": {0, 1, 1, 1}, "BitwiseXor": {0, 1, 1, 0},
	} {
		got, err := layertest.Run(opOf(t, op), nil, 2, a, b)
		require.NoError(t, err)
		assert.Equal(t, want, ir.Data[uint8](got), op)
	}
}

// TestKernel_booleanWords has rows of all lengths around those of words, of bytes with any bits.
func TestKernel_booleanWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	random := func(n int) []uint8 {
		list := make([]uint8, n)
		for i := range list {
			list[i] = []uint8{0, 0, 1, 2, 0x7f, 0x80, 0xff}[rng.IntN(7)]
		}
		return list
	}
	functions := map[string]func(x, y bool) bool{
		"LogicalAnd": func(x, y bool) bool { return x && y },
		"LogicalOr":  func(x, y bool) bool { return x || y },
		"LogicalXor": func(x, y bool) bool { return x != y },
	}
	for n := 1; n < 35; n++ {
		for _, lengths := range [][2]int{{n, n}, {n, 1}, {1, n}} {
			a, b := random(3*lengths[0]), random(3*lengths[1])
			x, err := ir.TensorOf(ir.Boolean, ir.Shape{3, lengths[0]}, a)
			require.NoError(t, err)
			y, err := ir.TensorOf(ir.Boolean, ir.Shape{3, lengths[1]}, b)
			require.NoError(t, err)
			for op, f := range functions {
				want := make([]uint8, 3*n)
				for i := range want {
					if f(a[i*lengths[0]/n] != 0, b[i*lengths[1]/n] != 0) {
						want[i] = 1
					}
				}
				got, err := layertest.Run(opOf(t, op), nil, 1, x, y)
				require.NoError(t, err)
				require.Equal(t, want, ir.Data[uint8](got), "%s of rows of %v elements", op, lengths)
			}
		}
	}
}

func TestKernel_divisionByZero(t *testing.T) {
	a, err := ir.TensorOf(ir.I32, ir.Shape{2, 3}, []int32{1, 2, 3, 4, 5, 6})
	require.NoError(t, err)
	for _, op := range []string{"Divide", "Mod", "FloorMod"} {
		_, err = layertest.Run(opOf(t, op), nil, 2, a, tensorOf[int32](t, ir.I32, 1, 0, 2))
		assert.EqualError(t, err, "integer division by zero at output position [0 1]", op)
		_, err = layertest.Run(opOf(t, op), nil, 2, tensorOf[int32](t, ir.I32, 1), tensorOf[int32](t, ir.I32, 0))
		assert.EqualError(t, err, "integer division by zero at output position [0]", op)
	}
}

func TestPrepare_refuses(t *testing.T) {
	op := opOf(t, "Add")
	fact := func(elementType ir.ElementType, text string) ir.Fact {
		return ir.Fact{Type: elementType, Shape: shape(t, text)}
	}
	prepareAs := func(a, b, out ir.Fact) error {
		in, err := inferred(t, op, "", a, b)
		require.NoError(t, err)
		_, err = op.PrepareKernel(&ops.Preparation{Attributes: in.Attributes, Inputs: in.Inputs, Outputs: []ir.Fact{out}, Threads: 1}, math.MaxInt)
		return err
	}
	f := fact(ir.F32, "[2]")
	assert.ErrorContains(t, prepareAs(fact(ir.U4, "[2]"), fact(ir.U4, "[2]"), fact(ir.U4, "[2]")), "Add-1 has no kernel for input 0 of type u4, only for [f32 ")
	assert.EqualError(t, prepareAs(f, fact(ir.F32, "[?]"), f), "shape [?] is not static")
	assert.EqualError(t, prepareAs(f, f, fact(ir.F32, "[3]")), "input 0 is [2], which does not broadcast to [3]")
	assert.EqualError(t, prepareAs(fact(ir.F32, "[1]"), f, fact(ir.F32, "[3]")), "input 1 is [2], which does not broadcast to [3]")
}

// FuzzKernels tests random shapes that broadcast, with every function and type.
func FuzzKernels(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 3))
		op := &Ops[rng.IntN(len(Ops))]
		if op.Type == "PRelu" {
			return // has its own broadcasting, see TestPRelu_slopes
		}
		check(t, rng, op, op.Types[rng.IntN(len(op.Types))], []int{0, 1, 1, 2, 3, 5, 8})
	})
}

func BenchmarkKernels(b *testing.B) {
	for _, c := range []struct {
		op, a, b string
		t        ir.ElementType
	}{
		{"Add", "1000,1000", "1000,1000", ir.F32}, {"Add", "1000,1000", "1000", ir.F32}, {"Multiply", "1000,1000", "1000,1", ir.F32},
		{"Maximum", "1000,1000", "", ir.F32}, {"Add", "64,64", "64,64", ir.F32}, {"Add", "1000,1000", "1000,1000", ir.F16},
		{"Add", "100000,3", "3", ir.F32}, {"Power", "100,1000", "", ir.F32}, {"Less", "1000,1000", "1000,1000", ir.F32},
		{"FloorMod", "100,1000", "", ir.I64}, {"Divide", "100,1000", "1000", ir.I32},
	} {
		b.Run(strings.Join([]string{c.op, c.t.String(), c.a, c.b}, "_"), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(9, 9))
			op := opOf(b, c.op)
			tensors := make([]*ir.Tensor, 2)
			facts := make([]ir.Fact, 2)
			for i, text := range []string{c.a, c.b} {
				s, err := shape(b, text).Static()
				require.NoError(b, err)
				tensors[i] = randomTensor(b, rng, c.t, s)
				if c.t.IsInteger() && i == 1 {
					copy(tensors[i].Bytes(), strings.Repeat("\x03", len(tensors[i].Bytes())))
				}
				facts[i] = ir.Fact{Type: c.t, Shape: s.Partial()}
			}
			in, err := inferred(b, op, "", facts...)
			require.NoError(b, err)
			p := &ops.Preparation{Attributes: in.Attributes, Inputs: facts, Outputs: in.Outputs, Threads: 1}
			prepared, err := op.Prepare(p)
			require.NoError(b, err)
			s, err := in.Outputs[0].Shape.Static()
			require.NoError(b, err)
			out, err := ir.NewTensor(in.Outputs[0].Type, s...)
			require.NoError(b, err)
			r := &ops.Run{Inputs: tensors, Outputs: []*ir.Tensor{out}, Scratch: ir.AlignedBytes(prepared.ScratchBytes)}
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
