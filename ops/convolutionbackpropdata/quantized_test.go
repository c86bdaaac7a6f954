package convolutionbackpropdata

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// quantizedTrial is a QuantizedConvolutionBackpropData with random numbers.
type quantizedTrial struct {
	layer
	at     layertest.Attributes
	inputs []*ir.Tensor // without output_shape
}

func newQuantizedTrial(t *testing.T, rng *rand.Rand, l layer, outside int) *quantizedTrial {
	t.Helper()
	c := &quantizedTrial{layer: l, at: layertest.Attributes{
		"strides", layertest.List(l.strides), "dilations", layertest.List(l.dilations), "pads_begin", layertest.List(l.begin),
		"pads_end", layertest.List(l.end), "auto_pad", l.autoPad, "output_padding", layertest.List(l.outPadding),
		"outside", fmt.Sprint(outside), "grouped", "true",
	}}
	filters := l.filters
	if l.filters[0] == 1 {
		filters = filters[1:]
		c.at[len(c.at)-1] = "false"
	}
	channels := ir.Shape{l.filters[0] * l.filters[2]}
	c.inputs = []*ir.Tensor{
		layertest.Numbers(t, ir.U8, l.data), layertest.Numbers(t, ir.I8, filters), layertest.Numbers(t, ir.F32, channels), layertest.Numbers(t, ir.F32, channels),
	}
	for _, x := range c.inputs[:2] {
		for i := range x.Bytes() {
			x.Bytes()[i] = byte(rng.UintN(256))
		}
	}
	for i := range channels[0] { // sums are scaled exactly
		ir.Data[float32](c.inputs[2])[i], ir.Data[float32](c.inputs[3])[i] = 1/float32(int(1)<<rng.IntN(8)), float32(rng.IntN(9)-4)
	}
	return c
}

// check compares with the definition.
func (c *quantizedTrial) check(t *testing.T, outside int) {
	t.Helper()
	inputs := c.inputs
	if c.outputShape != nil {
		values := make([]int64, len(c.outputShape))
		for i, v := range c.outputShape {
			values[i] = int64(v)
		}
		inputs = append(inputs, layertest.Ints(t, ir.I64, ir.Shape{len(values)}, values...))
	}
	out, err := layertest.Run(&Ops[2], c.at, 2, inputs...)
	require.NoError(t, err)
	data := layertest.Floats(t, c.inputs[0])
	for i := range data {
		data[i] -= float64(outside)
	}
	want := c.reference(data, layertest.Floats(t, c.inputs[1]), out.Shape())
	scale, offset := layertest.Floats(t, c.inputs[2]), layertest.Floats(t, c.inputs[3])
	plane := out.Shape()[2:].Elements()
	for i := range want {
		o := i / plane % len(scale)
		want[i] = want[i]*scale[o] + offset[o]
	}
	layertest.CheckNear(t, &Ops[2], c.at, out.Shape(), want, 1e-2, inputs...)
}

// processors are the features that a processor lacks, for each kind of code.
var processors = cpu.Distinct([][]*cpu.Feature{
	nil, {cpu.AMX}, {cpu.AMX, cpu.AVX512VNNI}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVX512, cpu.DotProd},
	{cpu.AMX, cpu.AVX512VNNI, cpu.AVX512, cpu.FMA, cpu.AVX2, cpu.DotProd, cpu.NEON},
})

func TestQuantized(t *testing.T) {
	for _, off := range processors {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			accepted := 0
			for seed := range uint64(100) {
				if checkQuantized(t, seed) {
					accepted++
				}
			}
			assert.Greater(t, accepted, 60)
		})
	}
}

func FuzzQuantized(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkQuantized(t, seed) })
}

