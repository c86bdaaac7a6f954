package eltwise

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// boundsTable holds what OpenVINO infers for f(x, y) of i32 lengths. Each line has the result for
// one x and all y, which are in the order of the lines. A result is a dimension, or "-" if it may
// be negative or is undefined.
const boundsTable = `
add
   0: 0 1 3 7 ? ..5 ? 2..5 3..9 100..200
   1: 1 2 4 8 ? 1..6 ? 3..6 4..10 101..201
   3: 3 4 6 10 ? 3..8 ? 5..8 6..12 103..203
   7: 7 8 10 14 ? 7..12 ? 9..12 10..16 107..207
   ?: ? ? ? ? ? ? ? ? ? ?
   ..5: ..5 1..6 3..8 7..12 ? ..10 ? 2..10 3..14 100..205
   2..: ? ? ? ? ? ? ? ? ? ?
   2..5: 2..5 3..6 5..8 9..12 ? 2..10 ? 4..10 5..14 102..205
   3..9: 3..9 4..10 6..12 10..16 ? 3..14 ? 5..14 6..18 103..209
   100..200: 100..200 101..201 103..203 107..207 ? 100..205 ? 102..205 103..209 200..400
subtract
   0: 0 - - - ? - ? - - -
   1: 1 0 - - ? - ? - - -
   3: 3 2 0 - ? - ? - - -
   7: 7 6 4 0 ? 2..7 ? 2..5 - -
   ?: ? ? ? ? ? ? ? ? ? ?
   ..5: ..5 - - - ? - ? - - -
   2..: ? ? ? ? ? ? ? ? ? ?
   2..5: 2..5 1..4 - - ? - ? - - -
   3..9: 3..9 2..8 ..6 - ? - ? - - -
   100..200: 100..200 99..199 97..197 93..193 ? 95..200 ? 95..198 91..197 -
multiply
   0: 0 0 0 0 ? 0 ? 0 0 0
   1: 0 1 3 7 ? ..5 ? 2..5 3..9 100..200
   3: 0 3 9 21 ? ..15 ? 6..15 9..27 300..600
   7: 0 7 21 49 ? ..35 ? 14..35 21..63 700..1400
   ?: ? ? ? ? ? ? ? ? ? ?
   ..5: 0 ..5 ..15 ..35 ? ..25 ? ..25 ..45 ..1000
   2..: ? ? ? ? ? ? ? ? ? ?
   2..5: 0 2..5 6..15 14..35 ? ..25 ? 4..25 6..45 200..1000
   3..9: 0 3..9 9..27 21..63 ? ..45 ? 6..45 9..81 300..1800
   100..200: 0 100..200 300..600 700..1400 ? ..1000 ? 200..1000 300..1800 10000..40000
divide
   0: - 0 0 0 ? ? ? 0 0 0
   1: - 1 0 0 ? ? ? 0 0 0
   3: - 3 1 0 ? ? ? ..1 ..1 0
   7: - 7 2 1 ? 1.. ? 1..3 ..2 0
   ?: - ? ? ? ? ? ? ? ? ?
   ..5: - ..5 ..1 0 ? ? ? ..2 ..1 0
   2..: - ? ? ? ? ? ? ? ? ?
   2..5: - 2..5 ..1 0 ? ? ? ..2 ..1 0
   3..9: - 3..9 1..3 ..1 ? ? ? ..4 ..3 0
   100..200: - 100..200 33..66 14..28 ? 20.. ? 20..100 11..66 ..2
maximum
   0: 0 1 3 7 ? ..5 ? 2..5 3..9 100..200
   1: 1 1 3 7 ? 1..5 ? 2..5 3..9 100..200
   3: 3 3 3 7 ? 3..5 ? 3..5 3..9 100..200
   7: 7 7 7 7 ? 7 ? 7 7..9 100..200
   ?: ? ? ? ? ? ? ? ? ? ?
   ..5: ..5 1..5 3..5 7 ? ..5 ? 2..5 3..9 100..200
   2..: ? ? ? ? ? ? ? ? ? ?
   2..5: 2..5 2..5 3..5 7 ? 2..5 ? 2..5 3..9 100..200
   3..9: 3..9 3..9 3..9 7..9 ? 3..9 ? 3..9 3..9 100..200
   100..200: 100..200 100..200 100..200 100..200 ? 100..200 ? 100..200 100..200 100..200
minimum
   0: 0 0 0 0 ? 0 ? 0 0 0
   1: 0 1 1 1 ? ..1 ? 1 1 1
   3: 0 1 3 3 ? ..3 ? 2..3 3 3
   7: 0 1 3 7 ? ..5 ? 2..5 3..7 7
   ?: ? ? ? ? ? ? ? ? ? ?
   ..5: 0 ..1 ..3 ..5 ? ..5 ? ..5 ..5 ..5
   2..: ? ? ? ? ? ? ? ? ? ?
   2..5: 0 1 2..3 2..5 ? ..5 ? 2..5 2..5 2..5
   3..9: 0 1 3 3..7 ? ..5 ? 2..5 3..9 3..9
   100..200: 0 1 3 7 ? ..5 ? 2..5 3..9 100..200
power
   0: 1 0 0 0 ? ..1 ? 0 0 0
   1: 1 1 1 1 ? 1 ? 1 1 1
   3: 1 3 27 2187 ? 1..243 ? 9..243 27..19683 -
   7: 1 7 343 823543 ? 1..16807 ? 49..16807 343..40353607 -
   ?: ? ? ? ? ? ? ? ? ? ?
   ..5: 1 ..5 ..125 ..78125 ? ..3125 ? ..3125 ..1953125 -
   2..: ? ? ? ? ? ? ? ? ? ?
   2..5: 1 2..5 8..125 128..78125 ? 1..3125 ? 4..3125 8..1953125 -
   3..9: 1 3..9 27..729 2187..4782969 ? 1..59049 ? 9..59049 27..387420489 -
   100..200: 1 100..200 1000000..8000000 - ? - ? - - -
equal
   0: 1 0 0 0 ? ? 0 0 0 0
   1: 0 1 0 0 ? ? 0 0 0 0
   3: 0 0 1 0 ? ? ? ? ? 0
   7: 0 0 0 1 ? 0 ? 0 ? 0
   ?: ? ? ? ? ? ? ? ? ? ?
   ..5: ? ? ? 0 ? ? ? ? ? 0
   2..: 0 0 ? ? ? ? ? ? ? ?
   2..5: 0 0 ? 0 ? ? ? ? ? 0
   3..9: 0 0 ? ? ? ? ? ? ? 0
   100..200: 0 0 0 0 ? 0 ? 0 0 ?
`

