package plugin

import (
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/gemm"
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
	}, ""},
	{"weights that i8 cannot hold", func(n *network, _ *rand.Rand) port {
		weights := n.op("Subtract", n.bytes("u8", "4,1", 129, 0, 3, 4), n.bytes("u8", "", 1))
		return n.op("MatMul", n.bytesOf("2,4"), weights)
	}, ""},
	{"zero points of rows", func(n *network, rng *rand.Rand) port {
		return n.op("MatMul", n.op("Subtract", n.bytesOf("2,8"), n.zeroOfBytes("2,1")), n.weightsOf(rng, "8,5"))
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
	}, ""},
}

// TestComputeInIntegers_codes has products of integers that no FakeQuantize returns.
func TestComputeInIntegers_codes(t *testing.T) {
	if !gemm.BytesPay() {
		t.Skip("products of bytes do not pay on this processor")
	}
	for _, test := range productOfCodesTests {
		t.Run(test.name, func(t *testing.T) {
			n, rng := &network{}, rand.New(rand.NewPCG(1, 1))
			n.result(n.convert("f32", test.build(n, rng)))
			checkPass(t, rng, n, ComputeInIntegers, test.want)
		})
	}
}

// TestComputeInIntegers_codesOfRow has one row, for which weights are not widened.
func TestComputeInIntegers_codesOfRow(t *testing.T) {
	if !gemm.BytesPay() {
		t.Skip("products of bytes do not pay on this processor")
	}
	want := "Add Clamp Convert Divide QuantizedMatMul Round"
	if gemm.HasWords() {
		want = ""
	}
	n, rng := &network{}, rand.New(rand.NewPCG(1, 1))
	n.result(n.convert("f32", n.op("MatMul", n.bytesOf("1,8"), n.weightsOf(rng, "8,5"))))
	checkPass(t, rng, n, ComputeInIntegers, want)
}
