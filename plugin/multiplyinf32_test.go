package plugin

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
)

// bytesOf adds integers of u8 as i32, of random floats.
func (n *network) bytesOf(shape string) port {
	return n.convert("i32", n.rounded("u8", n.input(shape), n.scalar(0.02), 128, 0, 255))
}

// weightsOf adds constant weights of i8 as i32.
func (n *network) weightsOf(rng *rand.Rand, shape string) port {
	return n.convert("i32", n.bits(rng, "i8", shape))
}

// multiplyInF32Tests are like passTests.
var multiplyInF32Tests = []struct {
	name  string
	build func(n *network, rng *rand.Rand)
	want  string
}{
	{"a product", func(n *network, rng *rand.Rand) {
		data := n.op("Subtract", n.bytesOf("2,3,8"), n.convert("i32", n.rounded("u8", n.input("1"), n.scalar(0.02), 0, 0, 255)))
		n.result(n.convert("f32", n.op("MatMul", data, n.weightsOf(rng, "8,5"))))
	}, "Add Clamp Clamp Convert Convert Convert Convert Convert Divide Divide MatMul Multiply Round Round Subtract"},
	{"zero points of weights", func(n *network, rng *rand.Rand) {
		weights := n.op("Subtract", n.weightsOf(rng, "8,5"), n.weightsOf(rng, "5"))
		n.result(n.convert("f32", n.op("MatMul", n.bytesOf("?,8"), weights)))
	}, "Add Clamp Convert Convert Convert Convert Divide MatMul Multiply Round Subtract"},
	// KeepCompressed must not round the integers once more.
	{"weights that stay in 8 bits", func(n *network, rng *rand.Rand) {
		n.result(n.convert("f32", n.op("MatMul", n.bytesOf("4,64"), n.weightsOf(rng, "64,64"))))
	}, "Add Clamp Convert Convert Convert Divide MatMul Multiply Round"},
	{"zero points that are 0", func(n *network, rng *rand.Rand) {
		n.bin = append(n.bin, 0)
		zero := n.convert("i32", n.constant("i8", "", 1))
		weights := n.op("Subtract", n.weightsOf(rng, "8,5"), zero)
		n.result(n.convert("f32", n.op("MatMul", n.bytesOf("?,8"), weights)))
	}, "Add Clamp Convert Convert Convert Divide MatMul Multiply Round"},
	{"a product of activations", func(n *network, _ *rand.Rand) {
		n.result(n.convert("f32", n.op("MatMul", n.bytesOf("3,8"), n.bytesOf("8,2"))))
	}, "Add Add Clamp Clamp Convert Convert Convert Convert Divide Divide MatMul Round Round"},
	{"a convolution", func(n *network, rng *rand.Rand) {
		n.result(n.convert("f32", n.op(`Convolution opset1 strides="1,1" dilations="1,1" pads_begin="1,1" pads_end="1,1"`, n.bytesOf("1,2,4,4"), n.weightsOf(rng, "3,2,3,3"))))
	}, "Add Clamp Convert Convert Convert Convolution Divide Round"},
	{"groups", func(n *network, rng *rand.Rand) {
		weights := n.op(`Reshape opset1 special_zero="false"`, n.weightsOf(rng, "4,1,3,3"), n.ints(2, 2, 1, 3, 3))
		n.result(n.convert("f32", n.op(`GroupConvolution opset1 strides="1,1" dilations="1,1" pads_begin="1,1" pads_end="1,1"`, n.bytesOf("1,2,4,4"), weights)))
	}, "Add Clamp Convert Convert Convert Divide GroupConvolution Reshape Round"},
	{"a bias", func(n *network, rng *rand.Rand) {
		bias := n.convert("i32", n.op("Floor", n.input("1,3,1,1")))
		y := n.op(`Convolution opset1 strides="1,1" dilations="1,1" pads_begin="1,1" pads_end="1,1"`, n.bytesOf("1,2,4,4"), n.weightsOf(rng, "3,2,3,3"))
		n.result(n.convert("f32", n.op("Add", bias, y)))
	}, "Add Add Clamp Convert Convert Convert Convert Convert Convolution Divide Floor Round"},
	{"a sum of products", func(n *network, rng *rand.Rand) {
		y := n.op("MatMul", n.bytesOf("2,8"), n.weightsOf(rng, "8,5"))
		n.result(n.convert("f32", n.op("Add", y, y)))
	}, ""},
	{"a sum that has another reader", func(n *network, rng *rand.Rand) {
		y := n.op("Add", n.op("MatMul", n.bytesOf("2,8"), n.weightsOf(rng, "8,5")), n.weightsOf(rng, "5"))
		n.result(n.convert("f32", y))
		n.result(n.convert("f32", n.op("Abs", y)))
	}, ""},
	{"integers that have another reader", func(n *network, rng *rand.Rand) {
		y := n.op("MatMul", n.bytesOf("2,8"), n.weightsOf(rng, "8,5"))
		n.result(n.convert("f32", y))
		n.result(n.convert("f32", n.op("Abs", y)))
	}, ""},
	{"integers of 16 bits", func(n *network, rng *rand.Rand) {
		data := n.convert("i32", n.convert("i16", n.input("2,8")))
		n.result(n.convert("f32", n.op("MatMul", data, n.weightsOf(rng, "8,5"))))
	}, ""},
	{"sums that may wrap", func(n *network, rng *rand.Rand) {
		n.result(n.convert("f32", n.op("MatMul", n.bytesOf("1,40000"), n.weightsOf(rng, "40000,1"))))
	}, ""},
	{"a transposed matrix", func(n *network, rng *rand.Rand) {
		n.result(n.convert("f32", n.op(`MatMul opset1 transpose_b="true"`, n.bytesOf("2,8"), n.weightsOf(rng, "5,8"))))
	}, ""},
}

