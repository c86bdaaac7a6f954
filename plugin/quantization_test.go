package plugin

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/gemm"
)

// moveTests have layers between quantized data and a convolution of a number of channels. The
// levels of the data are -1.28 to 1.27 in steps of 0.01, or, if steps fall, the same numbers in
// reverse. moves says whether the layer moves levels.
var moveTests = []struct {
	layer, data string
	channels    int
	inputs      func(n *network) []port
	falls       bool
	moves       bool
}{
	{"AdaptiveMaxPool opset8", "1,3,6,8", 3, func(n *network) []port { return []port{n.ints(2, 3)} }, false, true},
	{"BatchToSpace opset2", "4,2,3,3", 2, func(n *network) []port { return []port{n.ints(1, 1, 2, 2), n.ints(0, 0, 0, 0), n.ints(0, 0, 0, 1)} }, false, true},
	{`Broadcast opset3 mode="numpy"`, "1,3,1,4", 3, func(n *network) []port { return []port{n.ints(2, 3, 5, 4)} }, false, true},
	{`DepthToSpace opset1 mode="blocks_first" block_size="2"`, "1,8,3,3", 2, nil, false, true},
	{"Gather opset8", "1,3,6,8", 2, func(n *network) []port { return []port{n.ints(2, 0), n.ints(1)} }, false, true},
	// out of range
	{"Gather opset8", "1,3,6,8", 2, func(n *network) []port { return []port{n.ints(2, 3), n.ints(-3)} }, false, false},
	{"Gather opset8", "1,3,6,8", 2, func(n *network) []port { return []port{n.ints(2, -1), n.ints(1)} }, false, false},
	{`GatherElements opset6 axis="3"`, "1,1,2,3", 1, func(n *network) []port { return []port{n.shapedInts("1,1,2,2", 0, 2, 1, 1)} }, false, true},
	{"GatherND opset8", "1,2,3,3", 2, func(n *network) []port { return []port{n.shapedInts("1,1", 0)} }, false, true},
	{`Interpolate opset4 mode="nearest" shape_calculation_mode="sizes"`, "1,3,4,4", 3, func(n *network) []port { return []port{n.ints(8, 6), n.floats("2", 2, 1.5), n.ints(2, 3)} }, false, true},
	{`Interpolate opset4 mode="linear" shape_calculation_mode="sizes"`, "1,3,4,4", 3, func(n *network) []port { return []port{n.ints(8, 6), n.floats("2", 2, 1.5), n.ints(2, 3)} }, false, false},
	{`Interpolate opset4 mode="nearest" shape_calculation_mode="sizes" pads_begin="0,0,1,0" pads_end="0"`, "1,3,4,4", 3, func(n *network) []port {
		return []port{n.ints(8, 6), n.floats("2", 2, 1.5), n.ints(2, 3)}
	}, false, false},
	{`MaxPool opset8 strides="2,2" dilations="1,1" kernel="2,2" pads_begin="0,0" pads_end="1,0" rounding_type="floor"`, "1,3,6,8", 3, nil, false, true},
	{`MaxPool opset8 strides="2,2" dilations="1,1" kernel="2,2" pads_begin="0,0" pads_end="1,0" rounding_type="floor"`, "1,3,6,8", 3, nil, true, false},
	{`Pad opset1 pad_mode="constant"`, "1,3,4,4", 3, func(n *network) []port { return []port{n.ints(0, 0, 1, 1), n.ints(0, 0, 1, -1), n.scalar(0.5)} }, false, true},
	{`Pad opset1 pad_mode="constant"`, "1,3,4,4", 3, func(n *network) []port { return []port{n.ints(0, 0, 1, 1), n.ints(0, 0, 1, 0)} }, true, true},
	{`Pad opset1 pad_mode="constant"`, "1,3,4,4", 3, func(n *network) []port { return []port{n.ints(0, 0, 1, 1), n.ints(0, 0, 1, 0), n.scalar(0.505)} }, false, false},
	{`Pad opset1 pad_mode="constant"`, "1,3,4,4", 3, func(n *network) []port { return []port{n.ints(0, 0, 1, 1), n.ints(0, 0, 1, 0), n.scalar(1.28)} }, false, false},
	{`Pad opset1 pad_mode="reflect"`, "1,3,4,4", 3, func(n *network) []port { return []port{n.ints(0, 0, 1, 1), n.ints(0, 0, 1, 0), n.scalar(9)} }, false, true},
	{`ReduceMax opset1 keep_dims="true"`, "1,3,6,8", 3, func(n *network) []port { return []port{n.ints(2, 3)} }, false, true},
	{`ReduceMax opset1 keep_dims="true"`, "1,3,6,8", 3, func(n *network) []port { return []port{n.ints(2, 3)} }, true, false},
	// perhaps of nothing
	{`ReduceMax opset1 keep_dims="true"`, "?,3,6,8", 3, func(n *network) []port { return []port{n.ints(2, 3)} }, false, false},
	{`ReverseSequence opset1 batch_axis="0" seq_axis="2"`, "1,3,6,8", 3, func(n *network) []port { return []port{n.ints(3)} }, true, true},
	{"Roll opset7", "1,3,6,8", 3, func(n *network) []port { return []port{n.ints(1), n.ints(3)} }, true, true},
	{`ShuffleChannels opset1 axis="1" group="2"`, "1,4,3,3", 4, nil, false, true},
	{"Slice opset8", "1,3,6,8", 2, func(n *network) []port { return []port{n.ints(1), n.ints(3), n.ints(1), n.ints(1)} }, false, true},
	{`SpaceToDepth opset1 mode="blocks_first" block_size="2"`, "1,2,4,4", 8, nil, false, true},
	{"Tile opset1", "1,2,3,4", 4, func(n *network) []port { return []port{n.ints(1, 2, 2, 1)} }, false, true},
}

