package attention

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/parameter"
)

var cachedOp = &Ops[1]

func TestCachedAgainstReference(t *testing.T) {
	layertest.CheckSeeds(t, 100, checkCached)
}

func FuzzCached(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkCached)
}

// checkCached compares CachedAttention with the definition, for key and value that have room of
// NaN.
func checkCached(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	l, s, e, ev := 1+rng.IntN(5), 1+rng.IntN(9), 1+rng.IntN(5), 1+rng.IntN(5)
	b0, heads, groups := 1+rng.IntN(3), 1+rng.IntN(3), 1+rng.IntN(3)
	all := heads * groups
	one := func(n int) int {
		if rng.IntN(3) == 0 {
			return 1
		}
		return n
	}
	kv := one(b0)
	key, value := random(rng, kv, heads, s, e), random(rng, kv, heads, s, ev)
	p := problemOf{
		query: random(rng, b0, all, l, e), key: repeatHeads(key, groups), value: repeatHeads(value, groups),
		causal: rng.IntN(3) == 0, scale: array{ir.Shape{}, []float64{0.5}},
	}
	if rng.IntN(2) == 0 {
		p.mask = random(rng, []int{one(b0), one(all), one(l), one(s)}[rng.IntN(3):]...)
	}
	if rng.IntN(3) == 0 {
		p.sink = random(rng, one(b0), one(all), one(l), 1)
	}
	shape := ir.Shape{b0, all, l, ev}
	want := p.reference(shape)
	attributes := layertest.Attributes{"causal", strconv.FormatBool(p.causal), "groups", strconv.Itoa(groups)}
	for elementType, tolerance := range tolerances {
		plain := p.inputs(t, elementType)
		inputs := append([]*ir.Tensor{plain[0], withRoom(t, elementType, key, rng.IntN(4)), withRoom(t, elementType, value, rng.IntN(4)),
			lengths(t, key.shape...), lengths(t, value.shape...)}, plain[3:]...)
		layertest.CheckNear(t, cachedOp, attributes, shape, want, tolerance, inputs...)
	}
	for _, as := range storedTypes {
		stored, plain := p, p.inputs(t, ir.F32)
		k, keys := storedAs(t, as, key, rng.IntN(4))
		v, values := storedAs(t, as, value, rng.IntN(4))
		inputs, attributes := []*ir.Tensor{plain[0], keys, values, lengths(t, key.shape...), lengths(t, value.shape...)}, attributes
		if rng.IntN(2) == 0 {
			inputs = append(inputs, newRowsIn(t, key, k, rng.IntN(s+1)), newRowsIn(t, value, v, rng.IntN(s+1)))
			attributes = append(slices.Clone(attributes), "new_rows", "true")
		}
		stored.key, stored.value = repeatHeads(k, groups), repeatHeads(v, groups)
		inputs = append(inputs, plain[3:]...)
		layertest.CheckNear(t, cachedOp, attributes, shape, stored.reference(shape), tolerances[ir.F32], inputs...)
	}
}

// storedAs returns a as it is stored in a type, with n more rows of NaN behind those of each head,
// and the numbers that it then holds.
func storedAs(t *testing.T, as ir.ElementType, a array, n int) (array, *ir.Tensor) {
	t.Helper()
	wide := withRoom(t, ir.F32, a, n)
	numbers, columns := ir.Data[float32](wide), a.shape[3]
	shape := slices.Clone(wide.Shape())
	if as == ir.U8 {
		shape[3] += levels.RowExtra
	}
	stored, err := ir.NewTensor(as, shape...)
	require.NoError(t, err)
	switch as {
	case ir.U8:
		levels.EncodeRows(stored.Bytes(), numbers, columns)
		levels.DecodeRows(numbers, stored.Bytes(), columns)
	case ir.F16:
		half.F32sToF16s(ir.Data[uint16](stored), numbers)
		half.F16sToF32s(numbers, ir.Data[uint16](stored))
	default:
		half.F32sToBF16s(ir.Data[half.BFloat16](stored), numbers)
		half.BF16sToF32s(numbers, ir.Data[half.BFloat16](stored))
	}
	result := array{shape: a.shape}
	for block := a.shape[2] * columns; len(numbers) > 0; numbers = numbers[block+n*columns:] {
		for _, v := range numbers[:block] {
			result.values = append(result.values, float64(v))
		}
	}
	return result, stored
}

