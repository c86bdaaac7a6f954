package convolution

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// quantizedTrial is a QuantizedConvolution with random numbers.
type quantizedTrial struct {
	at            layertest.Attributes
	data, filters *ir.Tensor
	scale, offset *ir.Tensor
}

func newQuantizedTrial(t *testing.T, rng *rand.Rand, at layertest.Attributes, data, filters ir.Shape) *quantizedTrial {
	t.Helper()
	c := &quantizedTrial{at: at, data: layertest.Numbers(t, ir.U8, data), filters: layertest.Numbers(t, ir.I8, filters)}
	for _, x := range []*ir.Tensor{c.data, c.filters} {
		for i := range x.Bytes() {
			x.Bytes()[i] = byte(rng.UintN(256))
		}
	}
	channels := filters[0]
	if len(filters) > len(data) {
		channels *= filters[1]
	}
	// Sums are scaled exactly.
	c.scale, c.offset = layertest.Numbers(t, ir.F32, ir.Shape{channels}), layertest.Numbers(t, ir.F32, ir.Shape{channels})
	for i := range channels {
		ir.Data[float32](c.scale)[i], ir.Data[float32](c.offset)[i] = 1/float32(int(1)<<rng.IntN(8)), float32(rng.IntN(9)-4)
	}
	return c
}

// check compares with the convolution of numbers from which the value outside of the data was
// subtracted: one, or one for each channel.
func (c *quantizedTrial) check(t *testing.T, outside ...int) bool {
	t.Helper()
	at := append(layertest.Attributes{"outside", layertest.List(outside), "grouped", fmt.Sprint(len(c.filters.Shape()) > len(c.data.Shape()))}, c.at...)
	out, err := layertest.Run(&Ops[2], at, 2, c.data, c.filters, c.scale, c.offset)
	if err != nil {
		require.ErrorContains(t, err, "is longer than the padded input")
		return false
	}
	shifted, weights := layertest.Floats(t, c.data), layertest.Floats(t, c.filters)
	channels := c.data.Shape()[1]
	plane := c.data.Shape()[2:].Elements()
	for i := range shifted {
		shifted[i] -= float64(outside[i/plane%channels%len(outside)])
	}
	parsed, err := window.ParseQuantized(parse)(ir.AttributesOf(&ir.Layer{Data: at.Data()}))
	require.NoError(t, err)
	g, err := newGeometry(parsed.(*window.QuantizedAttributes).Of.(*window.Attributes), c.data.Shape(), c.filters.Shape(), out.Shape())
	require.NoError(t, err)
	want := reference(g, shifted, weights)
	depth := g.inChannels * g.taps()
	for i := range want {
		o := i / g.axes.Output() % (g.groups * g.outChannels)
		sum := 0.0
		for _, w := range weights[o*depth:][:depth] {
			sum += w
		}
		want[i] = (want[i]+sum*float64(outside[o/g.outChannels%len(outside)]))*float64(ir.Data[float32](c.scale)[o]) + float64(ir.Data[float32](c.offset)[o])
	}
	layertest.CheckNear(t, &Ops[2], at, out.Shape(), want, 1e-2, c.data, c.filters, c.scale, c.offset)
	return true
}

// processors are the features that a processor lacks, for each kind of code.
var processors = cpu.Distinct([][]*cpu.Feature{
	nil, {cpu.AMX}, {cpu.AMX, cpu.AVX512VNNI}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512, cpu.DotProd},
	{cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512, cpu.FMA, cpu.AVX2, cpu.DotProd, cpu.NEON},
})

func TestQuantized(t *testing.T) {
	for _, off := range processors {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			accepted := 0
			for seed := range uint64(150) {
				if checkQuantized(t, seed) {
					accepted++
				}
			}
			assert.Greater(t, accepted, 60)
		})
	}
}

