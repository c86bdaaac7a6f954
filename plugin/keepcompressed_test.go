package plugin

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
)

// bits adds a Constant of random bits.
func (n *network) bits(rng *rand.Rand, elementType, shape string) port {
	t, err := ir.ParseElementType(elementType)
	if err != nil {
		panic(err)
	}
	s, err := ir.ParsePartialShape("[" + shape + "]")
	if err != nil {
		panic(err)
	}
	static, err := s.Static()
	if err != nil {
		panic(err)
	}
	size, err := ir.ByteSize(t, static)
	if err != nil {
		panic(err)
	}
	for range size {
		code := byte(rng.Uint32())
		switch t { // numbers up to 15
		case ir.F8E4M3:
			code &= 0xdf
		case ir.F8E5M2:
			code &= 0xcf
		}
		n.bin = append(n.bin, code)
	}
	return n.constant(elementType, shape, size)
}

// halves adds a Constant of random f16 between 0 and 1.
func (n *network) halves(rng *rand.Rand, shape string) port {
	count := 1
	for _, d := range strings.Split(shape, ",") {
		var k int
		fmt.Sscan(d, &k)
		count *= k
	}
	for range count {
		n.bin = binary.LittleEndian.AppendUint16(n.bin, half.F32ToF16(rng.Float32()))
	}
	return n.constant("f16", shape, 2*count)
}

func (n *network) convert(to string, x port) port {
	return n.op(fmt.Sprintf(`Convert opset1 destination_type="%s"`, to), x)
}

// compressed adds weights as NNCF writes them: codes of a type and shape, scales and, if zero is a
// type, zero points of shape factors, and a Reshape to joined unless that is "".
func (n *network) compressed(rng *rand.Rand, codes, shape, zero, factors, joined string) port {
	x := n.convert("f16", n.bits(rng, codes, shape))
	if zero != "" {
		x = n.op("Subtract", x, n.convert("f16", n.bits(rng, zero, factors)))
	}
	return n.scaled(n.op("Multiply", x, n.halves(rng, factors)), joined)
}

// codebook adds weights that are numbers of a table, at codes of u4, which are converted to a type
// of indices.
func (n *network) codebook(rng *rand.Rand, numbers string, size int, indices, shape, factors, joined string) port {
	var table port
	if numbers == "f32" {
		table = n.random(rng, -1, 1, size)
	} else {
		for range size {
			n.bin = append(n.bin, byte(rng.IntN(0x60)|rng.IntN(2)<<7)) // not NaN
		}
		table = n.constant(numbers, strconv.Itoa(size), size)
	}
	first := len(n.bin)
	codes := n.bits(rng, "u4", shape)
	for i := first; i < len(n.bin); i++ {
		n.bin[i] &= byte(size-1) * 0x11 // positions in the table
	}
	x := n.op(`Gather opset8 batch_dims="0"`, n.convert("f16", table), n.convert(indices, codes), n.ints(0))
	return n.scaled(n.op("Multiply", x, n.halves(rng, factors)), joined)
}

// experts adds four experts as optimum-intel exports them, two of which count for each row of x,
// f32[2,?,24]: all compute all rows, and the others are multiplied by 0.
func (n *network) experts(rng *rand.Rand, x port) port {
	reshape := func(x port, lengths ...int64) port {
		return n.op(`Reshape opset1 special_zero="false"`, x, n.ints(lengths...))
	}
	rows := reshape(x, -1, 24)
	router := n.op(byRows, rows, n.random(rng, -1, 1, 4, 24))
	top := n.layer("TopK", "opset11", `axis="1" mode="max" sort="value" index_element_type="i64"`, 2, n.op(`Softmax opset8 axis="1"`, router), n.ints32(2))
	shares := n.op("Divide", top[0], n.op(`ReduceSum opset1 keep_dims="true"`, top[0], n.ints(-1)))
	zeros := n.op("Broadcast opset3", n.scalar(0), n.op(`ShapeOf opset3 output_type="i64"`, router))
	shares = n.op("Transpose", n.op("ScatterElementsUpdate opset3", zeros, top[1], shares, n.ints32(1)), n.ints(1, 0))
	all := reshape(n.op("Tile", rows, n.ints(4, 1)), 4, -1, 24)
	gate := n.op("Swish opset4", n.op(byRows, all, n.compressed(rng, "i4", "4,16,3,8", "", "4,16,3,1", "4,16,24")))
	up := n.op(byRows, all, n.compressed(rng, "i4", "4,16,3,8", "", "4,16,3,1", "4,16,24"))
	down := n.op(byRows, n.op("Multiply", gate, up), n.compressed(rng, "i8", "4,24,16", "", "4,24,1", ""))
	y := n.op("ReduceSum", n.op("Multiply", down, n.op("Unsqueeze", shares, n.ints(-1))), n.ints(0))
	return reshape(n.op("Multiply", y, n.scalar(0.001)), 2, -1, 24)
}