// TestComputeInIntegers_moves is TestComputeInIntegers for layers that may move levels.
func TestComputeInIntegers_moves(t *testing.T) {
	if !gemm.QuadsPay() {
		t.Skip("convolutions in integers do not pay on this processor")
	}
	for _, test := range moveTests {
		t.Run(test.layer, func(t *testing.T) {
			rng, n := rand.New(rand.NewPCG(1, 1)), &network{}
			low, high := float32(-1.28), float32(1.27)
			x := n.input(test.data)
			if test.falls {
				x = n.quantized(x, low, high, high, low)
			} else {
				x = n.quantized(x, low, high, low, high)
			}
			inputs := []port{x}
			if test.inputs != nil {
				inputs = append(inputs, test.inputs(n)...)
			}
			words := append(strings.SplitN(test.layer, " ", 3), "")
			outputs := 1
			if strings.HasSuffix(words[0], "MaxPool") {
				outputs = 2
			}
			y := n.layer(words[0], words[1], words[2], outputs, inputs...)[0]
			n.result(n.op(`Convolution opset1 strides="1,1" dilations="1,1" pads_begin="0,0" pads_end="0,0"`, y, n.weights(rng, fmt.Sprint("4,", test.channels, ",1,1"), n.scalar(0.01))))
			want := ""
			if test.moves {
				types := []string{words[0], "Quantize", "QuantizedConvolution"}
				slices.Sort(types)
				want = strings.Join(types, " ")
			}
			checkPass(t, rng, n, ComputeInIntegers, want)
		})
	}
}

// limitTests have layers between an input of the given shape and a FakeQuantize to low to high,
// behind which is a convolution. left are those of them that do not become part of a Quantize.
var limitTests = []struct {
	name, shape string
	low, high   float32
	layers      func(n *network, rng *rand.Rand, x port) port
	left        string
}{
	{"normalized", "2,3,6,8", 0, 2.1, func(n *network, rng *rand.Rand, x port) port {
		x = n.op("Multiply", x, n.random(rng, 0.5, 2, 1, 3, 1, 1))
		return n.op("Relu", n.op("Add", n.random(rng, -1, 1, 1, 3, 1, 1), x))
	}, ""},
	{"negative factors", "1,3,6,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port {
		return n.op("Add", n.op("Multiply", x, n.floats("3,1,1", -0.7, 0.9, -1.3)), n.scalar(0.31))
	}, ""},
	{"one factor", "1,3,2,2", -1, 2.1, func(n *network, rng *rand.Rand, x port) port { return n.op("Multiply", n.scalar(-0.7), x) }, ""},
	{"clamped", "1,3,6,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port {
		return n.op(`Clamp opset1 min="-1" max="2.125"`, n.op("Multiply", x, n.scalar(0.9)))
	}, ""},
	{"behind a clamp", "1,3,6,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port {
		return n.op("Multiply", n.op(`Clamp opset1 min="-0.5" max="1.5"`, x), n.floats("3,1,1", -0.7, 0.9, -1.3))
	}, "Clamp"},
	{"clamped to less", "1,3,6,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port {
		return n.op(`Clamp opset1 min="-0.5" max="2.125"`, n.op("Multiply", x, n.scalar(0.9)))
	}, "Clamp Multiply"},
	{"rectified to less", "1,3,6,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port {
		return n.op("Relu", n.op("Multiply", x, n.scalar(0.9)))
	}, "Multiply Relu"},
	{"only added", "1,3,6,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port { return n.op("Add", x, n.random(rng, -1, 1, 1, 3, 1, 1)) }, "Add"},
	{"a factor that is zero", "1,3,6,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port {
		return n.op("Multiply", x, n.floats("3,1,1", 1, 0, 2))
	}, "Multiply"},
	{"factors of columns", "1,3,6,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port { return n.op("Multiply", x, n.random(rng, 0.5, 2, 8)) }, "Multiply"},
	{"a product of inputs", "1,3,6,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port { return n.op("Multiply", x, n.input("1,3,6,8")) }, "Multiply"},
	{"read twice", "1,3,6,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port {
		x = n.op("Multiply", x, n.scalar(0.9))
		n.result(x)
		return x
	}, "Multiply"},
	{"small planes", "1,3,3,4", -1, 2.1, func(n *network, rng *rand.Rand, x port) port { return n.op("Multiply", x, n.floats("3,1,1", 1, 2, 3)) }, "Multiply"},
	{"unknown planes", "1,3,?,8", -1, 2.1, func(n *network, rng *rand.Rand, x port) port { return n.op("Multiply", x, n.scalar(2.2)) }, "Multiply"},
}

