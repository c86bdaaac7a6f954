package plugin

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
)

// zeroOfBytes adds a zero point of u8 as i32, of random floats.
func (n *network) zeroOfBytes(shape string) port {
	return n.convert("i32", n.rounded("u8", n.input(shape), n.scalar(0.02), 0, 0, 255))
}

// bytes adds a Constant of bytes of a type as i32.
func (n *network) bytes(elementType, shape string, values ...byte) port {
	n.bin = append(n.bin, values...)
	return n.convert("i32", n.constant(elementType, shape, len(values)))
}

// productOfCodesTests have products of integers that are converted to f32. want has the layers that
// stay besides those of the quantization; it is empty if nothing changes.
var productOfCodesTests = []struct {
	name  string
	build func(n *network, rng *rand.Rand) port
	want  string
}{
	{"a zero point", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.op("Subtract", n.bytesOf("2,3,8"), n.zeroOfBytes("1")), n.weightsOf(rng, "8,5"))
	}, "Add Clamp Clamp Convert Convert Convert Divide Divide Multiply QuantizedMatMul Round Round Subtract"},
	{"a transposed matrix", func(n *network, rng *rand.Rand) port {
		return n.op(`MatMul opset1 transpose_b="true"`, n.op("Subtract", n.bytesOf("2,3,8"), n.zeroOfBytes("1")), n.weightsOf(rng, "5,8"))
	}, "Add Clamp Clamp Convert Convert Convert Divide Divide Multiply QuantizedMatMul Round Round Subtract"},
	{"no zero point", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.bytesOf("?,8"), n.weightsOf(rng, "8,5"))
	}, "Add Clamp Convert Divide QuantizedMatMul Round"},
	{"unsigned weights", func(n *network, rng *rand.Rand) port {
		weights := n.op("Subtract", n.convert("i32", n.bits(rng, "u8", "8,5")), n.bytes("u8", "", 128))
		return n.op("MatMul", n.op("Subtract", n.bytesOf("2,8"), n.zeroOfBytes("1")), weights)
	}, "Add Clamp Clamp Convert Convert Convert Divide Divide Multiply QuantizedMatMul Round Round Subtract"},
	{"zero points of columns", func(n *network, _ *rand.Rand) port {
		weights := n.op("Subtract", n.bytes("i8", "4,2", 1, 254, 3, 4, 5, 6, 7, 127), n.bytes("i8", "2", 255, 2))
		return n.op("MatMul", n.bytesOf("2,4"), weights)
	}, "Add Clamp Convert Divide QuantizedMatMul Round"},
	{"zero points of rows of weights", func(n *network, _ *rand.Rand) port {
		weights := n.op("Subtract", n.bytes("i8", "4,2", 1, 254, 3, 4, 5, 6, 7, 127), n.bytes("i8", "4,1", 255, 2, 0, 0))
		return n.op("MatMul", n.bytesOf("2,4"), weights)
	}, "Add Clamp Convert Divide QuantizedMatMul Round"},
	{"weights that i8 cannot hold", func(n *network, _ *rand.Rand) port {
		weights := n.op("Subtract", n.bytes("u8", "4,1", 129, 0, 3, 4), n.bytes("u8", "", 1))
		return n.op("MatMul", n.bytesOf("2,4"), weights)
	}, "Add Add Clamp Convert Convert Divide Multiply QuantizedMatMul ReduceSum Round"},
	{"weights that i8 cannot hold, and zero points of columns", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.op("Subtract", n.bytesOf("2,3,8"), n.zeroOfBytes("3,1")), n.weightsLess(rng, "u8", "8,5", "1,5"))
	}, "Add Add Clamp Clamp Convert Convert Convert Convert Divide Divide Multiply Multiply Multiply QuantizedMatMul ReduceSum Round Round Subtract Subtract"},
	{"transposed weights that i8 cannot hold", func(n *network, rng *rand.Rand) port {
		return n.op(`MatMul opset1 transpose_b="true"`, n.bytesOf("3,8"), n.weightsLess(rng, "i8", "5,8", "5,1"))
	}, "Add Add Clamp Convert Convert Divide Multiply QuantizedMatMul ReduceSum Round"},
	{"weights that i8 cannot hold, and zero points of rows of weights", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.bytesOf("3,8"), n.weightsLess(rng, "u8", "8,8", "8,1"))
	}, ""},
	{"zero points of rows", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.op("Subtract", n.bytesOf("2,8"), n.zeroOfBytes("2,1")), n.weightsOf(rng, "8,5"))
	}, "Add Clamp Clamp Convert Convert Convert Divide Divide Multiply QuantizedMatMul Round Round Subtract"},
	{"a zero point that differs along a row", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.op("Subtract", n.bytesOf("2,8"), n.zeroOfBytes("8")), n.weightsOf(rng, "8,5"))
	}, ""},
	{"a zero point with more axes than the data", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.op("Subtract", n.bytesOf("2,8"), n.zeroOfBytes("1,1,1")), n.weightsOf(rng, "8,5"))
	}, ""},
	{"weights that are larger with their zero points", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.bytesOf("2,8"), n.weightsLess(rng, "u8", "8,1", "5"))
	}, ""},
	{"a depth that is no multiple of 4", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.bytesOf("2,6"), n.weightsOf(rng, "6,5"))
	}, ""},
	{"two activations", func(n *network, _ *rand.Rand) port {
		return n.op("MatMul", n.bytesOf("2,8"), n.bytesOf("8,5"))
	}, ""},
	{"transposed data", func(n *network, rng *rand.Rand) port {
		return n.op(`MatMul opset1 transpose_a="true"`, n.bytesOf("8,2"), n.weightsOf(rng, "8,5"))
	}, ""},
	{"a batch of matrices", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.bytesOf("2,3,8"), n.weightsOf(rng, "2,8,5"))
	}, ""},
	{"integers that have another reader", func(n *network, rng *rand.Rand) port {
		y := n.op("MatMul", n.bytesOf("2,8"), n.weightsOf(rng, "8,5"))
		n.result(n.convert("f32", n.op("Abs", y)))
		return y
	}, "Abs Add Clamp Convert Convert Convert Convert Divide QuantizedMatMul Round"},
	{"long rows of integers", func(n *network, rng *rand.Rand) port {
		return n.op("Abs", n.op("MatMul", n.op("Subtract", n.bytesOf("3,1040"), n.zeroOfBytes("3,1")), n.weightsOf(rng, "1040,3")))
	}, "Abs Add Add Add Clamp Clamp Convert Convert Convert Convert Convert Convert Convert Divide Divide Multiply QuantizedMatMul QuantizedMatMul QuantizedMatMul Round Round Slice Slice Slice Subtract"},
	{"long rows of integers, and transposed weights", func(n *network, rng *rand.Rand) port {
		return n.op("Abs", n.op(`MatMul opset1 transpose_b="true"`, n.bytesOf("3,1040"), n.weightsOf(rng, "3,1040")))
	}, ""},
	{"codes of 4 bits that wrap around in u8", func(n *network, rng *rand.Rand) port {
		data := n.convert("i32", n.convert("u8", n.convert("i4", n.op("Floor", n.input("3,8")))))
		return n.op("MatMul", data, n.weightsLess(rng, "u8", "8,5", "5"))
	}, "Add Convert Convert Convert Floor Multiply QuantizedMatMul ReduceSum"},
	{"integers with weights that i8 cannot hold", func(n *network, rng *rand.Rand) port {
		return n.op("Abs", n.op("MatMul", n.op("Subtract", n.bytesOf("3,8"), n.zeroOfBytes("1")), n.weightsLess(rng, "u8", "8,5", "5")))
	}, "Abs Add Add Clamp Clamp Convert Convert Convert Convert Convert Convert Divide Divide Multiply Multiply Multiply QuantizedMatMul ReduceSum Round Round Subtract Subtract"},
}

