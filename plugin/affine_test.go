package plugin

import (
	"math/rand/v2"
	"testing"
)

const (
	convolution      = `opset1 strides="1,1" dilations="1,1" pads_begin="1,1" pads_end="1,1" output_padding="0,0"`
	groupConvolution = "GroupConvolution " + convolution
)

// affineTests are networks for MergeAffine. want lists the types of the layers that compute after
// the pass, or is "" if it changes nothing.
var affineTests = []struct {
	name  string
	build func(n *network, rng *rand.Rand)
	want  string
}{
	{"scale after Convolution", func(n *network, rng *rand.Rand) {
		y := n.op("Convolution "+convolution, n.input("2,3,5,6"), n.random(rng, -1, 1, 4, 3, 3, 3))
		n.result(n.op("Multiply", y, n.random(rng, 0, 2, 1, 4, 1, 1)))
	}, "Convolution"},
	{"one scale for all, bias before it", func(n *network, rng *rand.Rand) {
		y := n.op("Convolution "+convolution, n.input("?,3,?,6"), n.random(rng, -1, 1, 4, 3, 3, 3))
		n.result(n.op("Multiply", n.scalar(3), n.op("Add", y, n.random(rng, 0, 2, 4, 1, 1))))
	}, "Add Convolution"},
	{"scale along another axis", func(n *network, rng *rand.Rand) {
		y := n.op("Convolution "+convolution, n.input("2,3,5,6"), n.random(rng, -1, 1, 4, 3, 3, 3))
		n.result(n.op("Multiply", y, n.random(rng, 0, 2, 6)))
	}, ""},
	{"read twice", func(n *network, rng *rand.Rand) {
		y := n.op("Convolution "+convolution, n.input("2,3,5,6"), n.random(rng, -1, 1, 4, 3, 3, 3))
		n.result(n.op("Multiply", y, n.scalar(2)))
		n.result(y)
	}, ""},
	{"batch norm", func(n *network, rng *rand.Rand) {
		y := n.op("Convolution "+convolution, n.input("2,3,?,?"), n.random(rng, -1, 1, 4, 3, 3, 3))
		y = n.op("Add", y, n.random(rng, 0, 2, 1, 4, 1, 1))
		n.result(n.op(`BatchNormInference opset5 epsilon="0.01"`, y, n.random(rng, -1, 1, 4), n.random(rng, -1, 1, 4),
			n.random(rng, -1, 1, 4), n.random(rng, 0, 1, 4)))
	}, "Add Convolution"},
	{"batch norm and a scale of its own", func(n *network, rng *rand.Rand) {
		y := n.op("Convolution "+convolution, n.input("2,3,5,5"), n.random(rng, -1, 1, 4, 3, 3, 3))
		y = n.op(`BatchNormInference opset5 epsilon="0.01"`, y, n.random(rng, -1, 1, 4), n.random(rng, -1, 1, 4),
			n.random(rng, -1, 1, 4), n.random(rng, 0, 1, 4))
		n.result(n.op("Add", n.op("Multiply", y, n.random(rng, -1, 1, 4, 1, 1)), n.random(rng, -1, 1, 4, 1, 1)))
	}, "Add Convolution"},
	{"scales and shifts without a linear layer", func(n *network, rng *rand.Rand) {
		y := n.op("Add", n.op("Multiply", n.input("2,4,5"), n.random(rng, -1, 1, 4, 1)), n.random(rng, -1, 1, 1, 4, 1))
		y = n.op("Multiply", n.op("Multiply", y, n.random(rng, -1, 1, 4, 1)), n.scalar(3))
		n.result(n.op("Add", y, n.random(rng, -1, 1, 5)))
	}, "Add Multiply"},
	{"rounding by a large number", func(n *network, _ *rand.Rand) {
		n.result(n.op("Add", n.op("Add", n.input("2,4"), n.scalar(1<<23)), n.scalar(-(1 << 23))))
	}, ""},
	{"batch norm alone, of opset1", func(n *network, rng *rand.Rand) {
		n.result(n.op(`BatchNormInference opset1 epsilon="0.01"`, n.random(rng, -1, 1, 4), n.random(rng, -1, 1, 4),
			n.input("2,4,?"), n.random(rng, -1, 1, 4), n.random(rng, 0, 1, 4)))
	}, "Add Multiply"},
	{"scale before Convolution with padding", func(n *network, rng *rand.Rand) {
		x := n.op("Multiply", n.input("2,3,5,?"), n.random(rng, -1, 1, 1, 3, 1, 1))
		n.result(n.op("Convolution "+convolution, x, n.random(rng, -1, 1, 4, 3, 3, 3)))
	}, "Convolution"},
	{"scale on both sides of groups", func(n *network, rng *rand.Rand) {
		x := n.op("Multiply", n.input("2,4,5,6"), n.random(rng, -1, 1, 1, 4, 1, 1))
		y := n.op(groupConvolution, x, n.random(rng, -1, 1, 2, 3, 2, 3, 3))
		n.result(n.op("Multiply", y, n.random(rng, -1, 1, 1, 6, 1, 1)))
	}, "GroupConvolution"},
	{"scale after ConvolutionBackpropData", func(n *network, rng *rand.Rand) {
		y := n.op("ConvolutionBackpropData "+convolution, n.input("2,3,5,6"), n.random(rng, -1, 1, 3, 4, 3, 3))
		n.result(n.op("Multiply", y, n.random(rng, 0, 2, 1, 4, 1, 1)))
	}, "ConvolutionBackpropData"},
	{"scale on both sides of GroupConvolutionBackpropData", func(n *network, rng *rand.Rand) {
		x := n.op("Multiply", n.input("2,4,5,6"), n.random(rng, -1, 1, 1, 4, 1, 1))
		y := n.op("GroupConvolutionBackpropData "+convolution, x, n.random(rng, -1, 1, 2, 2, 3, 3, 3))
		n.result(n.op("Multiply", y, n.random(rng, -1, 1, 1, 6, 1, 1)))
	}, "GroupConvolutionBackpropData"},
	{"scale on both sides of MatMul", func(n *network, rng *rand.Rand) {
		x := n.op("Multiply", n.input("2,?,4"), n.random(rng, -1, 1, 4))
		y := n.op("MatMul", x, n.random(rng, -1, 1, 4, 5))
		n.result(n.op("Multiply", y, n.random(rng, -1, 1, 1, 1, 5)))
	}, "MatMul"},
	{"scale on both sides of MatMul, transposed", func(n *network, rng *rand.Rand) {
		x := n.op("Multiply", n.input("2,3,4"), n.random(rng, -1, 1, 4))
		y := n.op(`MatMul opset1 transpose_b="true"`, x, n.random(rng, -1, 1, 5, 4))
		n.result(n.op("Multiply", y, n.random(rng, -1, 1, 5)))
	}, "MatMul"},
	{"scale on both sides of DeformableConvolution", func(n *network, rng *rand.Rand) {
		x := n.op("Multiply", n.input("2,3,5,6"), n.random(rng, -1, 1, 1, 3, 1, 1))
		y := n.op("DeformableConvolution "+convolution+` group="1" deformable_group="1"`, x, n.random(rng, -1, 1, 2, 18, 5, 6), n.random(rng, -1, 1, 4, 3, 3, 3))
		n.result(n.op("Multiply", y, n.random(rng, 0, 2, 1, 4, 1, 1)))
	}, "DeformableConvolution"},
	{"scale before DeformableConvolution of groups", func(n *network, rng *rand.Rand) {
		x := n.op("Multiply", n.input("2,4,5,6"), n.random(rng, -1, 1, 1, 4, 1, 1))
		n.result(n.op("DeformableConvolution "+convolution+` group="2" deformable_group="1"`, x, n.random(rng, -1, 1, 2, 18, 5, 6), n.random(rng, -1, 1, 4, 2, 3, 3)))
	}, ""},
	{"a scale that adds an axis", func(n *network, rng *rand.Rand) {
		y := n.op("MatMul", n.input("3,4"), n.random(rng, -1, 1, 4, 5))
		n.result(n.op("Multiply", y, n.random(rng, -1, 1, 1, 1, 5)))
	}, ""},
	{"a scale that broadcasts one channel", func(n *network, rng *rand.Rand) {
		x := n.op("Multiply", n.input("2,1,5,6"), n.random(rng, -1, 1, 3, 1, 1))
		n.result(n.op("Convolution "+convolution, x, n.random(rng, -1, 1, 4, 3, 3, 3)))
	}, ""},
	{"a scale of channels that may be one", func(n *network, rng *rand.Rand) {
		x := n.op("Multiply", n.input("2,?"), n.random(rng, -1, 1, 3))
		n.result(n.op("MatMul", x, n.random(rng, -1, 1, 3, 4)))
	}, ""},
	{"batch norm of channels that may be one", func(n *network, rng *rand.Rand) {
		n.result(n.op(`BatchNormInference opset5 epsilon="0.01"`, n.input("2,?,5"), n.random(rng, -1, 1, 3), n.random(rng, -1, 1, 3),
			n.random(rng, -1, 1, 3), n.random(rng, 0, 1, 3)))
	}, ""},
	{"scales that forbid broadcasting", func(n *network, rng *rand.Rand) {
		n.result(n.op(`Multiply opset1 auto_broadcast="none"`, n.op("Multiply", n.input("?,3"), n.random(rng, -1, 1, 3, 3)), n.random(rng, -1, 1, 3, 3)))
	}, ""},
	{"a scale of rows", func(n *network, rng *rand.Rand) {
		y := n.op("MatMul", n.input("3,4"), n.random(rng, -1, 1, 4, 3))
		n.result(n.op(`Multiply opset1 auto_broadcast="pdpd" axis="0"`, y, n.random(rng, -1, 1, 3)))
	}, ""},
	{"scales and a shift, one of rows", func(n *network, rng *rand.Rand) {
		y := n.op(`Add opset1 auto_broadcast="pdpd" axis="0"`, n.op("Multiply", n.input("3,3"), n.random(rng, -1, 1, 3)), n.random(rng, -1, 1, 3))
		n.result(n.op("Multiply", y, n.random(rng, -1, 1, 3)))
	}, ""},
	{"constants before the other input", func(n *network, rng *rand.Rand) {
		y := n.op("Add", n.random(rng, -1, 1, 4), n.op("Multiply", n.random(rng, -1, 1, 4), n.input("2,4")))
		n.result(n.op("Multiply", y, n.random(rng, -1, 1, 4)))
	}, "Add Multiply"},
	{"a sum without a constant", func(n *network, rng *rand.Rand) {
		n.result(n.op("Multiply", n.op("Add", n.input("2,4"), n.input("2,4")), n.random(rng, -1, 1, 4)))
	}, ""},
	{"a bias before the convolution", func(n *network, rng *rand.Rand) {
		y := n.op("Convolution "+convolution, n.input("2,3,5,6"), n.random(rng, -1, 1, 4, 3, 3, 3))
		n.result(n.op("Multiply", n.op("Add", n.random(rng, 0, 2, 4, 1, 1), y), n.scalar(3)))
	}, "Add Convolution"},
	{"a bias along another axis", func(n *network, rng *rand.Rand) {
		y := n.op("Convolution "+convolution, n.input("2,3,5,6"), n.random(rng, -1, 1, 4, 3, 3, 3))
		n.result(n.op("Multiply", n.op("Add", y, n.random(rng, 0, 2, 6)), n.random(rng, 0, 2, 4, 1, 1)))
	}, ""},
	{"constants that are almost large", func(n *network, rng *rand.Rand) {
		n.result(n.op("Multiply", n.op("Multiply", n.input("1"), n.random(rng, -1, 1, 1<<16)), n.random(rng, -1, 1, 1<<16)))
	}, "Multiply"},
	{"large constants", func(n *network, rng *rand.Rand) {
		n.result(n.op("Multiply", n.op("Multiply", n.input("1"), n.random(rng, -1, 1, 1<<16+1)), n.random(rng, -1, 1, 1<<16+1)))
	}, ""},
	{"subtraction of a constant", func(n *network, rng *rand.Rand) {
		n.result(n.op("Subtract", n.input("2,?,4"), n.random(rng, -1, 1, 4)))
	}, "Add"},
}

func TestMergeAffine(t *testing.T) {
	for _, test := range affineTests {
		t.Run(test.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(2, 2))
			n := &network{}
			test.build(n, rng)
			checkPass(t, rng, n, MergeAffine, test.want)
		})
	}
}