// TestQuantized_panels has windows of one element, whose data is packed in one pass: channels that
// are no quad, of several blocks of the depth, and planes and batches whose columns are no whole
// panels.
func TestQuantized_panels(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for _, off := range processors {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			for _, shapes := range [][2]ir.Shape{
				{{1, 4, 4, 8}, {3, 4, 1, 1}}, {{1, 7, 7, 7}, {20, 7, 1, 1}}, {{1, 1, 5, 9}, {14, 1, 1, 1}}, {{1, 1101, 3, 11}, {13, 1101, 1, 1}},
				{{1, 6, 40, 41}, {5, 6, 1, 1}}, {{5, 5, 3, 7}, {13, 5, 1, 1}}, {{2, 3, 33, 47}, {30, 3, 1, 1}}, {{2, 24, 7, 7}, {3, 4, 8, 1, 1}},
			} {
				for _, at := range []layertest.Attributes{nil, {"pads_begin", "-1,-2", "pads_end", "0,-1"}} {
					assert.True(t, newQuantizedTrial(t, rng, at, shapes[0], shapes[1]).check(t, rng.IntN(256)), "%v %v", shapes, at)
				}
			}
		})
	}
}

func FuzzQuantized(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkQuantized(t, seed) })
}

// checkQuantized compares a random layer, and reports whether the shape rule accepts it.
func checkQuantized(t *testing.T, seed uint64) bool {
	rng := rand.New(rand.NewPCG(seed, 5))
	spatial, channels := 1+rng.IntN(3), 1+rng.IntN(10)
	data := append(ir.Shape{rng.IntN(4), channels}, layertest.RandomInts(rng, 0, 9, spatial)...)
	filters := append(ir.Shape{rng.IntN(20), channels}, layertest.RandomInts(rng, 1, 4, spatial)...)
	switch rng.IntN(5) {
	case 0:
		groups := 1 + rng.IntN(3)
		data[1] *= groups
		filters = append(ir.Shape{groups}, filters...)
	case 1:
		filters = append(ir.Shape{channels, rng.IntN(3), 1}, filters[2:]...)
	}
	at := layertest.Attributes{
		"strides", list(rng, 1, 3, spatial), "dilations", list(rng, 1, 2, spatial),
		"pads_begin", list(rng, -1, 2, spatial), "pads_end", list(rng, 0, 3, spatial),
		"auto_pad", []string{"explicit", "same_upper", "same_lower", "valid"}[rng.IntN(4)],
	}
	outside := []int{rng.IntN(256)}
	if len(filters) == 5 && len(data) == 4 && filters[0] > 1 && filters[2] == 1 && rng.IntN(2) == 0 {
		for range data[1] - 1 {
			outside = append(outside, rng.IntN(256))
		}
	}
	return newQuantizedTrial(t, rng, at, data, filters).check(t, outside...)
}

// TestQuantized_stages has biases, which are added to the offset, and other stages.
func TestQuantized_stages(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	for _, shapes := range [][2]ir.Shape{{{2, 6, 9, 8}, {20, 6, 3, 3}}, {{1, 8, 30}, {2, 5, 4, 1}}, {{2, 4, 9, 8}, {4, 1, 1, 3, 3}}, {{2, 6, 20, 25}, {7, 6, 1, 1}}} {
		c := newQuantizedTrial(t, rng, nil, shapes[0], shapes[1])
		layertest.CheckStages(t, &Ops[2], layertest.Attributes{"grouped", fmt.Sprint(len(shapes[1]) > len(shapes[0]))}, 3, c.data, c.filters, c.scale, c.offset)
	}
}