// interval returns the values of a dimension as ShapeOf has them.
func interval(t testing.TB, text string) ir.Interval {
	t.Helper()
	d, err := ir.ParseDimension(text)
	require.NoError(t, err)
	return ir.Interval(d)
}

func functionOf(t testing.TB, name string) attributes {
	t.Helper()
	for f, n := range map[function]string{
		add: "add", subtract: "subtract", multiply: "multiply", divide: "divide", maximum: "maximum",
		minimum: "minimum", power: "power", equal: "equal",
	} {
		if n == name {
			return attributes{f: f, floor: true}
		}
	}
	t.Fatalf("no function %s", name)
	return attributes{}
}

func TestBounds_asOpenVINO(t *testing.T) {
	var f func(a, b ir.Interval) ir.Interval
	var name string
	var order []string
	for _, line := range strings.Split(strings.TrimSpace(boundsTable), "\n") {
		x, row, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			name, f = x, boundsOf(functionOf(t, x), ir.I32)
			continue
		}
		if order == nil {
			// The lengths y are the same as the lengths x.
			order = []string{"0", "1", "3", "7", "?", "..5", "2..", "2..5", "3..9", "100..200"}
		}
		for i, want := range strings.Fields(row) {
			got := f(interval(t, x), interval(t, order[i]))
			if want == "-" {
				assert.Less(t, got.Min, int64(0), "%s %s %s", name, x, order[i])
				continue
			}
			if name == "equal" && want == "?" {
				assert.Equal(t, either, got, "%s %s %s", name, x, order[i])
				continue
			}
			assert.Equal(t, want, ir.DimRange(max(got.Min, 0), got.Max).String(), "%s %s %s", name, x, order[i])
		}
	}
}

// TestBounds_hold checks the bounds with every pair of values of small intervals.
func TestBounds_hold(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for f := add; f <= rightShift; f++ {
		for _, elementType := range []ir.ElementType{ir.I8, ir.U8, ir.I64, ir.Boolean} {
			at := attributes{f: f, floor: rng.IntN(2) == 0}
			b := boundsOf(at, elementType)
			if b == nil {
				continue
			}
			lo, hi, _ := elementType.Limits()
			for range 400 {
				random := func() ir.Interval {
					x := max(lo, min(hi, rng.Int64N(40)-15))
					if rng.IntN(10) == 0 && elementType != ir.I64 {
						x = hi - rng.Int64N(2)
					}
					return ir.Interval{Min: x, Max: min(hi, max(x, x+rng.Int64N(6)))}
				}
				x, y := random(), random()
				got := b(x, y)
				holdAll(t, at, elementType, x, y, got)
			}
		}
	}
}