// weightsLess adds constant weights less zero points, as i32.
func (n *network) weightsLess(rng *rand.Rand, elementType, shape, zeros string) port {
	of := func(shape string) port { return n.convert("i32", n.bits(rng, elementType, shape)) }
	return n.op("Subtract", of(shape), of(zeros))
}

// TestComputeInIntegers_codes has products of integers that no FakeQuantize returns.
func TestComputeInIntegers_codes(t *testing.T) {
	for _, test := range productOfCodesTests {
		withoutInstructions(t, test.name, func(t *testing.T) {
			n, rng := &network{}, rand.New(rand.NewPCG(1, 1))
			n.result(n.convert("f32", test.build(n, rng)))
			checkPass(t, rng, n, ComputeInIntegers, ifBytesPay(test.want))
		})
	}
}

// ifBytesPay returns the layers that ComputeInIntegers leaves, or "" for no change if products of
// bytes do not pay on the processor.
func ifBytesPay(want string) string {
	if !gemm.BytesPay() {
		return ""
	}
	return want
}

// TestComputeInIntegers_codesOfRow has one row, for which weights are not widened.
func TestComputeInIntegers_codesOfRow(t *testing.T) {
	for _, shape := range []string{"8", "1,8"} {
		withoutInstructions(t, "["+shape+"]", func(t *testing.T) {
			want := ifBytesPay("Add Clamp Convert Divide QuantizedMatMul Round")
			if gemm.HasWords() {
				want = ""
			}
			n, rng := &network{}, rand.New(rand.NewPCG(1, 1))
			n.result(n.convert("f32", n.op("MatMul", n.bytesOf(shape), n.weightsOf(rng, "8,5"))))
			checkPass(t, rng, n, ComputeInIntegers, want)
		})
	}
}