// scaled reshapes weights to joined unless that is "", and converts them to f32.
func (n *network) scaled(x port, joined string) port {
	if joined != "" {
		var lengths []int64
		for _, d := range strings.Split(joined, ",") {
			var k int64
			fmt.Sscan(d, &k)
			lengths = append(lengths, k)
		}
		x = n.op(`Reshape opset1 special_zero="false"`, x, n.ints(lengths...))
	}
	return n.convert("f32", x)
}

// recurrent adds a recurrent layer of vectors of input elements, with a state of 16, and weights of
// i8. It has a number of directions, or is a cell if that is 0. It returns the outputs.
func (n *network) recurrent(rng *rand.Rand, layerType string, input, directions int, data string, x port, states ...port) []port {
	gates := map[string]int{"GRU": 3, "LST": 4, "RNN": 1}[layerType[:3]]
	biases := gates
	if strings.Contains(data, "linear") {
		biases++
	}
	lead, outputs := fmt.Sprint(directions, ","), []int{directions}
	inputs := append([]port{x}, states...)
	count := len(states)
	if directions == 0 {
		lead, outputs = "", nil
	} else {
		steps := n.op(`Gather opset8 batch_dims="0"`, n.op(`ShapeOf opset3 output_type="i64"`, x), n.ints(1, 1), n.ints(0))
		inputs, count = append(inputs, steps), count+1
		data += ` direction="` + []string{"reverse", "bidirectional"}[directions-1] + `"`
	}
	for _, depth := range []int{input, 16} {
		w := n.convert("f32", n.bits(rng, "i8", fmt.Sprint(lead, gates*16, ",", depth)))
		if directions > 0 {
			inputs = append(inputs, n.op("Multiply", w, n.random(rng, 0.0005, 0.002, 1, gates*16, 1)))
		} else {
			inputs = append(inputs, n.op("Multiply", n.op("Subtract", w, n.scalar(1e-6)), n.random(rng, 0.0005, 0.002, gates*16, 1)))
		}
	}
	inputs = append(inputs, n.random(rng, -0.5, 0.5, append(outputs, biases*16)...))
	version := map[string]string{"GRUCell": "opset3", "LSTMCell": "opset4", "RNNCell": "opset1"}[layerType]
	if version == "" {
		version = "opset5"
	}
	return n.layer(layerType, version, `hidden_size="16" `+data, count, inputs...)
}

const (
	byRows    = `MatMul opset1 transpose_a="false" transpose_b="true"`
	byColumns = `MatMul opset1 transpose_a="false" transpose_b="false"`
)