func holdAll(t *testing.T, at attributes, elementType ir.ElementType, x, y, got ir.Interval) {
	t.Helper()
	for i := x.Min; i-x.Min >= 0 && i <= x.Max; i++ {
		for j := y.Min; j-y.Min >= 0 && j <= y.Max; j++ {
			value, ok := referenceInt(at, elementType, i, j)
			require.True(t, !ok || got.Min <= value && value <= got.Max,
				"%d of %v: %d of %v and %d of %v give %d, bounds are %v", at.f, elementType, i, x, j, y, value, got)
			if j == math.MaxInt64 {
				break
			}
		}
		if i == math.MaxInt64 {
			break
		}
	}
}

// TestBounds_holdReals checks the bounds with numbers of random intervals, including their ends.
func TestBounds_holdReals(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	number := func(elementType ir.ElementType) float64 {
		x := float64(rng.IntN(40) - 8)
		if rng.IntN(2) == 0 {
			x *= rng.Float64()
		}
		x, _ = elementType.Round(x)
		return x
	}
	bounded := 0
	for f := add; f <= rightShift; f++ {
		for _, elementType := range []ir.ElementType{ir.F16, ir.F32, ir.F64, ir.BF16} {
			b := boundsOf(attributes{f: f}, elementType)
			if b == nil {
				continue
			}
			random := func() (ir.Interval, [4]float64) {
				var x [4]float64
				for i := range x {
					x[i] = number(elementType)
				}
				if rng.IntN(4) == 0 {
					x = [4]float64{x[0], x[0], x[0], x[0]}
				}
				return ir.Interval{Min: ir.CodeOf(slices.Min(x[:])), Max: ir.CodeOf(slices.Max(x[:]))}, x
			}
			for range 400 {
				x, xs := random()
				y, ys := random()
				got := b(x, y)
				if got != unknown {
					bounded++
				}
				for k := range 16 {
					z := realReference(f, elementType, xs[k/4], ys[k%4])
					if math.IsNaN(z) && f == divide {
						continue // 0 of 0, which no length is
					}
					require.True(t, ir.RealOf(got.Min) <= z && z <= ir.RealOf(got.Max) || got == unknown,
						"%d of %v: %v and %v give %v, bounds are %v to %v", f, elementType, xs[k/4], ys[k%4], z, ir.RealOf(got.Min), ir.RealOf(got.Max))
				}
			}
		}
	}
	assert.Greater(t, bounded, 5000)
}

func realReference(f function, t ir.ElementType, x, y float64) float64 {
	if t == ir.F64 {
		return referenceFloat(f, x, y)
	}
	z, _ := t.Round(float64(referenceFloat(f, float32(x), float32(y))))
	return z
}

// TestBounds_reals has lengths that are scaled.
func TestBounds_reals(t *testing.T) {
	for _, c := range []struct{ op, a, b, want string }{
		{"Multiply", "f32[3]=8..16,2..,0..9", "f32[]=0.5", "f32[3]=4..8,0..,0..4.5"},
		{"Multiply", "f32[1]=8..16", "f32[]=-0.5", "f32[1]=-8..-4"},
		{"Multiply", "f32[1]=1..3e38", "f32[]=2", "f32[1]=?"},
		{"Multiply", "f32[1]=?", "f32[]=0", "f32[1]=?"},
		{"Add", "f16[1]=2047..4096", "f16[]=1", "f16[1]=2048..4096"},
		{"Subtract", "f64[2]=8..16,8..", "f64[]=0.5", "f64[2]=7.5..15.5,0.."},
		{"Divide", "f32[3]=8..16,2..,?", "f32[]=2", "f32[3]=4..8,0..,?"},
		{"Divide", "f32[1]=100", "f32[3]=8..16,0..8,-1..1", "f32[3]=6.25..12.5,12.5..,?"},
		{"Divide", "f32[1]=8..16", "f32[]=-2", "f32[1]=-8..-4"},
		{"Maximum", "f32[3]=8..16,2..,?", "f32[]=10.5", "f32[3]=10.5..16,0..,?"},
		{"Minimum", "f32[1]=8..16", "f32[]=10.5", "f32[1]=8..10.5"},
		{"Power", "f32[2]=4..9,-1..4", "f32[]=0.5", "f32[2]=2..3,?"},
		{"FloorMod", "f32[1]=8..16", "f32[]=3", "f32[1]"},
		{"Equal", "f32[1]=8..16", "f32[]=3", "boolean[1]"},
		{"Multiply", "bf16[1]=8..16", "bf16[]=1", "bf16[1]"},
	} {
		got, err := layertest.Infer(t, opOf(t, c.op), nil, c.a, c.b)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%s of %s and %s", c.op, c.a, c.b)
	}
}

