package implicit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/convtest"
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
)

// randomGeometry returns a small convolution.
func randomGeometry(rng *rand.Rand) *Geometry {
	c := convtest.RandomConvolution(rng)
	return &Geometry{Batch: c.Batch, Groups: c.Groups, In: c.In, Out: c.Out, Axes: c.Axes}
}

// convolution returns g for package convtest.
func (g *Geometry) convolution() *convtest.Convolution {
	return &convtest.Convolution{Batch: g.Batch, Groups: g.Groups, In: g.In, Out: g.Out, Axes: g.Axes}
}

// checkImplicit compares a random convolution, and the transpose of one, with the
// definition.
func checkImplicit(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	g := randomGeometry(rng)
	threads, constant := 1+rng.IntN(3), rng.IntN(2) == 0
	transposed := rng.IntN(2) == 0
	m := New(nil, g, gemm.New().Lanes(), threads, constant)
	if transposed {
		m = NewTransposed(nil, g, gemm.New().Lanes(), threads, constant)
	}
	if m == nil {
		return
	}
	checkProduct(t, rng, g, m, threads, constant, transposed)
}

// checkProduct compares the plan m of g, or of its transpose, with the definition.
func checkProduct(t *testing.T, rng *rand.Rand, g *Geometry, m Product, threads int, constant, transposed bool) {
	t.Helper()
	inPlane, taps, outPlane := g.convolution().Sizes()
	if transposed {
		inPlane, outPlane = outPlane, inPlane
	}
	in := convtest.Whole(rng, g.Batch*g.Groups*g.In*inPlane)
	filters := convtest.Whole(rng, g.Groups*g.Out*g.In*taps)
	want := make([]float64, g.Batch*g.Groups*g.Out*outPlane)
	if transposed {
		c := *g
		c.In, c.Out = g.Out, g.In
		c.convolution().Reference(func(to, filter, from int) { want[to] += float64(in[from]) * float64(filters[filter]) })
	} else {
		g.convolution().Reference(func(from, filter, to int) { want[to] += float64(in[from]) * float64(filters[filter]) })
	}
	call := &Call{In: cast.Slice[gemm.Lane](in), Filters: cast.Slice[gemm.Lane](filters), Out: make([]float32, len(want)), Scratch: make([]byte, m.ScratchBytes()+64)}
	for i := range call.Scratch {
		call.Scratch[i] = 0xcd
	}
	for i := range call.Out {
		call.Out[i] = float32(math.NaN())
	}
	call.Epilogue = convtest.FinishSums(rng, g.Groups*g.Out, outPlane, want)
	if constant {
		call.Filters = m.PackFilters(nil, cast.Slice[gemm.Lane](filters))
	}
	pool := parallel.New(threads)
	defer pool.Close()
	(&task{m: m, c: call}).run(pool)
	for i := range want {
		if want[i] != float64(call.Out[i]) {
			require.Equal(t, want[i], call.Out[i], "%+v transposed %v, element %d of %v", *g, transposed, i, len(want))
		}
	}
}

func TestImplicit(t *testing.T) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512}, {cpu.AVX512, cpu.FMA, cpu.AVX2}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			for seed := range uint64(120) {
				checkImplicit(t, seed)
			}
		})
	}
}

func FuzzImplicit(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkImplicit)
}

// TestGrid checks that each output is in exactly one box.
func TestGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for range 300 {
		var walks [3]walk
		for i := range walks {
			walks[i].output = 1 + rng.IntN(1<<rng.IntN(7))
		}
		batch, columns, multiple := 1+rng.IntN(5), 32*(1+rng.IntN(6)), 1+rng.IntN(3)
		few := func(columns int) bool { return columns%16 <= batch }
		g := newGrid(&walks, batch, columns, multiple, few)
		plane := walks[0].output * walks[1].output * walks[2].output
		seen := make([]int, batch*plane)
		most := g.maxLengths()
		for i := range g.boxes() {
			b := g.box(i)
			assert.LessOrEqual(t, b.columns, g.columns)
			for column := range b.columns {
				seen[b.image*plane+b.at+column]++
			}
			s := &source{strides: [3]int{walks[1].output * walks[2].output, walks[2].output, 1}, imageStride: plane}
			c := newCursor(s, &b)
			first := (b.corner[0]*walks[1].output+b.corner[1])*walks[2].output + b.corner[2]
			for column := 0; column < b.columns; {
				place, n := c.nextRun(b.columns - column)
				require.Equal(t, b.at+column, first+place, "%+v", b)
				column += n
			}
			for axis, n := range b.lengths {
				assert.LessOrEqual(t, n, most[axis], "%+v of %+v", b, g)
			}
		}
		assert.Equal(t, slices.Repeat([]int{1}, len(seen)), seen, "%+v", g)
	}
}

// TestBandAxis checks that every element of every window is at the position that taps specifies.
func TestBandAxis(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 300 {
		w := walk{input: 100, output: 1 + rng.IntN(9), stride: 1 + rng.IntN(4)}
		for range 1 + rng.IntN(5) {
			w.offsets = append(w.offsets, rng.IntN(40)-20)
		}
		l := newBandAxis(nil, &w, w.output)
		elements := make([]int, l.total)
		for _, tr := range l.tracks {
			for i := range w.output + tr.extra {
				elements[tr.at+i] = tr.first + i*w.stride
			}
		}
		for o := range w.output {
			for k, offset := range w.offsets {
				assert.Equal(t, o*w.stride+offset, elements[o+l.taps[k]], fmt.Sprint(w, l))
			}
		}
	}
}

// TestImplicitTooLarge tests convolutions that would need too much memory.
func TestImplicitTooLarge(t *testing.T) {
	g := &Geometry{Batch: 1, Groups: 1, In: 1, Out: 1}
	for i := range g.Axes {
		g.Axes[i] = conv.Axis{Input: 1, Output: 1, Kernel: 1 << 10, Stride: 1, Dilation: 1, PadBegin: 1 << 9}
	}
	g.Axes[0].Kernel = 1
	g.Axes[1].Output, g.Axes[1].Stride = 1<<10, 1<<12
	g.Axes[2].Output, g.Axes[2].Stride = 1<<10, 1<<12
	assert.Nil(t, New(nil, g, gemm.New().Lanes(), 1, true))
	for i := range g.Axes {
		g.Axes[i] = conv.Axis{Input: 1 << 6, Output: 1, Kernel: 1, Stride: 1 << 6, Dilation: 1}
	}
	assert.Nil(t, NewTransposed(nil, g, gemm.New().Lanes(), 1, true), "a phase for each output")
	one := conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
	assert.Nil(t, New(nil, &Geometry{Batch: 1, Groups: 1, In: 1 << 26, Out: 1, Axes: [3]conv.Axis{one, one, one}}, gemm.New().Lanes(), 1, true), "panels of one row")
}

// TestBandAxis_wide tests a window whose tracks have more elements together than an int of 32 bits
// can count.
func TestBandAxis_wide(t *testing.T) {
	w := walk{input: 1 << 22, output: 1 << 20, stride: 1 << 20}
	for k := range 1 << 12 {
		w.offsets = append(w.offsets, k)
	}
	total := newBandAxis(nil, &w, w.output).total
	assert.Greater(t, total, maxMemory)
	assert.Less(t, total, 2*maxMemory)
}