// compressedTests are networks with inputs x, f32[2,?,24], and ids, i64[2,?], and the types of
// their layers after the pass.
var compressedTests = []struct {
	name  string
	build func(n *network, rng *rand.Rand, x, ids port)
	want  string
}{
	{"u8 with zero points", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "u8", "40,24", "u8", "40,1", "")))
	}, "CompressedMatMul"},
	{"i8 with a zero point that is nearly zero", func(n *network, rng *rand.Rand, x, _ port) {
		w := n.op("Subtract", n.convert("f32", n.bits(rng, "i8", "40,24")), n.scalar(1e-6))
		n.result(n.op(byRows, x, n.op("Multiply", w, n.random(rng, 0.01, 0.02, 40, 1))))
	}, "CompressedMatMul"},
	{"an LSTM", func(n *network, rng *rand.Rand, x, _ port) {
		for _, y := range n.recurrent(rng, "LSTMSequence", 24, 2, "", x, n.random(rng, -1, 1, 2, 2, 16), n.random(rng, -1, 1, 2, 2, 16)) {
			n.result(y)
		}
	}, "Add CompressedMatMul Gather LSTMSequence ShapeOf"},
	{"a GRU", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.recurrent(rng, "GRUSequence", 24, 1, "", x, n.random(rng, -1, 1, 2, 1, 16))[0])
	}, "Add CompressedMatMul GRUSequence Gather ShapeOf"},
	{"a GRU with linear_before_reset", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.recurrent(rng, "GRUSequence", 24, 2, `linear_before_reset="true"`, x, n.random(rng, -1, 1, 2, 2, 16))[1])
	}, "Add CompressedMatMul GRUSequence Gather ShapeOf"},
	{"cells", func(n *network, rng *rand.Rand, x, _ port) {
		x = n.op(`ReduceMax opset1 keep_dims="false"`, x, n.ints(1))
		for _, name := range []string{"GRUCell", "RNNCell"} {
			n.result(n.recurrent(rng, name, 24, 0, "", x, n.random(rng, -1, 1, 2, 16))[0])
		}
		for _, y := range n.recurrent(rng, "LSTMCell", 24, 0, `clip="0.5"`, x, n.random(rng, -1, 1, 2, 16), n.random(rng, -1, 1, 2, 16)) {
			n.result(y)
		}
	}, "Add Add Add CompressedMatMul CompressedMatMul CompressedMatMul GRUCell LSTMCell RNNCell ReduceMax"},
	{"i8 as columns", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byColumns, x, n.compressed(rng, "i8", "24,40", "", "1,40", "")))
	}, "CompressedMatMul"},
	{"u4 in groups", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op("Relu", n.op(byRows, x, n.compressed(rng, "u4", "40,3,8", "u4", "40,3,1", "40,24"))))
	}, "CompressedMatMul Relu"},
	{"i4 in groups of columns", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byColumns, x, n.compressed(rng, "i4", "3,8,40", "", "3,1,40", "24,40")))
	}, "CompressedMatMul"},
	{"nf4", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "nf4", "40,4,6", "", "40,4,1", "40,24")))
	}, "CompressedMatMul"},
	{"f8e4m3 in groups", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "f8e4m3", "40,3,8", "", "40,3,1", "40,24")))
	}, "CompressedMatMul"},
	{"f8e5m2", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "f8e5m2", "40,24", "", "40,1", "")))
	}, "CompressedMatMul"},
	{"a table of f8e4m3", func(n *network, rng *rand.Rand, _, ids port) {
		n.result(n.op("Gather opset8 batch_dims=\"0\"", n.compressed(rng, "f8e4m3", "40,24", "", "40,1", ""), ids, n.ints(0)))
	}, "Convert Convert Gather Gather Multiply"},
	{"NaN in f8e4m3", func(n *network, rng *rand.Rand, x, _ port) {
		codes := n.bits(rng, "f8e4m3", "40,24")
		n.bin[len(n.bin)-30] = 0x7f
		n.result(n.op(byRows, x, n.op("Multiply", n.convert("f32", codes), n.scalar(0.5))))
	}, "MatMul"},
	{"zero points of f8e4m3", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "f8e4m3", "40,24", "u8", "40,1", "")))
	}, "MatMul"},
	{"scales of f8e8m0", func(n *network, rng *rand.Rand, x, _ port) {
		n.bin = append(n.bin, 127, 126, 125, 120)
		scale := n.convert("f16", n.constant("f8e8m0", "1,4,1", 4))
		w := n.op("Multiply", scale, n.convert("f16", n.bits(rng, "f4e2m1", "40,4,6")))
		n.result(n.op(byRows, x, n.convert("f32", n.op(`Reshape opset1 special_zero="false"`, w, n.ints(40, 24)))))
	}, "CompressedMatMul"},
	{"one scale in f32, weights of two layers", func(n *network, rng *rand.Rand, x, ids port) {
		w := n.op("Multiply", n.convert("f32", n.bits(rng, "i8", "40,24")), n.scalar(0.25))
		n.result(n.op(byRows, x, w))
		n.result(n.op("Gather opset8 batch_dims=\"0\"", w, ids, n.ints(0)))
	}, "CompressedMatMul Convert Gather Multiply"},
	{"a table of u8", func(n *network, rng *rand.Rand, _, ids port) {
		n.result(n.op("Gather opset8 batch_dims=\"0\"", n.compressed(rng, "u8", "40,24", "u8", "40,1", ""), ids, n.ints(0)))
	}, "Convert Convert Convert Gather Gather Gather Multiply Subtract"},
	{"a table of u4 in groups", func(n *network, rng *rand.Rand, _, ids port) {
		n.result(n.op("Gather opset8 batch_dims=\"0\"", n.compressed(rng, "u4", "40,3,8", "u4", "40,3,1", "40,24"), ids, n.ints(0)))
	}, "Convert Convert Convert Gather Gather Gather Multiply Reshape Subtract"},
	{"a table with the same scales for all rows", func(n *network, rng *rand.Rand, _, ids port) {
		n.result(n.op("Gather opset8 batch_dims=\"0\"", n.compressed(rng, "i4", "40,3,8", "", "1,3,1", "40,24"), ids, n.ints(0)))
	}, "Convert Gather Multiply Reshape"},
	{"columns of a table", func(n *network, rng *rand.Rand, _, ids port) {
		n.result(n.op("Gather opset8 batch_dims=\"0\"", n.compressed(rng, "u8", "40,24", "u8", "40,1", ""), ids, n.ints(1)))
	}, "Gather"},
	{"few columns", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "u8", "15,24", "u8", "15,1", "")))
	}, "MatMul"},
	{"a scale that is computed", func(n *network, rng *rand.Rand, x, _ port) {
		scale := n.op("Divide", n.convert("f32", n.halves(rng, "40,1")), n.scalar(3))
		n.result(n.op(byRows, x, n.op("Multiply", n.convert("f32", n.bits(rng, "u8", "40,24")), scale)))
	}, "CompressedMatMul"},
	{"scales of rows", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byColumns, x, n.compressed(rng, "u8", "24,40", "u8", "24,1", "")))
	}, "MatMul"},
	{"groups joined with columns", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "u4", "3,40,8", "u4", "3,40,1", "40,24")))
	}, "MatMul"},
	{"codes of 2 bits", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "u2", "40,24", "", "40,1", "")))
	}, "CompressedMatMul"},
	{"codes of 3 bits in groups", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "u3", "40,3,8", "u3", "40,3,1", "40,24")))
	}, "CompressedMatMul"},
	{"rows of codes of 3 bits", func(n *network, rng *rand.Rand, _, ids port) {
		n.result(n.op("Gather opset8 batch_dims=\"0\"", n.compressed(rng, "u3", "40,3,8", "u2", "40,3,1", "40,24"), ids, n.ints(0)))
	}, "Convert Convert Convert Gather Gather Gather Multiply Reshape Subtract"},
	{"numbers of a codebook in f8", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.codebook(rng, "f8e4m3", 16, "u8", "40,3,8", "40,3,1", "40,24")))
	}, "CompressedMatMul"},
	{"numbers of a codebook in f32, weights of two layers", func(n *network, rng *rand.Rand, x, ids port) {
		w := n.codebook(rng, "f32", 16, "i64", "40,24", "40,1", "")
		n.result(n.op(byRows, x, w))
		n.result(n.op("Gather opset8 batch_dims=\"0\"", w, ids, n.ints(0)))
	}, "CompressedMatMul Convert Convert Gather Gather Gather Multiply"},
	{"a codebook of 8 numbers", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.codebook(rng, "f32", 8, "u8", "40,24", "40,1", "")))
	}, "MatMul"},
	{"two codebooks, the same codes", func(n *network, rng *rand.Rand, x, _ port) {
		codes := n.convert("u8", n.bits(rng, "u4", "40,24"))
		for range 2 {
			w := n.op("Gather opset8 batch_dims=\"0\"", n.random(rng, -1, 1, 16), codes, n.ints(0))
			n.result(n.op(byRows, x, n.op("Multiply", w, n.scalar(0.5))))
		}
	}, "CompressedMatMul CompressedMatMul"},
	{"zero points of nf4", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "u4", "40,24", "nf4", "40,1", "")))
	}, "MatMul"},
	{"a that is transposed", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(`MatMul opset1 transpose_a="true" transpose_b="true"`, n.op("Transpose", x, n.ints(0, 2, 1)), n.compressed(rng, "u8", "40,24", "u8", "40,1", "")))
	}, "MatMul"},
	{"long groups", func(n *network, rng *rand.Rand, x, _ port) {
		w := n.compressed(rng, "u8", "16,2,4100", "", "16,2,1", "16,8200")
		n.result(n.op(byRows, n.op("Tile", n.op("ReduceMax opset1 keep_dims=\"true\"", x, n.ints(2)), n.ints(1, 1, 8200)), w))
	}, "MatMul ReduceMax Tile"},
	{"several matrices", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "u8", "2,40,24", "u8", "2,40,1", "")))
	}, "CompressedMatMul"},
	{"several matrices in groups", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op("Relu", n.op(byRows, x, n.compressed(rng, "i4", "2,40,3,8", "", "2,40,3,1", "2,40,24"))))
	}, "CompressedMatMul Relu"},
	{"several matrices of columns", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byColumns, x, n.compressed(rng, "u4", "2,3,8,40", "u4", "1,3,1,40", "2,24,40")))
	}, "CompressedMatMul"},
	{"several matrices that end in the middle of a byte", func(n *network, rng *rand.Rand, x, _ port) {
		x = n.op("Slice opset8", x, n.ints(0), n.ints(21), n.ints(1), n.ints(2))
		n.result(n.op(byRows, x, n.compressed(rng, "u4", "2,41,21", "u4", "2,41,1", "")))
		n.result(n.op(byRows, x, n.compressed(rng, "u3", "2,41,3,7", "u3", "2,41,3,1", "2,41,21")))
	}, "CompressedMatMul CompressedMatMul Slice"},
	{"several matrices of a codebook", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.codebook(rng, "f8e4m3", 16, "i32", "2,40,3,8", "2,40,3,1", "2,40,24")))
	}, "CompressedMatMul"},
	{"several matrices that multiply the same rows", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, n.op("ReduceMax opset1 keep_dims=\"true\"", x, n.ints(0)), n.compressed(rng, "u8", "3,40,24", "", "3,40,1", "")))
	}, "CompressedMatMul ReduceMax"},
	{"a mixture of experts", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.experts(rng, x))
	}, "Broadcast CompressedMatMul CompressedMatMul CompressedMatMul Divide MatMul Multiply Multiply Multiply ReduceSum ReduceSum Reshape Reshape Reshape ScatterElementsUpdate ShapeOf Softmax Swish Tile TopK Transpose Unsqueeze"},
	{"very many matrices", func(n *network, rng *rand.Rand, x, _ port) {
		row := n.op("ReduceMax opset1 keep_dims=\"true\"", x, n.ints(0, 1))
		n.result(n.op("ReduceSum", n.op(byRows, row, n.compressed(rng, "u4", "4097,16,24", "", "1,16,1", "")), n.ints(0)))
	}, "MatMul ReduceMax ReduceSum"},
	{"one matrix of three axes", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, x, n.compressed(rng, "u8", "1,40,24", "u8", "1,40,1", "")))
	}, "MatMul"},
	{"several matrices that multiply four axes", func(n *network, rng *rand.Rand, x, _ port) {
		n.result(n.op(byRows, n.op("Unsqueeze", x, n.ints(0)), n.compressed(rng, "u8", "2,40,24", "u8", "2,40,1", "")))
	}, "MatMul Unsqueeze"},
	{"rows of several matrices", func(n *network, rng *rand.Rand, _, ids port) {
		ids = n.op("Minimum", ids, n.op(`Convert opset1 destination_type="i64"`, n.scalar(1)))
		n.result(n.op("Gather opset8 batch_dims=\"0\"", n.compressed(rng, "u8", "2,40,24", "u8", "2,40,1", ""), ids, n.ints(0)))
	}, "Gather Minimum"},
}