// newRowsIn returns the last n rows of a, and copies them to rounded.
func newRowsIn(t *testing.T, a, rounded array, n int) *ir.Tensor {
	t.Helper()
	var rows []float64
	for size, end := n*a.shape[3], a.shape[2]*a.shape[3]; end <= len(a.values); end += a.shape[2] * a.shape[3] {
		rows = append(rows, a.values[end-size:end]...)
		copy(rounded.values[end-size:end], a.values[end-size:end])
	}
	return layertest.Numbers(t, ir.F32, ir.Shape{a.shape[0], a.shape[1], n, a.shape[3]}, rows...)
}

// TestCached_long has more rows than are converted at a time, and threads that share the heads of a
// group.
func TestCached_long(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const heads, groups, rows, columns = 2, 20, 300, 24
	key, value := random(rng, 1, heads, rows, columns), random(rng, 1, heads, rows, columns)
	for _, l := range []int{1, 3} {
		for _, as := range storedTypes {
			k, keys := storedAs(t, as, key, 5)
			v, values := storedAs(t, as, value, 0)
			p := problemOf{query: random(rng, 1, heads*groups, l, columns), key: repeatHeads(k, groups), value: repeatHeads(v, groups)}
			shape := ir.Shape{1, heads * groups, l, columns}
			layertest.CheckNear(t, cachedOp, layertest.Attributes{"groups", strconv.Itoa(groups)}, shape, p.reference(shape), tolerances[ir.F32],
				p.inputs(t, ir.F32)[0], keys, values, lengths(t, key.shape...), lengths(t, value.shape...))
		}
	}
}

// repeatHeads repeats each index of axis 1.
func repeatHeads(a array, groups int) array {
	block := a.shape[2] * a.shape[3]
	repeated := array{shape: ir.Shape{a.shape[0], a.shape[1] * groups, a.shape[2], a.shape[3]}}
	for at := 0; at < len(a.values); at += block {
		for range groups {
			repeated.values = append(repeated.values, a.values[at:at+block]...)
		}
	}
	return repeated
}

// withRoom returns a as a tensor with n more rows, of NaN, behind those of each head.
func withRoom(t *testing.T, elementType ir.ElementType, a array, n int) *ir.Tensor {
	var values []float64
	block := a.shape[2] * a.shape[3]
	for at := 0; at < len(a.values); at += block {
		values = append(values, a.values[at:at+block]...)
		for range n * a.shape[3] {
			values = append(values, math.NaN())
		}
	}
	return layertest.Numbers(t, elementType, ir.Shape{a.shape[0], a.shape[1], a.shape[2] + n, a.shape[3]}, values...)
}

// lengths returns a vector of i64.
func lengths(t *testing.T, values ...int) *ir.Tensor {
	wide := make([]int64, len(values))
	for i, v := range values {
		wide[i] = int64(v)
	}
	tensor, err := ir.TensorOf(ir.I64, ir.Shape{len(values)}, wide)
	require.NoError(t, err)
	return tensor
}

// TestCached_empty has states without rows.
func TestCached_empty(t *testing.T) {
	f := func(shape ...int) *ir.Tensor {
		return layertest.Numbers(t, ir.F32, shape, ones(ir.Shape(shape).Elements())...)
	}
	out, err := layertest.Run(cachedOp, nil, 1, f(1, 2, 1, 3), f(1, 2, 4, 3), f(1, 2, 4, 2), lengths(t, 1, 2, 0, 3), lengths(t, 1, 2, 0, 2))
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 0, 0, 0}, layertest.Floats(t, out))
}