func TestMultiplyInF32(t *testing.T) {
	for _, test := range multiplyInF32Tests {
		t.Run(test.name, func(t *testing.T) {
			n, rng := &network{}, rand.New(rand.NewPCG(1, 1))
			test.build(n, rng)
			checkPass(t, rng, n, MultiplyInF32, test.want)
		})
	}
}

// accurateProducts are products whose sums f32 has in ExecutionModeAccuracy, or not.
var accurateProducts = []struct {
	name  string
	build func(n *network, rng *rand.Rand) port
	f32   bool
}{
	{"few terms", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.bytesOf("3,500"), n.weightsOf(rng, "500,5"))
	}, true},
	{"many terms", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.bytesOf("3,2000"), n.weightsOf(rng, "2000,5"))
	}, false},
	{"filters", func(n *network, rng *rand.Rand) port {
		return n.op(`Convolution opset1 strides="1,1" dilations="1,1" pads_begin="1,1" pads_end="1,1"`, n.bytesOf("1,20,4,4"), n.weightsOf(rng, "90,20,3,3"))
	}, true},
	{"filters of groups", func(n *network, rng *rand.Rand) port {
		weights := n.op(`Reshape opset1 special_zero="false"`, n.weightsOf(rng, "90,20,3,3"), n.ints(2, 45, 20, 3, 3))
		return n.op(`GroupConvolution opset1 strides="1,1" dilations="1,1" pads_begin="1,1" pads_end="1,1"`, n.bytesOf("1,40,4,4"), weights)
	}, true},
	{"a product of activations", func(n *network, _ *rand.Rand) port {
		return n.op("MatMul", n.bytesOf("3,8"), n.bytesOf("8,2"))
	}, false},
}

// TestMultiplyInF32_accuracy compares with products of i32, which have the same bits.
func TestMultiplyInF32_accuracy(t *testing.T) {
	for _, test := range accurateProducts {
		t.Run(test.name, func(t *testing.T) {
			n, rng := &network{}, rand.New(rand.NewPCG(1, 1))
			n.result(n.op("Abs", test.build(n, rng)))
			checkAccurate(t, rng, n, test.f32)
		})
	}
}

// checkAccurate checks whether a product is one of f32 with MultiplyInF32, and its results.
func checkAccurate(t *testing.T, rng *rand.Rand, n *network, f32 bool) {
	t.Helper()
	inputs := n.randomInputs(t, rng)
	before, want := n.runAccurate(t, inputs, ComputeInIntegers, MultiplyInF32)
	types, got := n.runAccurate(t, inputs, ComputeInIntegers) // which is exact too, and comes first
	require.Equal(t, ir.Data[int32](want), ir.Data[int32](got))
	require.Equal(t, f32, types != before)
}

// runAccurate runs n, compiled for accuracy, without some optimizations. It returns the types of
// the layers and output 0.
func (n *network) runAccurate(t *testing.T, inputs []*ir.Tensor, disable ...Optimization) (types string, out *ir.Tensor) {
	t.Helper()
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	options := CompileOptions{InferenceNumThreads: 1, ExecutionMode: ExecutionModeAccuracy, Disable: disable}
	compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), options)
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	for i := range inputs {
		require.NoError(t, request.SetInput(i, inputs[i]))
	}
	require.NoError(t, request.Infer(background))
	return typesOf(compiled.program.Model), request.Output(0)
}