// runCompressed returns the outputs for n rows, and the model after the passes.
func runCompressed(t *testing.T, n *network, rows int, disable ...Optimization) ([]*ir.Tensor, *ir.Model) {
	t.Helper()
	compiled := compileNetwork(t, n, disable...)
	request := compiled.NewInferRequest()
	rng := rand.New(rand.NewPCG(9, 9))
	x, ids := make([]float32, 2*rows*24), make([]int64, 2*rows)
	for i := range x {
		x[i] = 2*rng.Float32() - 1
	}
	for i := range ids {
		ids[i] = int64(rng.IntN(24))
	}
	indices, err := ir.TensorOf(ir.I64, ir.Shape{2, rows}, ids)
	require.NoError(t, err)
	require.NoError(t, request.SetInput(0, f32(t, ir.Shape{2, rows, 24}, x...)))
	require.NoError(t, request.SetInput(1, indices))
	require.NoError(t, request.Infer(background))
	var outputs []*ir.Tensor
	for i := range compiled.Outputs() {
		outputs = append(outputs, request.Output(i))
	}
	return outputs, compiled.program.Model
}

func TestKeepCompressed(t *testing.T) {
	for _, c := range compressedTests {
		t.Run(c.name, func(t *testing.T) {
			n := &network{}
			x := n.input("2,?,24")
			ids := n.op(`Parameter opset1 shape="2,?" element_type="i64"`)
			c.build(n, rand.New(rand.NewPCG(1, 9)), x, ids)
			_, model := runCompressed(t, n, 1)
			assert.Equal(t, c.want, typesOf(model))
			for _, rows := range []int{1, 2, 20, 300} {
				want, _ := runCompressed(t, n, rows, KeepCompressed)
				for _, disable := range [][]Optimization{nil, Optimizations()[4:], {FuseStages}} {
					got, _ := runCompressed(t, n, rows, disable...)
					for i := range want {
						compareFloats(t, want[i], got[i])
					}
				}
			}
		})
	}
}