// TestMergeAffine_limits has multiplications before a FakeQuantize.
func TestMergeAffine_limits(t *testing.T) {
	if !gemm.QuadsPay() {
		t.Skip("convolutions in integers do not pay on this processor")
	}
	for _, test := range limitTests {
		t.Run(test.name, func(t *testing.T) {
			rng, n := rand.New(rand.NewPCG(1, 1)), &network{}
			x := test.layers(n, rng, n.input(test.shape))
			x = n.quantized(x, test.low, test.high, test.low, test.high)
			n.result(n.op(`Convolution opset1 strides="1,1" dilations="1,1" pads_begin="0,0" pads_end="0,0"`, x, n.weights(rng, "4,3,1,1", n.scalar(0.01))))
			types := append(strings.Fields(test.left), "Quantize", "QuantizedConvolution")
			slices.Sort(types)
			checkPassesOf(t, rng, n, strings.Join(types, " "), ComputeInIntegers, MergeAffine)
		})
	}
}

// TestComputeInIntegers_behind has elementwise layers between a product and a FakeQuantize whose
// result is read as floats.
func TestComputeInIntegers_behind(t *testing.T) {
	if !gemm.QuadsPay() {
		t.Skip("convolutions in integers do not pay on this processor")
	}
	for between, want := range map[string]string{
		"Sigmoid":                   "Dequantize Quantize Quantize QuantizedConvolution Sigmoid",
		"Softmax opset8 axis=\"1\"": "FakeQuantize Quantize QuantizedConvolution Softmax",
	} {
		rng, n := rand.New(rand.NewPCG(1, 1)), &network{}
		x := n.quantized(n.input("1,4,6,8"), -1.28, 1.27, -1.28, 1.27)
		x = n.op(`Convolution opset1 strides="1,1" dilations="1,1" pads_begin="0,0" pads_end="0,0"`, x, n.weights(rng, "4,4,1,1", n.scalar(0.01)))
		n.result(n.quantized(n.op(between, x), 0, 1, 0, 1))
		checkPass(t, rng, n, ComputeInIntegers, want)
	}
}

// TestComputeInIntegers_memory has a convolution whose quads have four bytes or two words. The
// model keeps nothing else of its size.
func TestComputeInIntegers_memory(t *testing.T) {
	if !gemm.QuadsPay() {
		t.Skip("convolutions in integers do not pay on this processor")
	}
	rng, n := rand.New(rand.NewPCG(1, 1)), &network{}
	x := n.quantized(n.input("1,512,8,8"), -1.28, 1.27, -1.28, 1.27)
	w := n.op("Multiply", n.op(`Convert opset1 destination_type="f32"`, n.bits(rng, "i8", "512,512,1,1")), n.scalar(0.01))
	n.result(n.op(`Convolution opset1 strides="1,1" dilations="1,1" pads_begin="0,0" pads_end="0,0"`, x, w))
	compiled := compileNetwork(t, n)
	memory, ok := compiled.Memory()
	require.True(t, ok)
	assert.LessOrEqual(t, float64(memory.Kept), 1.15*512*512*4/float64(gemm.QuadSize()))
}

// TestComputeInIntegers_numberedRow has one row and weights that are numbers of levels. With AVX2
// it is multiplied by the bytes as they are.
func TestComputeInIntegers_numberedRow(t *testing.T) {
	if !gemm.HasWords() {
		t.Skip("the processor multiplies bytes")
	}
	rng, n := rand.New(rand.NewPCG(1, 1)), &network{}
	x := n.quantized(n.input("1,8"), 0, 3, 0, 3)
	n.result(n.op(`MatMul opset1 transpose_b="true"`, x, n.numbered(rng, "4,8", 254, n.floats("4,1", -1, -2, -3, -4), n.floats("4,1", 1, 2, 3, 4))))
	n.result(n.op("MatMul", x, n.numbered(rng, "8,4", 254, n.scalar(-1), n.scalar(1))))
	checkPass(t, rng, n, ComputeInIntegers, "Convert Convert FakeQuantize MatMul MatMul Multiply Multiply")
}