func TestCached_errors(t *testing.T) {
	f := func(shape ...int) *ir.Tensor {
		return layertest.Numbers(t, ir.F32, shape, ones(ir.Shape(shape).Elements())...)
	}
	for _, c := range []struct {
		groups string
		inputs []*ir.Tensor
		want   string
	}{
		{"0", []*ir.Tensor{f(1, 2, 1, 3), f(1, 2, 4, 3), f(1, 2, 4, 2), lengths(t, 1, 2, 3, 3), lengths(t, 1, 2, 3, 2)}, "0 is less than 1"},
		{"1", []*ir.Tensor{f(1, 2, 1, 3), f(1, 2, 4, 3), f(1, 2, 4, 2), lengths(t, 1, 2, 5, 3), lengths(t, 1, 2, 5, 2)},
			"input 1 of shape [1,2,4,3] does not have the 5 rows of input 3"},
		{"1", []*ir.Tensor{f(1, 2, 1, 3), f(1, 2, 4, 3), f(1, 2, 4, 2), lengths(t, 1, 2, -1, 3), lengths(t, 1, 2, 3, 2)},
			"input 1 of shape [1,2,4,3] does not have the -1 rows of input 3"},
		{"1", []*ir.Tensor{f(1, 2, 1, 3), f(1, 2, 4, 3), f(1, 2, 4, 2), lengths(t, 1, 2, 3, 3), lengths(t, 1, 2, 2, 2)},
			"value has shape [1,2,2,2], which does not fit query of shape [1,2,1,3] and key of shape [1,2,3,3]"},
		{"1", []*ir.Tensor{f(1, 2, 1, 3), f(1, 2, 4, 3), f(1, 2, 4, 2), lengths(t, 3), lengths(t, 1, 2, 3, 2)},
			"input 3 is i64[1], expected the shape of input 1, [1,2,4,3]"},
		{"2", []*ir.Tensor{f(1, 3, 1, 3), f(1, 2, 4, 3), f(1, 2, 4, 2), lengths(t, 1, 2, 3, 3), lengths(t, 1, 2, 3, 2)},
			"key has shape [1,4,3,3], which does not fit query of shape [1,3,1,3]"},
		{"9223372036854775807", []*ir.Tensor{f(1, 2, 1, 3), f(1, 2, 4, 3), f(1, 2, 4, 2), lengths(t, 1, 2, 3, 3), lengths(t, 1, 2, 3, 2)}, "is too long"},
	} {
		_, err := layertest.Run(cachedOp, layertest.Attributes{"groups", c.groups}, 1, c.inputs...)
		assert.ErrorContains(t, err, c.want)
	}
	cached := []*ir.Tensor{f(1, 2, 1, 3), f(1, 2, 4, 3), f(1, 2, 4, 2), lengths(t, 1, 2, 3, 3), lengths(t, 1, 2, 3, 2)}
	for _, c := range []struct {
		rows []*ir.Tensor
		want string
	}{
		{nil, "5 inputs, expected 7 or more"},
		{[]*ir.Tensor{f(1, 2, 4, 3), f(1, 2, 1, 2)}, "input 5 is f32[1,2,4,3], expected up to 3 rows of input 1, f32[1,2,4,3]"},
		{[]*ir.Tensor{f(1, 2, 1, 3), f(1, 1, 1, 2)}, "input 6 is f32[1,1,1,2], expected up to 3 rows of input 2, f32[1,2,4,2]"},
		{[]*ir.Tensor{f(1, 2, 1, 3), f(2, 1, 2)}, "input 6 is f32[2,1,2], expected up to 3 rows"},
		{[]*ir.Tensor{f(1, 2, 1, 3), lengths(t, 1)}, "input 6 is i64[1], expected up to 3 rows"},
	} {
		_, err := layertest.Run(cachedOp, layertest.Attributes{"new_rows", "true"}, 1, slices.Concat(cached, c.rows)...)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestCached_shape(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"u8[?,2,?,11]", "u8[?,2,?,13]", "f32[4,6,1,5]"}, {"u8[?,2,?,11]", "f32[?,2,?,5]", ""}, {"u8[?,2,?,11]", "u8[?,2,?,7]", ""},
		{"u8[?,2,?,12]", "u8[?,2,?,13]", ""}, {"f16[?,2,?,3]", "f16[?,2,?,?]", "f32[4,6,1,?]"}, {"i8[?,2,?,3]", "i8[?,2,?,5]", ""},
		{"f32[?,2,?,3]", "f32[?,2,?,5]", "f32[4,6,1,5]"}, {"f32[?]", "f32[?,2,?,5]", ""}, {"f32[2,2]", "f32[?,?,?,5]", ""},
	} {
		g := layertest.NewGraph(t)
		var inputs []*ir.Layer
		for _, fact := range []string{"f32[4,6,1,3]", c.key, c.value, "i64[4]", "i64[4]"} {
			inputs = append(inputs, g.Parameter(fact))
		}
		got, _, err := g.Infer(g.Add("CachedAttention", "vinoir", layertest.Attributes{"groups", "3"}, inputs...), slices.Concat(parameter.Ops, Ops)...)
		if c.want == "" {
			assert.Error(t, err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, []string{c.want}, got)
	}
}
