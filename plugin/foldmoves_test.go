package plugin

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// foldMovesTests are like passTests.
var foldMovesTests = []struct {
	name  string
	build func(n *network, rng *rand.Rand)
	want  string
}{
	{"codes and scales", func(n *network, rng *rand.Rand) {
		codes := n.op("Concat opset1 axis=\"0\"", n.bits(rng, "i8", "3,4"), n.op("Transpose", n.bits(rng, "i8", "4,2"), n.ints(1, 0)))
		scale := n.op(`Reshape opset1 special_zero="false"`, n.floats("5", 1, 2, 3, 4, 5), n.ints(5, 1))
		weights := n.op("Multiply", n.convert("f32", codes), scale)
		n.result(n.op(`MatMul opset1 transpose_b="true"`, n.input("?,4"), weights))
	}, "Convert MatMul Multiply"},
	{"what is computed", func(n *network, rng *rand.Rand) {
		n.result(n.op("Add", n.input("2"), n.op("Sigmoid", n.op("Sigmoid", n.random(rng, -1, 1, 2048, 2)))))
	}, ""},
	{"many floats", func(n *network, rng *rand.Rand) {
		n.result(n.op("Add", n.input("2"), n.op("Transpose", n.random(rng, -1, 1, 2, fewFloats), n.ints(1, 0))))
	}, ""},
	{"data", func(n *network, _ *rand.Rand) {
		n.result(n.convert("f32", n.op("Transpose", n.convert("i8", n.input("2,3")), n.ints(1, 0))))
	}, ""},
}

// fewFloats makes two rows of floats that are too many for FoldMoves.
const fewFloats = 1<<15 + 1

func TestFoldMoves(t *testing.T) {
	for _, test := range foldMovesTests {
		t.Run(test.name, func(t *testing.T) {
			n, rng := &network{}, rand.New(rand.NewPCG(1, 1))
			test.build(n, rng)
			checkPass(t, rng, n, FoldMoves, test.want)
		})
	}
}

// TestKeepCompressed_computedBias has a recurrent layer with biases that are added and joined, more
// than inference computes.
func TestKeepCompressed_computedBias(t *testing.T) {
	const hidden, input = 264, 8
	n, rng := &network{}, rand.New(rand.NewPCG(1, 1))
	inputs := []port{n.input("1,2,8"), n.random(rng, -1, 1, 1, 1, hidden), n.random(rng, -1, 1, 1, 1, hidden), n.ints(2)}
	for _, depth := range []int{input, hidden} {
		codes := n.convert("f32", n.bits(rng, "i8", fmt.Sprint("1,", 4*hidden, ",", depth)))
		inputs = append(inputs, n.op("Multiply", codes, n.scalar(0.001)))
	}
	var gates []port
	for range 4 {
		gates = append(gates, n.op("Add", n.random(rng, -1, 1, 1, hidden), n.random(rng, -1, 1, 1, hidden)))
	}
	inputs = append(inputs, n.op(`Concat opset1 axis="1"`, gates...))
	n.result(n.layer("LSTMSequence", "opset5", fmt.Sprintf(`hidden_size="%d" direction="forward"`, hidden), 3, inputs...)[0])
	checkPass(t, rng, n, KeepCompressed, "Add CompressedMatMul LSTMSequence")
}