// TestDynamicQuantization has activations that are rounded before they are multiplied by compressed
// weights, by default and only if the processor multiplies bytes, the weights allow it and the mode
// does.
func TestDynamicQuantization(t *testing.T) {
	n := &network{}
	rng := rand.New(rand.NewPCG(3, 3))
	x := n.input("?,64")
	n.result(n.op(byRows, x, n.compressed(rng, "u4", "40,2,32", "u4", "40,2,1", "40,64")))
	n.result(n.op(byRows, x, n.compressed(rng, "i8", "40,64", "", "40,1", "")))
	n.result(n.op(byRows, n.op(`Reshape opset1 special_zero="true"`, x, n.ints(3, -1, 64)), n.compressed(rng, "u4", "3,40,2,32", "u4", "3,40,2,1", "3,40,64")))
	n.result(n.op(byRows, x, n.compressed(rng, "u2", "40,2,32", "u2", "40,2,1", "40,64")))
	n.result(n.recurrent(rng, "RNNCell", 64, 0, "", x, n.random(rng, -1, 1, 9, 16))[0])
	data := make([]float32, 9*64)
	for i := range data {
		data[i] = float32(rng.NormFloat64())
	}
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	run := func(options CompileOptions) (outputs []*ir.Tensor) {
		compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), options)
		require.NoError(t, err)
		defer compiled.Close()
		request := compiled.NewInferRequest()
		require.NoError(t, request.SetInput(0, f32(t, ir.Shape{9, 64}, data...)))
		require.NoError(t, request.Infer(background))
		return []*ir.Tensor{request.Output(0), request.Output(1), request.Output(2), request.Output(3), request.Output(4)}
	}
	exact := run(CompileOptions{DynamicQuantizationGroupSize: -1})
	for _, c := range []struct {
		name    string
		options CompileOptions
		rounded [5]bool
	}{
		{"default", CompileOptions{}, [5]bool{true, true, true, false}},
		{"threads", CompileOptions{InferenceNumThreads: 3}, [5]bool{true, true, true, false}},
		{"larger groups than those of the weights", CompileOptions{DynamicQuantizationGroupSize: 64}, [5]bool{false, true, false, false}},
		{"accuracy", CompileOptions{ExecutionMode: ExecutionModeAccuracy}, [5]bool{}},
		{"without the pass", CompileOptions{Disable: []Optimization{KeepCompressed}}, [5]bool{}},
	} {
		for _, disable := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, ", without instructions ", disable), func(t *testing.T) {
				if disable {
					defer cpu.Disable(cpu.AVX512VNNI, cpu.AVXVNNI, cpu.DotProd)()
				}
				for i, got := range run(c.options) {
					sum, differences := 0.0, 0.0
					for k, want := range ir.Data[float32](exact[i]) {
						d := float64(ir.Data[float32](got)[k] - want)
						sum, differences = sum+float64(want)*float64(want), differences+d*d
					}
					least, most := 0.0, 1e-6
					if c.rounded[i] && gemm.BytesPay() && !gemm.HasWords() {
						least, most = 1e-4, 0.02
					}
					size := math.Sqrt(differences / sum)
					assert.True(t, size >= least && size <= most, "output %d: %v", i, size)
				}
			})
		}
	}
}

