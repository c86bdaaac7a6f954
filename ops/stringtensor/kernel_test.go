package stringtensor

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func stringsOf(t testing.TB, shape ir.Shape, elements ...string) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.String, shape...)
	require.NoError(t, err)
	require.Equal(t, tensor.Len(), copy(tensor.Strings(), elements))
	return tensor
}

func symbolsOf(t testing.TB, text string) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.U8, len(text))
	require.NoError(t, err)
	copy(tensor.Bytes(), text)
	return tensor
}

// TestKernel_pack has results of OpenVINO.
func TestKernel_pack(t *testing.T) {
	for _, c := range []struct {
		begins, ends []int64
		want         []string
	}{
		{[]int64{0, 2}, []int64{2, 4}, []string{"ab", "cd"}},
		{[]int64{0, 3}, []int64{1, 4}, []string{"a", "d"}},
		{[]int64{0, 1}, []int64{3, 4}, []string{"abc", "bcd"}},
		{[]int64{2, 0}, []int64{4, 2}, []string{"cd", "ab"}},
		{[]int64{4, 2, 3}, []int64{4, 2, 4}, []string{"", "", "d"}},
		{[]int64{4, 0}, []int64{4, 0}, []string{"", ""}},
	} {
		shape := ir.Shape{1, len(c.begins)}
		for _, elementType := range []ir.ElementType{ir.I32, ir.I64} {
			layertest.CheckElements(t, &Ops[0], nil, shape, c.want, layertest.Ints(t, elementType, shape, c.begins...),
				layertest.Ints(t, elementType, shape, c.ends...), symbolsOf(t, "abcd"))
		}
	}
	empty := ir.Shape{0, 2}
	layertest.CheckElements(t, &Ops[0], nil, empty, nil, layertest.Ints(t, ir.I32, empty), layertest.Ints(t, ir.I32, empty), symbolsOf(t, "abcd"))
	layertest.CheckElements(t, &Ops[0], nil, nil, []string{"bc"}, layertest.Ints(t, ir.I32, nil, 1), layertest.Ints(t, ir.I32, nil, 3), symbolsOf(t, "abcd"))
}

func TestKernel_errors(t *testing.T) {
	for want, c := range map[string][2]int64{
		"begins[1] is 3, ends[1] is 2, symbols has 4 elements":                     {3, 2},
		"begins[1] is -1, ends[1] is 2, symbols has 4 elements":                    {-1, 2},
		"begins[1] is 0, ends[1] is 5, symbols has 4 elements":                     {0, 5},
		"begins[1] is -9223372036854775808, ends[1] is 0, symbols has 4 elements":  {math.MinInt64, 0},
		"begins[1] is 0, ends[1] is 9223372036854775807, symbols has 4 elements":   {0, math.MaxInt64},
		"begins[1] is 4611686018427387904, ends[1] is -1, symbols has 4 elements":  {1 << 62, -1},
		"begins[1] is 5, ends[1] is 5, symbols has 4 elements":                     {5, 5},
		"begins[1] is 4294967296, ends[1] is 4294967297, symbols has 4 elements":   {1 << 32, 1<<32 + 1},
		"begins[1] is -4294967296, ends[1] is -4294967295, symbols has 4 elements": {-1 << 32, -1<<32 + 1},
	} {
		two := ir.Shape{2}
		_, err := layertest.Run(&Ops[0], nil, 1, layertest.Ints(t, ir.I64, two, 0, c[0]), layertest.Ints(t, ir.I64, two, 1, c[1]), symbolsOf(t, "abcd"))
		require.EqualError(t, err, want)
	}
}

// TestKernel_memory checks that the strings take one piece of memory, that no more of the symbols
// is kept than they need, and that they do not share the memory of symbols.
func TestKernel_memory(t *testing.T) {
	const n = 1000
	begins, ends := make([]int64, n), make([]int64, n)
	for i := range begins {
		begins[i], ends[i] = int64(i), int64(i+20)
	}
	symbols := symbolsOf(t, strings.Repeat("abcdefghij", 1000))
	kernel, r, err := layertest.Prepare(&Ops[0], nil, 1, layertest.Ints(t, ir.I32, ir.Shape{n}, begins...), layertest.Ints(t, ir.I32, ir.Shape{n}, ends...), symbols)
	require.NoError(t, err)
	defer r.Pool.Close()
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { err = kernel(r) }), 1.)
	require.NoError(t, err)
	clear(symbols.Bytes())
	assert.Equal(t, "bcdefghijabcdefghija", r.Outputs[0].Strings()[1])

	done := make(chan struct{})
	close(done)
	r.Stop = done
	symbols = symbolsOf(t, strings.Repeat("a", 3*copied))
	r.Inputs[2], r.Inputs[1] = symbols, layertest.Ints(t, ir.I32, ir.Shape{n}, append(ends[:n-1], 3*copied)...)
	require.Equal(t, parallel.ErrStopped, kernel(r))
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(200) {
		checkRandom(t, seed)
	}
}