// shiftedTests have products of levels and weights less zero points. want has the layers that stay;
// it is empty if nothing changes.
var shiftedTests = []struct {
	name  string
	build func(n *network, rng *rand.Rand) port
	want  string
}{
	{"a zero point", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.quantized(n.input("3,8"), -2, 2.5, -2, 2.5), n.shifted(rng, "8,5", "1", n.scalar(0.02)))
	}, "Add Add Convert Multiply Multiply Quantize QuantizedMatMul ReduceSum"},
	{"zero points and scales of columns", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.quantized(n.input("2,?,8"), -2, 2.5, -1, 1.5), n.shifted(rng, "8,5", "5", n.random(rng, 0.01, 0.02, 1, 5)))
	}, "Add Add Convert Multiply Multiply Quantize QuantizedMatMul ReduceSum"},
	{"a transposed matrix", func(n *network, rng *rand.Rand) port {
		return n.op(`MatMul opset1 transpose_b="true"`, n.quantized(n.input("3,8"), -2, 2.5, -2, 2.5), n.shifted(rng, "5,8", "5,1", n.random(rng, 0.01, 0.02, 5, 1)))
	}, "Add Add Convert Multiply Multiply Quantize QuantizedMatMul ReduceSum"},
	{"differences that i8 holds", func(n *network, _ *rand.Rand) port {
		n.bin = append(n.bin, 1, 4, 3, 200, 5, 6, 7, 127)
		weights := n.op("Subtract", n.convert("f32", n.constant("u8", "4,2", 8)), n.scalar(100))
		return n.op("MatMul", n.quantized(n.input("3,4"), -2, 2.5, -2, 2.5), n.op("Multiply", weights, n.scalar(0.02)))
	}, "Quantize QuantizedMatMul"},
	{"a zero point that is no whole number", func(n *network, rng *rand.Rand) port {
		weights := n.op("Multiply", n.op("Subtract", n.convert("f32", n.bits(rng, "u8", "8,5")), n.scalar(100.5)), n.scalar(0.02))
		return n.op("MatMul", n.quantized(n.input("3,8"), -2, 2.5, -2, 2.5), weights)
	}, ""},
	{"a result that is quantized", func(n *network, rng *rand.Rand) port {
		y := n.op("MatMul", n.quantized(n.input("3,8"), -2, 2.5, -2, 2.5), n.shifted(rng, "8,4", "1", n.scalar(0.02)))
		return n.op("MatMul", n.quantized(y, -20, 20, -20, 20), n.weights(rng, "4,4", n.scalar(0.01)))
	}, "Add Add Convert Multiply Multiply Quantize Quantize QuantizedMatMul QuantizedMatMul ReduceSum"},
	{"a scale of rows", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.quantized(n.input("3,8"), -2, 2.5, -2, 2.5), n.shifted(rng, "8,5", "1", n.random(rng, 0.01, 0.02, 8, 1)))
	}, ""},
	{"data that is not quantized", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.input("3,8"), n.shifted(rng, "8,5", "1", n.scalar(0.02)))
	}, ""},
}

// shifted adds constant weights of u8 less zero points, times a scale.
func (n *network) shifted(rng *rand.Rand, shape, zeros string, scale port) port {
	of := func(shape string) port { return n.convert("f32", n.bits(rng, "u8", shape)) }
	return n.op("Multiply", n.op("Subtract", of(shape), of(zeros)), scale)
}

// TestComputeInIntegers_shifted has weights of which i8 does not hold all.
func TestComputeInIntegers_shifted(t *testing.T) {
	for _, test := range shiftedTests {
		withoutInstructions(t, test.name, func(t *testing.T) {
			n, rng := &network{}, rand.New(rand.NewPCG(1, 1))
			n.result(test.build(n, rng))
			checkPass(t, rng, n, ComputeInIntegers, ifBytesPay(test.want))
		})
	}
}

// TestComputeInIntegers_accurate has sums above 1<<24, which f32 does not hold.
func TestComputeInIntegers_accurate(t *testing.T) {
	if !gemm.BytesPay() {
		t.Skip("products of bytes do not pay on this processor")
	}
	n, rng := &network{}, rand.New(rand.NewPCG(1, 1))
	weights := n.op("Subtract", n.convert("i32", n.bits(rng, "u8", "2080,64")), n.bytes("u8", "", 5))
	n.result(n.convert("f32", n.op("MatMul", n.op("Subtract", n.bytesOf("9,2080"), n.zeroOfBytes("9,1")), weights)))
	inputs := n.randomInputs(t, rng)
	bare, want := n.runAccurate(t, inputs, ComputeInIntegers, MultiplyInF32)
	types, got := n.runAccurate(t, inputs)
	require.Equal(t, ir.Data[float32](want), ir.Data[float32](got))
	require.Contains(t, types, "QuantizedMatMul")
	require.NotContains(t, bare, "QuantizedMatMul")
}