// checkQuantized compares a random layer, and reports whether its pads leave an output.
func checkQuantized(t *testing.T, seed uint64) bool {
	rng := rand.New(rand.NewPCG(seed, 5))
	n, groups, channels := 1+rng.IntN(3), 1, 1+rng.IntN(10)
	if rng.IntN(4) == 0 {
		groups = 1 + rng.IntN(3)
	}
	l := layer{
		strides: layertest.RandomInts(rng, 1, 3, n), dilations: layertest.RandomInts(rng, 1, 2, n),
		begin: layertest.RandomInts(rng, -1, 2, n), end: layertest.RandomInts(rng, -1, 2, n), outPadding: layertest.RandomInts(rng, 0, 2, n),
		autoPad: []string{"explicit", "same_upper", "same_lower", "valid"}[rng.IntN(4)],
		data:    append(ir.Shape{rng.IntN(4), groups * channels}, layertest.RandomInts(rng, 0, 11-2*n, n)...),
		filters: append(ir.Shape{groups, channels, rng.IntN(9)}, layertest.RandomInts(rng, 1, 4, n)...),
	}
	if rng.IntN(3) == 0 {
		l.outputShape = layertest.RandomInts(rng, 0, 24-4*n, n)
	}
	for i := range l.strides {
		length := l.strides[i]*(l.data[2+i]-1) + l.dilations[i]*(l.filters[3+i]-1) + 1 + l.outPadding[i]
		if l.autoPad == "explicit" {
			length -= l.begin[i] + l.end[i]
		}
		if l.outputShape == nil && (length < 0 || l.data[2+i] == 0) {
			return false
		}
	}
	outside := rng.IntN(256)
	newQuantizedTrial(t, rng, l, outside).check(t, outside)
	return true
}

// strided is a layer of two spatial axes without padding.
func strided(data, filters ir.Shape, strides ...int) layer {
	return layer{
		data: data, filters: filters, strides: strides, dilations: []int{1, 1}, begin: []int{0, 0}, end: []int{0, 0}, outPadding: []int{0, 0}, autoPad: "explicit",
	}
}

// TestQuantized_stages has other stages, and outputs of levels: of phases that share a product, of
// several images in a block, of deep windows, of groups, of a single phase, and of phases without
// elements of the filters.
func TestQuantized_stages(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, off := range processors {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			for _, l := range []layer{
				strided(ir.Shape{1, 6, 9, 20}, ir.Shape{1, 6, 20, 2, 2}, 2, 2), strided(ir.Shape{1, 9, 5, 9}, ir.Shape{1, 9, 7, 4, 3}, 2, 2),
				strided(ir.Shape{5, 9, 4, 3}, ir.Shape{1, 9, 7, 2, 1}, 1, 1), strided(ir.Shape{2, 1200, 3, 3}, ir.Shape{1, 1200, 5, 1, 2}, 1, 2),
				strided(ir.Shape{2, 8, 9, 8}, ir.Shape{2, 4, 3, 3, 3}, 3, 1), strided(ir.Shape{1, 4, 6, 8}, ir.Shape{1, 4, 3, 1, 2}, 2, 3),
			} {
				c := newQuantizedTrial(t, rng, l, 100)
				layertest.CheckStages(t, &Ops[2], c.at, 3, c.inputs...)
				layertest.CheckStore(t, &Ops[2], c.at, 3, c.inputs...)
			}
		})
	}
}

func TestQuantized_refuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for _, c := range []struct {
		outside int
		spoil   func(c *quantizedTrial)
		want    string
	}{
		{256, func(*quantizedTrial) {}, "256 is not 0 to 255"},
		{0, func(c *quantizedTrial) { c.inputs[0] = layertest.Numbers(t, ir.F32, c.data) }, "input 0 is f32, expected u8"},
		{0, func(c *quantizedTrial) { c.inputs[1] = layertest.Numbers(t, ir.U8, c.inputs[1].Shape()) }, "input 1 is u8, expected i8"},
		{0, func(c *quantizedTrial) { c.inputs[2] = layertest.Numbers(t, ir.F32, ir.Shape{4}) }, "input 2 is f32[4], expected 5 elements of f32"},
		{0, func(c *quantizedTrial) { c.inputs[3] = layertest.Numbers(t, ir.F64, ir.Shape{5}) }, "input 3 is f64[5], expected 5 elements of f32"},
		{0, func(c *quantizedTrial) {
			c.inputs[0], c.inputs[1] = layertest.Numbers(t, ir.U8, ir.Shape{1, 0, 3, 3}), layertest.Numbers(t, ir.I8, ir.Shape{0, 5, 2, 2})
		}, "input 1 is [0,5,2,2]: an output channel has 0 elements, expected 1 to 65793"},
		{0, func(c *quantizedTrial) {
			c.at[1] = "100,100"
		}, "input 1 is [6,5,2,2]: such windows need too much memory"},
	} {
		trial := newQuantizedTrial(t, rng, strided(ir.Shape{1, 6, 4, 3}, ir.Shape{1, 6, 5, 2, 2}, 2, 2), c.outside)
		c.spoil(trial)
		_, err := layertest.Run(&Ops[2], trial.at, 1, trial.inputs...)
		assert.ErrorContains(t, err, c.want)
	}
}