// TestDynamicQuantization_size has sizes that groups cannot have.
func TestDynamicQuantization_size(t *testing.T) {
	n := &network{}
	n.result(n.op("Relu", n.input("2")))
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	for _, size := range []int{-2, 16, 33, 2048} {
		_, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{DynamicQuantizationGroupSize: size})
		assert.ErrorContains(t, err, fmt.Sprintf("DynamicQuantizationGroupSize is %d, not a multiple of 32 up to 1024 or -1", size))
	}
}

// TestKeepCompressed_off has graphs in f16, whose decompression rounds to f16 without ComputeInF32.
func TestKeepCompressed_off(t *testing.T) {
	n := &network{}
	x := n.input("2,?,24")
	n.op(`Parameter opset1 shape="2,?" element_type="i64"`)
	n.result(n.op(byRows, x, n.compressed(rand.New(rand.NewPCG(1, 9)), "u8", "40,24", "u8", "40,1", "")))
	_, model := runCompressed(t, n, 1, ComputeInF32)
	assert.Equal(t, "MatMul", typesOf(model))
}

// TestKeepCompressed_width has a recurrent layer whose weights have rows of another length than its
// data, which no shape rule refuses.
func TestKeepCompressed_width(t *testing.T) {
	n := &network{}
	rng := rand.New(rand.NewPCG(1, 9))
	n.result(n.recurrent(rng, "RNNCell", 20, 0, "", n.input("2,24"), n.random(rng, -1, 1, 2, 16))[0])
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	_, err = NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{})
	require.ErrorContains(t, err, "input 2 has shape [16,20], X [2,24] and the states need [16,24]")
	assert.NotContains(t, err.Error(), "BUG")
}

