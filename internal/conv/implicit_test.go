package conv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/parallel"
)

// randomGeometry returns a small convolution.
func randomGeometry(rng *rand.Rand) *Geometry {
	g := &Geometry{Batch: 1 + rng.IntN(3), Groups: 1, In: 1 + rng.IntN(9), Out: 1 + rng.IntN(40)}
	if rng.IntN(3) == 0 {
		g.Groups, g.In, g.Out = 1+rng.IntN(4), 1+rng.IntN(4), 1+rng.IntN(6)
	}
	first := rng.IntN(3) // the axes before it are missing
	grown := false
	for i := range g.Axes {
		a := Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
		if i >= first {
			a = Axis{Input: 1 + rng.IntN(10), Kernel: 1 + rng.IntN(4), Stride: 1 + rng.IntN(3), Dilation: 1 + rng.IntN(3)}
			if !grown && rng.IntN(4) == 0 {
				a.Input, a.Kernel = 1+rng.IntN(70), 1+rng.IntN(2)
				grown = true
			}
			if rng.IntN(3) > 0 {
				a.PadBegin = rng.IntN(6) - 1
			}
			length := a.Input + a.PadBegin + max(rng.IntN(6)-1, 0) - (a.Kernel-1)*a.Dilation - 1
			if a.Output = length/a.Stride + 1; length < 0 {
				a.Kernel, a.PadBegin, a.Output = 1, 0, (a.Input-1)/a.Stride+1
			}
		}
		g.Axes[i] = a
	}
	return g
}

// sizes returns the numbers of elements of an input channel, of a filter for one input channel, and
// of an output channel.
func (g *Geometry) sizes() (in, taps, out int) {
	in, taps, out = 1, 1, 1
	for _, a := range g.Axes {
		in, taps, out = in*a.Input, taps*a.Kernel, out*a.Output
	}
	return in, taps, out
}

// reference calls f for each product of the definition, with the indexes of the input element, the
// filter element and the output element.
func (g *Geometry) reference(f func(in, filter, out int)) {
	_, taps, outPlane := g.sizes()
	at := func(i, axis int, length func(a *Axis) int) int {
		for j := 2; j > axis; j-- {
			i /= length(&g.Axes[j])
		}
		return i % length(&g.Axes[axis])
	}
	for o := range g.Batch * g.Groups * g.Out * outPlane {
		channel := o / outPlane % (g.Groups * g.Out)
		first := o/outPlane/(g.Groups*g.Out)*g.Groups*g.In + channel/g.Out*g.In
		for k := range g.In * taps {
			in, inside := first+k/taps, true
			for axis := range g.Axes {
				a := &g.Axes[axis]
				p := a.At(at(o, axis, func(a *Axis) int { return a.Output }), at(k, axis, func(a *Axis) int { return a.Kernel }))
				inside = inside && p >= 0 && p < a.Input
				in = in*a.Input + p
			}
			if inside {
				f(in, channel*g.In*taps+k, o)
			}
		}
	}
}

// finishSums returns a random Epilogue and applies it to want.
func finishSums(rng *rand.Rand, channels, plane int, want []float64) *Epilogue {
	e := &Epilogue{}
	if rng.IntN(2) == 0 {
		e.Bias = whole(rng, channels)
	}
	if rng.IntN(2) == 0 {
		e.Clamp, e.Lo, e.Hi = true, -5, 20
	}
	if rng.IntN(2) == 0 {
		e.Finish = func(x []float32, at int) {
			for i := range x {
				x[i] = 2*x[i] + float32((at+i)%5)
			}
		}
	}
	for i := range want {
		if e.Bias != nil {
			want[i] += float64(e.Bias[i/plane%channels])
		}
		if e.Clamp {
			want[i] = min(max(want[i], -5), 20)
		}
		if e.Finish != nil {
			want[i] = 2*want[i] + float64(i%5)
		}
	}
	return e
}

// whole returns small whole numbers: their products and sums are exact.
func whole(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.IntN(7) - 3)
	}
	return x
}

// checkImplicit compares a random convolution, and the transpose of one, with the
// definition.
func checkImplicit(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	g := randomGeometry(rng)
	threads, constant := 1+rng.IntN(3), rng.IntN(2) == 0
	transposed := rng.IntN(2) == 0
	m := NewImplicit(nil, g, threads, constant)
	if transposed {
		m = NewTransposed(nil, g, threads, constant)
	}
	if m == nil {
		return
	}
	checkProduct(t, rng, g, m, threads, constant, transposed)
}

// checkProduct compares the plan m of g, or of its transpose, with the definition.
func checkProduct(t *testing.T, rng *rand.Rand, g *Geometry, m Product, threads int, constant, transposed bool) {
	t.Helper()
	inPlane, taps, outPlane := g.sizes()
	if transposed {
		inPlane, outPlane = outPlane, inPlane
	}
	in := whole(rng, g.Batch*g.Groups*g.In*inPlane)
	filters := whole(rng, g.Groups*g.Out*g.In*taps)
	want := make([]float64, g.Batch*g.Groups*g.Out*outPlane)
	if transposed {
		c := *g
		c.In, c.Out = g.Out, g.In
		c.reference(func(to, filter, from int) { want[to] += float64(in[from]) * float64(filters[filter]) })
	} else {
		g.reference(func(from, filter, to int) { want[to] += float64(in[from]) * float64(filters[filter]) })
	}
	call := &Call{In: in, Filters: filters, Out: make([]float32, len(want)), Scratch: make([]byte, m.ScratchBytes()+64)}
	for i := range call.Scratch {
		call.Scratch[i] = 0xcd
	}
	for i := range call.Out {
		call.Out[i] = float32(math.NaN())
	}
	call.Epilogue = finishSums(rng, g.Groups*g.Out, outPlane, want)
	if constant {
		call.Filters = m.PackFilters(nil, filters)
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
	for name, off := range map[string][]*cpu.Feature{
		"all": nil, "AVX2": {cpu.AVX512}, "portable": {cpu.AVX512, cpu.FMA, cpu.AVX2},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range off {
				defer f.Disable()()
			}
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
		l := newBandAxis(&w, w.output)
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
		g.Axes[i] = Axis{Input: 1, Output: 1, Kernel: 1 << 10, Stride: 1, Dilation: 1, PadBegin: 1 << 9}
	}
	g.Axes[0].Kernel = 1
	g.Axes[1].Output, g.Axes[1].Stride = 1<<10, 1<<12
	g.Axes[2].Output, g.Axes[2].Stride = 1<<10, 1<<12
	assert.Nil(t, NewImplicit(nil, g, 1, true))
	for i := range g.Axes {
		g.Axes[i] = Axis{Input: 1 << 6, Output: 1, Kernel: 1, Stride: 1 << 6, Dilation: 1}
	}
	assert.Nil(t, NewTransposed(nil, g, 1, true), "a phase for each output")
	one := Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
	assert.Nil(t, NewImplicit(nil, &Geometry{Batch: 1, Groups: 1, In: 1 << 26, Out: 1, Axes: [3]Axis{one, one, one}}, 1, true), "panels of one row")
}

// TestBandAxis_wide tests a window whose tracks have more elements together than an int of 32 bits
// can count.
func TestBandAxis_wide(t *testing.T) {
	w := walk{input: 1 << 22, output: 1 << 20, stride: 1 << 20}
	for k := range 1 << 12 {
		w.offsets = append(w.offsets, k)
	}
	total := newBandAxis(&w, w.output).total
	assert.Greater(t, total, maxMemory)
	assert.Less(t, total, 2*maxMemory)
}
