package plugin

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// rounded adds layers that quantize x to integers of a type from first to last.
func (n *network) rounded(elementType string, x, scale port, zero, first, last float32) port {
	y := n.op(`Round opset5 mode="half_to_even"`, n.op("Divide", x, scale))
	if zero != 0 {
		y = n.op("Add", y, n.scalar(zero))
	}
	return n.convert(elementType, n.op(fmt.Sprintf(`Clamp opset1 min="%v" max="%v"`, first, last), y))
}

// dequantized adds layers that dequantize integers.
func (n *network) dequantized(x port, zero, scale float32) port {
	y := n.convert("f32", x)
	if zero != 0 {
		y = n.op("Subtract", y, n.scalar(zero))
	}
	return n.op("Multiply", y, n.scalar(scale))
}

// mergeQuantizationTests are like passTests.
var mergeQuantizationTests = []struct {
	name  string
	build func(n *network)
	want  string
}{
	{"u8", func(n *network) {
		n.result(n.dequantized(n.rounded("u8", n.input("2,3,4"), n.scalar(0.03), 100, 0, 255), 100, 0.03))
	}, "FakeQuantize"},
	{"i8 without a zero point, with another scale", func(n *network) {
		n.result(n.dequantized(n.rounded("i8", n.input("2,?"), n.scalar(0.03), 0, -128, 127), 0, 0.5))
	}, "FakeQuantize"},
	{"a part of i4", func(n *network) {
		n.result(n.dequantized(n.rounded("i4", n.input("2,3"), n.scalar(0.3), 0, -7, 7), 0, 0.3))
	}, "FakeQuantize"},
	{"as OpenVINO converts it", func(n *network) {
		fq := n.op(`FakeQuantize opset1 levels="256"`, n.input("2,3"), n.scalar(-2), n.scalar(1), n.scalar(-128), n.scalar(127))
		n.result(n.dequantized(n.convert("i8", fq), 42, 3.0/255))
	}, "FakeQuantize"},
	{"pooled, and joined", func(n *network) {
		a := n.rounded("u8", n.input("1,2,4,4"), n.scalar(0.03), 100, 0, 255)
		b := n.rounded("u8", n.input("1,1,2,2"), n.scalar(0.02), 10, 0, 255)
		a = n.layer("MaxPool", "opset8", `strides="2,2" dilations="1,1" kernel="2,2" pads_begin="0,0" pads_end="0,0"`, 2, a)[0]
		n.result(n.dequantized(n.op(`Concat opset1 axis="1"`, a, b), 100, 0.03))
	}, "Concat FakeQuantize FakeQuantize MaxPool"},
	{"both halves", func(n *network) {
		halves := n.layer("Split", "opset1", `num_splits="2"`, 2, n.rounded("u8", n.input("4,2"), n.scalar(0.03), 100, 0, 255), n.shapedInts("", 0))
		n.result(n.dequantized(halves[0], 100, 0.03))
		n.result(n.dequantized(halves[1], 100, 0.03))
	}, "FakeQuantize Split"},
	{"integers that are also a result", func(n *network) {
		q := n.rounded("u8", n.input("2,3"), n.scalar(0.03), 100, 0, 255)
		n.result(n.convert("f32", q))
		n.result(n.dequantized(q, 100, 0.03))
	}, "Add Clamp Convert Convert Divide FakeQuantize Round"},
	{"joined with others", func(n *network) {
		a := n.rounded("u8", n.input("1,2"), n.scalar(0.03), 100, 0, 255)
		b := n.convert("u8", n.op("Abs", n.input("1,2")))
		n.result(n.dequantized(n.op(`Concat opset1 axis="1"`, a, b), 100, 0.03))
	}, ""},
	{"a range that is larger than that of the type", func(n *network) {
		n.result(n.dequantized(n.rounded("i8", n.input("2,3"), n.scalar(0.03), 100, 0, 128), 100, 0.03))
	}, ""},
	{"limits that are no integers", func(n *network) {
		n.result(n.dequantized(n.rounded("u8", n.input("2,3"), n.scalar(0.03), 100, 0, 254.5), 100, 0.03))
	}, ""},
	{"16 bits", func(n *network) {
		n.result(n.dequantized(n.rounded("u16", n.input("2,3"), n.scalar(0.001), 100, 0, 255), 100, 0.03))
	}, ""},
	{"a scale of each column", func(n *network) {
		n.result(n.dequantized(n.rounded("u8", n.input("2,3"), n.floats("3", 0.1, 0.2, 0.3), 100, 0, 255), 100, 0.03))
	}, ""},
	{"a negative scale", func(n *network) {
		n.result(n.dequantized(n.rounded("u8", n.input("2,3"), n.scalar(-0.03), 100, 0, 255), 100, 0.03))
	}, ""},
	{"halves away from zero", func(n *network) {
		y := n.op(`Round opset5 mode="half_away_from_zero"`, n.op("Divide", n.input("2,3"), n.scalar(0.03)))
		n.result(n.dequantized(n.convert("i8", n.op(`Clamp opset1 min="-128" max="127"`, y)), 0, 0.03))
	}, ""},
	{"without rounding", func(n *network) {
		n.result(n.dequantized(n.convert("i8", n.op(`Clamp opset1 min="-128" max="127"`, n.op("Divide", n.input("2,3"), n.scalar(0.03)))), 0, 0.03))
	}, ""},
	{"fewer levels than integers", func(n *network) {
		fq := n.op(`FakeQuantize opset1 levels="16"`, n.input("2,3"), n.scalar(-2), n.scalar(1), n.scalar(0), n.scalar(255))
		n.result(n.dequantized(n.convert("u8", fq), 42, 3.0/255))
	}, ""},
}

func TestMergeQuantization(t *testing.T) {
	for _, test := range mergeQuantizationTests {
		t.Run(test.name, func(t *testing.T) {
			n := &network{}
			test.build(n)
			checkPass(t, rand.New(rand.NewPCG(1, 1)), n, MergeQuantization, test.want)
		})
	}
}