// TestQuantized_allocations runs a prepared layer several times.
func TestQuantized_allocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, shapes := range [][2]ir.Shape{{{2, 6, 9, 8}, {20, 6, 3, 3}}, {{2, 4, 9, 8}, {4, 1, 1, 3, 3}}, {{2, 6, 20, 25}, {7, 6, 1, 1}}} {
		c := newQuantizedTrial(t, rng, nil, shapes[0], shapes[1])
		at := layertest.Attributes{"grouped", fmt.Sprint(len(shapes[1]) > len(shapes[0]))}
		out, err := layertest.Run(&Ops[2], at, 1, c.data, c.filters, c.scale, c.offset)
		require.NoError(t, err)
		parsed, err := window.ParseQuantized(parse)(ir.AttributesOf(&ir.Layer{Data: at.Data()}))
		require.NoError(t, err)
		p := &ops.Preparation{Attributes: parsed, Threads: 1, Outputs: []ir.Fact{{Type: ir.F32, Shape: out.Shape().Partial()}}}
		inputs := []*ir.Tensor{c.data, c.filters, c.scale, c.offset}
		for _, x := range inputs {
			p.Inputs = append(p.Inputs, ir.Fact{Type: x.ElementType(), Shape: x.Shape().Partial(), Tensor: x})
		}
		prepared, err := Ops[2].Prepare(p)
		require.NoError(t, err)
		r := &ops.Run{Inputs: inputs, Outputs: []*ir.Tensor{out}, Scratch: ir.AlignedBytes(prepared.ScratchBytes)}
		// The call of package conv is allocated for windows of one channel.
		assert.LessOrEqual(t, testing.AllocsPerRun(3, func() { _ = prepared.Kernel(r) }), 1.0, prepared.Algorithm)
	}
}

// TestQuantized_stores has outputs of levels: of one image, of several ones in a block, of deep
// windows, and of groups of one channel.
func TestQuantized_stores(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, off := range processors {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			for _, shapes := range [][2]ir.Shape{
				{{1, 6, 9, 8}, {20, 6, 3, 3}}, {{5, 9, 4, 3}, {7, 9, 2, 1}}, {{2, 1200, 3, 3}, {5, 1200, 1, 1}},
				{{2, 4, 9, 8}, {4, 2, 1, 3, 3}}, {{1, 8, 30}, {2, 5, 4, 1}}, {{1, 3, 2, 6, 8}, {4, 3, 2, 3, 3}},
			} {
				c := newQuantizedTrial(t, rng, nil, shapes[0], shapes[1])
				layertest.CheckStore(t, &Ops[2], layertest.Attributes{"grouped", fmt.Sprint(len(shapes[1]) > len(shapes[0]))}, 3, c.data, c.filters, c.scale, c.offset)
			}
		})
	}
}

func TestQuantized_refuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for _, c := range []struct {
		at    layertest.Attributes
		spoil func(c *quantizedTrial)
		want  string
	}{
		{layertest.Attributes{"outside", "256"}, func(*quantizedTrial) {}, "256 is not 0 to 255"},
		{layertest.Attributes{"outside", "1,2"}, func(*quantizedTrial) {}, "attribute outside has 2 levels, expected one for such filters"},
		{layertest.Attributes{"outside", "1,2,3", "grouped", "true"}, func(c *quantizedTrial) {
			c.data, c.filters = layertest.Numbers(t, ir.U8, ir.Shape{1, 5, 4, 4}), layertest.Numbers(t, ir.I8, ir.Shape{5, 1, 1, 2, 2})
		}, "attribute outside has 3 levels, expected 1 or 5"},
		{nil, func(c *quantizedTrial) { c.data = layertest.Numbers(t, ir.F32, c.data.Shape()) }, "input 0 is f32, expected u8"},
		{nil, func(c *quantizedTrial) { c.filters = layertest.Numbers(t, ir.U8, c.filters.Shape()) }, "input 1 is u8, expected i8"},
		{nil, func(c *quantizedTrial) { c.scale = layertest.Numbers(t, ir.F32, ir.Shape{4}) }, "input 2 is f32[4], expected 5 elements of f32"},
		{nil, func(c *quantizedTrial) { c.offset = layertest.Numbers(t, ir.F64, ir.Shape{5}) }, "input 3 is f64[5], expected 5 elements of f32"},
		{nil, func(c *quantizedTrial) {
			c.data, c.filters = layertest.Numbers(t, ir.U8, ir.Shape{1, 0, 3}), layertest.Numbers(t, ir.I8, ir.Shape{5, 0, 2})
		}, "input 1 is [5,0,2]: an output channel has 0 elements, expected 1 to 65793"},
	} {
		trial := newQuantizedTrial(t, rng, nil, ir.Shape{1, 6, 4}, ir.Shape{5, 6, 2})
		c.spoil(trial)
		_, err := layertest.Run(&Ops[2], c.at, 1, trial.data, trial.filters, trial.scale, trial.offset)
		assert.ErrorContains(t, err, c.want)
	}
}