// FuzzKernel unpacks and packs random strings.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// FuzzPack packs any ranges.
func FuzzPack(f *testing.F) {
	f.Add(int64(0), int64(2), int64(1), int64(3), "text")
	f.Add(int64(-1), int64(2), int64(5), int64(3), "")
	f.Fuzz(func(t *testing.T, b0, e0, b1, e1 int64, text string) {
		begins, ends := []int64{b0, b1}, []int64{e0, e1}
		valid, want := true, make([]string, 2)
		for i, b := range begins {
			if e := ends[i]; b < 0 || b > e || e > int64(len(text)) {
				valid = false
			} else {
				want[i] = text[b:e]
			}
		}
		got, err := layertest.Run(&Ops[0], nil, 1, layertest.Ints(t, ir.I64, ir.Shape{2}, begins...), layertest.Ints(t, ir.I64, ir.Shape{2}, ends...), symbolsOf(t, text))
		if !valid {
			require.ErrorContains(t, err, "begins[")
			return
		}
		require.NoError(t, err)
		require.Equal(t, want, got.Strings())
	})
}

// checkRandom unpacks strings, compares begins, ends and symbols, and packs them again.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	n := rng.IntN(20)
	if seed%100 == 0 {
		n = 3 << 11 // for several threads
	}
	checkStrings(t, rng, n)
}

func checkStrings(t *testing.T, rng *rand.Rand, n int) {
	t.Helper()
	shape := ir.Shape{n, 1}
	in := stringsOf(t, shape, make([]string, n)...)
	all := ""
	var begins, ends []int64
	for i := range in.Strings() {
		text := strings.Repeat(string(rune('a'+rng.IntN(2000))), rng.IntN(9))
		in.Strings()[i] = text
		begins = append(begins, int64(len(all)))
		all += text
		ends = append(ends, int64(len(all)))
	}
	for outputs := 1; outputs <= 2; outputs++ { // a file may leave out the last ones
		out, err := layertest.RunOutputs(&Ops[1], nil, 1, outputs, in)
		require.NoError(t, err)
		got, err := out[outputs-1].Ints()
		require.NoError(t, err)
		require.Equal(t, append([]int64{}, [][]int64{begins, ends}[outputs-1]...), append([]int64{}, got...))
	}
	for threads := 1; threads <= 2; threads++ {
		out, err := layertest.RunOutputs(&Ops[1], nil, threads, 3, in)
		require.NoError(t, err)
		for i, want := range [][]int64{begins, ends} {
			got, err := out[i].Ints()
			require.NoError(t, err)
			require.Equal(t, shape, out[i].Shape())
			require.Equal(t, append([]int64{}, want...), append([]int64{}, got...))
		}
		require.Equal(t, all, string(out[2].Bytes()))
		layertest.CheckElements(t, &Ops[0], nil, shape, in.Strings(), out...)
	}
}

// TestCopyString copies strings of all lengths around those that are copied in overlapping pieces.
func TestCopyString(t *testing.T) {
	text := strings.Repeat("abcdefg", 12)
	for n := range 80 {
		to := []byte(strings.Repeat(".", 90))
		copyString(to, text[:n])
		assert.Equal(t, text[:n]+strings.Repeat(".", 90-n), string(to))
	}
}

// TestKernel_long has a string that is copied in pieces, and many of which a copy would be too
// large.
func TestKernel_long(t *testing.T) {
	long := strings.Repeat("0123456789", 300000)
	out, err := layertest.RunOutputs(&Ops[1], nil, 1, 3, stringsOf(t, ir.Shape{3}, "a", long, "b"))
	require.NoError(t, err)
	require.Equal(t, "a"+long+"b", string(out[2].Bytes()))

	many := make([]string, 1000)
	for i := range many {
		many[i] = long
	}
	_, err = layertest.RunOutputs(&Ops[1], nil, 1, 3, stringsOf(t, ir.Shape{1000}, many...))
	require.EqualError(t, err, "string [715] ends beyond byte 2147483647, more than an i32 counts")
}

// TestKernel_sorted has a layer of a file that does not state the shape of the output.
func TestKernel_sorted(t *testing.T) {
	for _, op := range []*ops.Op{&Ops[0], &Extension[0]} {
		for _, declared := range []ir.PartialShape{ir.StaticShape(3), ir.ShapeOfRank(1)} {
			facts := []ir.Fact{{Type: ir.I32, Shape: ir.StaticShape(3)}, {Type: ir.I32, Shape: ir.StaticShape(3)}, {Type: ir.U8, Shape: ir.StaticShape(4)}}
			in := &ops.Inference{Layer: &ir.Layer{Type: op.Type, Outputs: []ir.Output{{Declared: declared}}}, Inputs: facts, Outputs: make([]ir.Fact, 1)}
			single, err := ops.NewSingle(op, in, ops.SingleOptions{Threads: 1, MaxScratchBytes: 1 << 20})
			require.NoError(t, err)
			err = single.Run(nil, []*ir.Tensor{layertest.Ints(t, ir.I32, ir.Shape{3}, 0, 3, 1), layertest.Ints(t, ir.I32, ir.Shape{3}, 1, 4, 2), symbolsOf(t, "abcd")},
				[]*ir.Tensor{stringsOf(t, ir.Shape{3}, "", "", "")})
			if declared.IsStatic() {
				assert.NoError(t, err)
				continue
			}
			assert.EqualError(t, err, "not sorted: the string at [2] is from 1 to 2, the one before it from 3 to 4")
		}
	}
}