func TestBounds_vectors(t *testing.T) {
	known := func(values ...int64) ir.Fact {
		tensor, err := ir.TensorOfInts(ir.I64, ir.Shape{len(values)}, values)
		require.NoError(t, err)
		return ir.Fact{Type: ir.I64, Shape: tensor.Shape().Partial(), Tensor: tensor}
	}
	lengths := ir.Fact{Type: ir.I64, Shape: ir.StaticShape(3), Values: []ir.Interval{{Min: 2, Max: 2}, {Min: 1, Max: 4}, {Min: 0, Max: math.MaxInt64}}}

	in, err := inferred(t, opOf(t, "Multiply"), "", lengths, known(2))
	require.NoError(t, err)
	assert.Equal(t, []ir.Interval{{Min: 4, Max: 4}, {Min: 2, Max: 8}, {Min: 0, Max: math.MaxInt64}}, in.Outputs[0].Values)

	in, err = inferred(t, opOf(t, "Subtract"), "", known(1, 2, 3), lengths)
	require.NoError(t, err)
	assert.Equal(t, []ir.Interval{{Min: -1, Max: -1}, {Min: -2, Max: 1}, {Min: 0, Max: math.MaxInt64}}, in.Outputs[0].Values)

	in, err = inferred(t, opOf(t, "Equal"), "", lengths, known(2))
	require.NoError(t, err)
	assert.Equal(t, []ir.Interval{{Min: 1, Max: 1}, either, either}, in.Outputs[0].Values)

	in, err = inferred(t, opOf(t, "Greater"), "", lengths, known(1))
	require.NoError(t, err)
	assert.Nil(t, in.Outputs[0].Values)

	unknownShape := lengths
	unknownShape.Shape = shape(t, "[?]")
	in, err = inferred(t, opOf(t, "Add"), "", unknownShape, known(1))
	require.NoError(t, err)
	assert.Nil(t, in.Outputs[0].Values)
}

func TestBounds_mod(t *testing.T) {
	f := boundsOf(attributes{f: mod}, ir.I64)
	for _, c := range []struct{ a, b, want string }{
		{"2..5", "7", "2..5"},  // no effect
		{"9..12", "8", "1..4"}, // within one period
		{"7..12", "8", "..7"},  // across two
		{"100..200", "3..9", "..8"},
		{"3..9", "100..200", "3..9"},
		{"..5", "2..", "..5"},
		{"?", "3", "?"},
		{"5", "..5", "?"}, // the divisor may be 0
	} {
		got := f(interval(t, c.a), interval(t, c.b))
		assert.Equal(t, c.want, ir.DimRange(got.Min, got.Max).String(), "%s mod %s", c.a, c.b)
	}
	assert.Equal(t, unknown, f(ir.Interval{Min: -1, Max: 2}, ir.Interval{Min: 2, Max: 2}))
}

// TestBounds_negativeDivisor has lengths that are negated and divided back.
func TestBounds_negativeDivisor(t *testing.T) {
	f := boundsOf(attributes{f: divide, floor: true}, ir.I64)
	assert.Equal(t, ir.Interval{Min: 2, Max: 4}, f(ir.Interval{Min: -9, Max: -4}, ir.Interval{Min: -2, Max: -2}))
	assert.Equal(t, unknown, f(ir.Interval{Min: -9, Max: -4}, ir.Interval{Min: -2, Max: 2}))
	assert.Equal(t, lengths, f(unknown, ir.Interval{Min: -1, Max: -1}))
}

// TestBounds_unbounded has unbounded lengths. OpenVINO only infers that their results are lengths.
func TestBounds_unbounded(t *testing.T) {
	some, minus := ir.Interval{Min: 7, Max: math.MaxInt64}, ir.Interval{Min: -3, Max: -3}
	for _, name := range []string{"add", "subtract", "multiply", "divide", "minimum", "maximum", "power"} {
		f := boundsOf(functionOf(t, name), ir.I64)
		assert.Equal(t, lengths, f(minus, some), name)
		if name != "divide" {
			assert.Equal(t, lengths, f(some, minus), name)
		}
	}
}