// TestKeepCompressed_memory has weights that two layers share. They are kept once.
func TestKeepCompressed_memory(t *testing.T) {
	n := &network{}
	x := n.input("1,1024")
	rng := rand.New(rand.NewPCG(1, 9))
	codes, scale := n.bits(rng, "u4", "1024,16,64"), n.halves(rng, "1024,16,1")
	for range 2 {
		w := n.op("Multiply", n.convert("f16", codes), scale)
		n.result(n.op(byRows, x, n.convert("f32", n.op(`Reshape opset1 special_zero="false"`, w, n.ints(1024, 1024)))))
	}
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compile := func(ctx context.Context, kept int64, disable ...Optimization) (int64, error) {
		compiled, err := NewCore(registry, Options{MaxKeptBytes: kept}).CompileModel(ctx, n.model(t), CompileOptions{Disable: disable})
		if err != nil {
			return 0, err
		}
		defer compiled.Close()
		return compiled.env.Memory.Kept.Used(), nil
	}
	const codeBytes, scaleBytes = 1024 * 1024 / 2, 4 * 1024 * 16 // at most
	used, err := compile(background, 10_000_000)
	require.NoError(t, err)
	assert.Less(t, used, int64(codeBytes+3*scaleBytes))
	used, err = compile(background, 100_000_000, KeepCompressed)
	require.NoError(t, err)
	assert.Greater(t, used, int64(4*1024*1024))
	_, err = compile(background, 500_000)
	require.ErrorContains(t, err, "the model keeps")

	stopped, cancel := context.WithCancel(background)
	cancel()
	_, err = compile(stopped, 10_000_000)
	require.ErrorIs(t, err, context.Canceled)
}
