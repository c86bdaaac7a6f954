package plugin

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin/internal/graph"
)

// passTests are networks for one pass each. want lists the sorted types of the layers after the
// pass, without Parameters, Constants and Results, or is "" if the pass must change nothing.
var passTests = []struct {
	pass  Optimization
	name  string
	build func(n *network, rng *rand.Rand)
	want  string
}{
	{RecogniseActivations, "swish", func(n *network, _ *rand.Rand) {
		x := n.input("2,?")
		n.result(n.op("Multiply", n.op("Sigmoid", x), x))
	}, "Swish"},
	{RecogniseActivations, "hswish", func(n *network, _ *rand.Rand) {
		x := n.input("2,3")
		clamp := n.op(`Clamp opset1 min="0" max="6"`, n.op("Add", x, n.scalar(3)))
		n.result(n.op("Divide", n.op("Multiply", x, clamp), n.scalar(6)))
	}, "HSwish"},
	{RecogniseActivations, "hswish of hsigmoid", func(n *network, _ *rand.Rand) {
		x := n.input("2,3")
		clamp := n.op(`Clamp opset1 min="0" max="6"`, n.op("Add", n.scalar(3), x))
		n.result(n.op("Multiply", n.op("Multiply", clamp, n.scalar(1.0/6)), x))
	}, "HSwish"},
	{RecogniseActivations, "clamp to another range", func(n *network, _ *rand.Rand) {
		x := n.input("2,3")
		clamp := n.op(`Clamp opset1 min="0" max="5"`, n.op("Add", x, n.scalar(3)))
		n.result(n.op("Multiply", x, n.op("Divide", clamp, n.scalar(6))))
	}, ""},
	{RecogniseActivations, "mish", func(n *network, _ *rand.Rand) {
		x := n.input("?,3")
		soft := n.op("Log", n.op("Add", n.op("Exp", x), n.scalar(1)))
		n.result(n.op("Multiply", x, n.op("Tanh", soft)))
		n.result(soft)
	}, "Mish SoftPlus"},
	{RecogniseActivations, "gelu", func(n *network, _ *rand.Rand) {
		x := n.input("?,3")
		gate := n.op("Add", n.op("Erf", n.op("Divide", x, n.scalar(math.Sqrt2))), n.scalar(1))
		n.result(n.op("Multiply", n.op("Multiply", x, gate), n.scalar(0.5)))
	}, "Gelu"},
	{RecogniseActivations, "gelu, halved first", func(n *network, _ *rand.Rand) {
		x := n.input("4,3")
		gate := n.op("Add", n.scalar(1), n.op("Erf", n.op("Multiply", x, n.floats("1,1", math.Sqrt2/2))))
		n.result(n.op("Multiply", n.op("Multiply", n.scalar(0.5), x), gate))
	}, "Gelu"},
	{RecogniseActivations, "gelu by tanh", func(n *network, _ *rand.Rand) {
		x := n.input("?,3")
		cube := n.op("Multiply", n.op("Power", x, n.scalar(3)), n.scalar(0.044715))
		gate := n.op("Tanh", n.op("Multiply", n.op("Add", x, cube), n.scalar(0.7978845608)))
		n.result(n.op("Multiply", x, n.op("Multiply", n.scalar(0.5), n.op("Add", gate, n.scalar(1)))))
	}, "Gelu"},
	{RecogniseActivations, "a scalar of more axes", func(n *network, _ *rand.Rand) {
		x := n.input("3")
		gate := n.op("Add", n.op("Erf", n.op("Divide", x, n.scalar(math.Sqrt2))), n.floats("1,1", 1))
		n.result(n.op("Multiply", n.op("Multiply", x, gate), n.scalar(0.5)))
	}, ""},
	{RecogniseMVN, "layer norm", func(n *network, rng *rand.Rand) {
		x := n.input("?,?,8")
		n.result(n.op("Add", n.op("Multiply", layerNorm(n, x, "Sqrt"), n.random(rng, 0, 1, 8)), n.random(rng, 0, 1, 8)))
	}, "Add MVN Multiply"},
	{RecogniseMVN, "layer norm by a power", func(n *network, _ *rand.Rand) {
		n.result(layerNorm(n, n.input("2,5,8"), "Power"))
	}, "MVN"},
	{RecogniseMVN, "eps outside", func(n *network, _ *rand.Rand) {
		n.result(layerNorm(n, n.input("2,5,8"), "outside"))
	}, "MVN"},
	{RecogniseMVN, "not the mean of x", func(n *network, _ *rand.Rand) {
		x := n.input("2,5,8")
		n.result(n.op("Divide", x, n.op("Sqrt", n.op("Add", n.op(`ReduceMean opset1 keep_dims="true"`, n.op("Multiply", x, x), n.ints(-1)), n.scalar(1e-5)))))
	}, ""},
	{RecogniseMVN, "a division by the reciprocal", func(n *network, _ *rand.Rand) {
		n.result(layerNorm(n, n.input("2,5,8"), "reciprocal"))
	}, ""},
	{RecogniseMVN, "layer norm by a reciprocal power", func(n *network, _ *rand.Rand) {
		n.result(layerNorm(n, n.input("2,5,8"), "reciprocal power"))
	}, "MVN"},
	{RecogniseMVN, "the variance, not its root", func(n *network, _ *rand.Rand) {
		n.result(layerNorm(n, n.input("2,5,8"), "variance"))
	}, ""},
	{RecogniseMVN, "the square of the variance, eps outside", func(n *network, _ *rand.Rand) {
		n.result(layerNorm(n, n.input("2,5,8"), "square"))
	}, ""},
	{RecogniseMVN, "layer norm by SquaredDifference", func(n *network, _ *rand.Rand) {
		n.result(layerNorm(n, n.input("2,5,8"), "SquaredDifference"))
	}, "MVN"},
	{RecogniseMVN, "the mean of another input", func(n *network, _ *rand.Rand) {
		const mean = `ReduceMean opset1 keep_dims="true"`
		d := n.op("Subtract", n.input("2,5,8"), n.op(mean, n.input("2,5,8"), n.ints(-1)))
		n.result(n.op("Divide", d, n.op("Sqrt", n.op("Add", n.op(mean, n.op("Multiply", d, d), n.ints(-1)), n.scalar(1e-3)))))
	}, ""},
	{RecogniseMVN, "the variance along another axis", func(n *network, _ *rand.Rand) {
		const mean = `ReduceMean opset1 keep_dims="true"`
		x := n.input("2,5,8")
		d := n.op("Subtract", x, n.op(mean, x, n.ints(-1)))
		n.result(n.op("Divide", d, n.op("Sqrt", n.op("Add", n.op(mean, n.op("Multiply", d, d), n.ints(-2)), n.scalar(1e-3)))))
	}, ""},
	{RecogniseMVN, "layer norm by one over the root", func(n *network, _ *rand.Rand) {
		d, root := deviations(n, n.input("2,5,8"), -1)
		n.result(n.op("Multiply", n.op("Divide", n.scalar(1), root), d))
	}, "MVN"},
	{RecogniseMVN, "two over the root", func(n *network, _ *rand.Rand) {
		d, root := deviations(n, n.input("2,5,8"), -1)
		n.result(n.op("Multiply", d, n.op("Divide", n.scalar(2), root)))
	}, ""},
	{RecogniseMVN, "the root over the deviation", func(n *network, _ *rand.Rand) {
		d, root := deviations(n, n.input("2,5,8"), -1)
		n.result(n.op("Divide", root, d))
	}, ""},
	{RecogniseMVN, "a scalar axis", func(n *network, _ *rand.Rand) {
		x := n.input("2,5,8")
		n.ints(2)
		axis := n.constant("i64", "", 8) // the same bytes
		d := n.op("Subtract", x, n.op(keepingMean, x, axis))
		n.result(n.op("Divide", d, rootOf(n, n.op(keepingMean, n.op("Multiply", d, d), axis))))
	}, "MVN"},
	{RecogniseMVN, "two equal deviations", func(n *network, _ *rand.Rand) {
		x := n.input("2,5,8")
		centre := n.op(keepingMean, x, n.ints(-1))
		other := n.op("Subtract", x, centre)
		n.result(n.op("Divide", n.op("Subtract", x, centre), rootOf(n, n.op(keepingMean, n.op("Multiply", other, other), n.ints(-1)))))
	}, "MVN"},
	{RecogniseMVN, "deviations from two means", func(n *network, _ *rand.Rand) {
		x := n.input("2,5,8")
		other := n.op("Subtract", x, n.op(keepingMean, x, n.ints(1)))
		d := n.op("Subtract", x, n.op(keepingMean, x, n.ints(-1)))
		n.result(n.op("Divide", d, rootOf(n, n.op(keepingMean, n.op("Multiply", other, other), n.ints(-1)))))
	}, ""},
	{RecogniseMVN, "deviations of two inputs from one mean", func(n *network, _ *rand.Rand) {
		x := n.input("2,5,8")
		centre := n.op(keepingMean, x, n.ints(-1))
		other := n.op("Subtract", n.input("2,5,8"), centre)
		n.result(n.op("Divide", n.op("Subtract", x, centre), rootOf(n, n.op(keepingMean, n.op("Multiply", other, other), n.ints(-1)))))
	}, ""},
	{RecogniseMVN, "the fourth power", func(n *network, _ *rand.Rand) {
		d, _ := deviations(n, n.input("2,5,8"), -1)
		n.result(n.op("Divide", d, rootOf(n, n.op(keepingMean, n.op("Power", d, n.scalar(4)), n.ints(-1)))))
	}, ""},
	{RecogniseMVN, "the mean of another function", func(n *network, _ *rand.Rand) {
		d, _ := deviations(n, n.input("2,5,8"), -1)
		n.result(n.op("Divide", d, rootOf(n, n.op(keepingMean, n.op("Exp", d), n.ints(-1)))))
	}, ""},
	{RecogniseMVN, "no eps", func(n *network, _ *rand.Rand) {
		d, _ := deviations(n, n.input("2,5,8"), -1)
		variance := n.op(keepingMean, n.op("Multiply", d, d), n.ints(-1))
		n.result(n.op("Divide", d, n.op("Sqrt", variance)))
		n.result(n.op("Divide", d, n.op("Sqrt", n.op("Add", variance, n.scalar(0)))))
	}, ""},
	{RecogniseMVN, "a tensor added to the root", func(n *network, _ *rand.Rand) {
		d, _ := deviations(n, n.input("2,5,8"), -1)
		root := n.op("Sqrt", n.op(keepingMean, n.op("Multiply", d, d), n.ints(-1)))
		n.result(n.op("Divide", d, n.op("Add", root, n.op("Exp", n.input("2,5,8")))))
	}, ""},
	{RecogniseMVN, "a mean that drops its axis", func(n *network, _ *rand.Rand) {
		const dropping = `ReduceMean opset1 keep_dims="false"`
		x := n.input("4,4,4")
		d := n.op("Subtract", x, n.op(dropping, x, n.ints(-1)))
		n.result(n.op("Divide", d, rootOf(n, n.op(keepingMean, n.op("Multiply", d, d), n.ints(-1)))))
		d = n.op("Subtract", x, n.op(keepingMean, x, n.ints(-1)))
		n.result(n.op("Divide", d, rootOf(n, n.op(dropping, n.op("Multiply", d, d), n.ints(-1)))))
	}, ""},
	{RecogniseMVN, "SquaredDifference of x", func(n *network, _ *rand.Rand) {
		x := n.input("2,5,8")
		centre := n.op(keepingMean, x, n.ints(-1))
		n.result(n.op("Divide", n.op("Subtract", x, centre), rootOf(n, n.op(keepingMean, n.op("SquaredDifference", x, centre), n.ints(-1)))))
	}, "MVN"},
	{RecogniseMVN, "SquaredDifference of others", func(n *network, _ *rand.Rand) {
		x, y := n.input("2,5,8"), n.input("2,5,8")
		centre, other := n.op(keepingMean, x, n.ints(-1)), n.op(keepingMean, x, n.ints(1))
		d := n.op("Subtract", x, centre)
		n.result(n.op("Divide", d, rootOf(n, n.op(keepingMean, n.op("SquaredDifference", y, centre), n.ints(-1)))))
		n.result(n.op("Divide", d, rootOf(n, n.op(keepingMean, n.op("SquaredDifference", x, other), n.ints(-1)))))
	}, ""},
	{RecogniseMVN, "another type", func(n *network, _ *rand.Rand) {
		x := n.op(`Convert opset1 destination_type="f64"`, n.input("2,5,8"))
		d := n.op("Subtract", x, n.op(keepingMean, x, n.ints(-1)))
		n.bin = binary.LittleEndian.AppendUint64(n.bin, math.Float64bits(1e-3))
		root := n.op("Sqrt", n.op("Add", n.op(keepingMean, n.op("Multiply", d, d), n.ints(-1)), n.constant("f64", "", 8)))
		n.result(n.op(`Convert opset1 destination_type="f32"`, n.op("Divide", d, root)))
	}, ""},
	{NestConcats, "outputs of one layer", func(n *network, _ *rand.Rand) {
		n.ints(0)
		parts := n.layer("Split", "opset1", `num_splits="2"`, 2, n.input("4,2"), n.constant("i64", "", 8))
		x := n.input("2,2")
		n.result(n.op(`Concat opset1 axis="0"`, parts[0], x))
		n.result(n.op(`Concat opset1 axis="0"`, parts[1], x, x))
	}, ""},
	{RecogniseNormalizeL2, "RMS norm", func(n *network, rng *rand.Rand) {
		x := n.input("?,?,8")
		n.result(n.op("Multiply", rmsNorm(n, x, "Divide", "Mean", -1), n.random(rng, 0, 1, 8)))
	}, "Multiply Multiply NormalizeL2"},
	{RecogniseNormalizeL2, "RMS norm by the reciprocal", func(n *network, _ *rand.Rand) {
		n.result(rmsNorm(n, n.input("?,4,8"), "reciprocal", "Mean", -1, 1))
	}, "Multiply NormalizeL2"},
	{RecogniseNormalizeL2, "RMS norm by a power", func(n *network, _ *rand.Rand) {
		n.result(rmsNorm(n, n.input("2,4,8"), "Power", "Mean", 1))
	}, "Multiply NormalizeL2"},
	{RecogniseNormalizeL2, "the sum of the squares", func(n *network, _ *rand.Rand) {
		n.result(rmsNorm(n, n.input("2,?,?"), "Divide", "Sum", -1))
	}, "NormalizeL2"},
	{RecogniseNormalizeL2, "the mean of an unknown number", func(n *network, _ *rand.Rand) {
		n.result(rmsNorm(n, n.input("2,4,?"), "Divide", "Mean", -1))
	}, ""},
	{RecogniseNormalizeL2, "no axes", func(n *network, _ *rand.Rand) {
		n.result(rmsNorm(n, n.input("2,4,8"), "Divide", "Sum"))
	}, ""},
	{RecogniseNormalizeL2, "the squares of another input", func(n *network, _ *rand.Rand) {
		n.result(n.op("Multiply", n.input("2,5,8"), rmsNorm(n, n.input("2,5,8"), "root", "Sum", -1)))
	}, ""},
	{RecogniseNormalizeL2, "the maximum of the squares", func(n *network, _ *rand.Rand) {
		n.result(rmsNorm(n, n.input("2,5,8"), "Divide", "Max", -1))
	}, ""},
	{RecogniseNormalizeL2, "eps outside", func(n *network, _ *rand.Rand) {
		x := n.input("2,5,8")
		root := n.op("Sqrt", n.op(`ReduceSum opset1 keep_dims="true"`, n.op("Multiply", x, x), n.ints(-1)))
		n.result(n.op("Divide", x, n.op("Add", root, n.scalar(1e-3))))
	}, ""},
	{RecogniseNormalizeL2, "the mean of the cubes", func(n *network, _ *rand.Rand) {
		x := n.input("2,5,8")
		mean := n.op(`ReduceMean opset1 keep_dims="true"`, n.op("Power", n.op("Abs", x), n.scalar(3)), n.ints(-1))
		n.result(n.op("Divide", x, n.op("Sqrt", n.op("Add", mean, n.scalar(1e-3)))))
	}, ""},
	{RecogniseAttention, "attention", func(n *network, _ *rand.Rand) {
		q, k, v := n.input("2,3,5,4"), n.input("2,3,7,4"), n.input("2,3,7,6")
		scores := n.op(`MatMul opset1 transpose_b="true"`, q, k)
		n.result(n.op("MatMul", n.op(`Softmax opset8 axis="-1"`, n.op("Divide", scores, n.scalar(2))), v))
	}, "ScaledDotProductAttention"},
	{RecogniseAttention, "attention with a mask and a transposed key", func(n *network, _ *rand.Rand) {
		q, k, v, mask := n.input("2,3,5,4"), n.input("2,7,3,4"), n.input("2,3,7,6"), n.input("2,1,1,7")
		scores := n.op("MatMul", q, n.op("Transpose", k, n.ints(0, 2, 3, 1)))
		scores = n.op("Add", n.op("Multiply", scores, n.scalar(0.5)), mask)
		n.result(n.op("MatMul", n.op(`SoftMax opset1 axis="3"`, scores), v))
	}, "ScaledDotProductAttention Transpose"},
	{RecogniseAttention, "a mask before the scores", func(n *network, _ *rand.Rand) {
		q, k, v, mask := n.input("2,5,4"), n.input("2,7,4"), n.input("2,7,6"), n.input("1,5,7")
		scores := n.op("Add", mask, n.op(`MatMul opset1 transpose_b="true"`, q, k))
		n.result(n.op("MatMul", n.op(`Softmax opset8 axis="-1"`, scores), v))
	}, "ScaledDotProductAttention"},
	{RecogniseAttention, "a value that the MatMul transposes", func(n *network, _ *rand.Rand) {
		q, k, v := n.input("2,5,4"), n.input("2,7,4"), n.input("2,6,7")
		weights := n.op(`Softmax opset8 axis="-1"`, n.op(`MatMul opset1 transpose_b="true"`, q, k))
		n.result(n.op(`MatMul opset1 transpose_b="true"`, weights, v))
	}, ""},
	{RecogniseAttention, "a query without batches", func(n *network, _ *rand.Rand) {
		q, k, v := n.input("5,4"), n.input("2,7,4"), n.input("2,7,6")
		weights := n.op(`Softmax opset8 axis="-1"`, n.op(`MatMul opset1 transpose_b="true"`, q, k))
		n.result(n.op("MatMul", weights, v))
	}, ""},
	{RecogniseAttention, "a key without batches", func(n *network, _ *rand.Rand) {
		q, k, v := n.input("2,5,4"), n.input("7,4"), n.input("2,7,6")
		weights := n.op(`Softmax opset8 axis="-1"`, n.op(`MatMul opset1 transpose_b="true"`, q, k))
		n.result(n.op("MatMul", weights, v))
	}, ""},
	{RecogniseAttention, "a value without batches", func(n *network, _ *rand.Rand) {
		q, k, v := n.input("2,5,4"), n.input("2,7,4"), n.input("7,6")
		weights := n.op(`Softmax opset8 axis="-1"`, n.op(`MatMul opset1 transpose_b="true"`, q, k))
		n.result(n.op("MatMul", weights, v))
	}, ""},
	{RecogniseAttention, "a mask that makes the scores larger", func(n *network, _ *rand.Rand) {
		q, k, v, mask := n.input("1,5,4"), n.input("1,7,4"), n.input("1,7,6"), n.input("3,5,7")
		scores := n.op("Add", n.op(`MatMul opset1 transpose_b="true"`, q, k), mask)
		n.result(n.op("MatMul", n.op(`Softmax opset8 axis="-1"`, scores), v))
	}, ""},
	{RecogniseAttention, "weights that are quantized", func(n *network, _ *rand.Rand) {
		q, k, v := n.input("2,5,4"), n.input("2,7,4"), n.input("2,7,6")
		weights := n.quantized(n.op(`Softmax opset8 axis="-1"`, n.op(`MatMul opset1 transpose_b="true"`, q, k)), 0, 1, 0, 1)
		n.result(n.op("MatMul", weights, v))
	}, ""},
	{RecogniseAttention, "weights that are read twice", func(n *network, _ *rand.Rand) {
		q, k, v := n.input("?,5,4"), n.input("?,7,4"), n.input("?,7,6")
		weights := n.op(`Softmax opset8 axis="-1"`, n.op(`MatMul opset1 transpose_b="true"`, q, k))
		n.result(n.op("MatMul", weights, v))
		n.result(weights)
	}, ""},
	{RecogniseAttention, "weights of the last but one axis", func(n *network, _ *rand.Rand) {
		q, k, v := n.input("2,3,5,4"), n.input("2,3,5,4"), n.input("2,3,5,6")
		scores := n.op(`MatMul opset1 transpose_b="true"`, q, k)
		n.result(n.op("MatMul", n.op(`Softmax opset8 axis="-2"`, scores), v))
	}, ""},
	{RecogniseAttention, "weights of the axis 1, which is the default", func(n *network, _ *rand.Rand) {
		q, k, v := n.input("5,5,4"), n.input("5,5,4"), n.input("5,5,6")
		scores := n.op(`MatMul opset1 transpose_b="true"`, q, k)
		n.result(n.op("MatMul", n.op("SoftMax", scores), v))
	}, ""},
	{MergeTransposes, "two transposes that cancel", func(n *network, _ *rand.Rand) {
		x := n.input("2,?,4")
		n.result(n.op("Relu", n.op("Transpose", n.op("Transpose", x, n.ints(2, 0, 1)), n.ints(1, 2, 0))))
	}, "Relu"},
	{MergeTransposes, "two transposes", func(n *network, _ *rand.Rand) {
		x := n.input("2,?,4")
		n.result(n.op("Transpose", n.op("Transpose", x, n.ints(2, 0, 1)), n.ints(0, 2, 1)))
	}, "Transpose"},
	{MergeTransposes, "axes of length 1", func(n *network, _ *rand.Rand) {
		n.result(n.op("Transpose", n.input("1,?,1,4"), n.ints(1, 0, 3, 2)))
	}, "Reshape"},
	{MergeTransposes, "of MatMul", func(n *network, _ *rand.Rand) {
		a, b := n.input("2,4,3"), n.input("2,5,4")
		n.result(n.op(`MatMul opset1 transpose_b="true"`, n.op("Transpose", a, n.ints(0, 2, 1)), b))
		n.result(n.op(`MatMul opset1 transpose_b="true"`, n.op("Transpose", a, n.ints(0, 2, 1)), n.op("Transpose", n.input("2,4,5"), n.ints(0, 2, 1))))
	}, "MatMul MatMul"},
	{MergeTransposes, "of MatMul of a matrix", func(n *network, _ *rand.Rand) {
		n.result(n.op("MatMul", n.op("Transpose", n.input("4,3"), n.ints(1, 0)), n.input("4,5")))
	}, "MatMul"},
	{MergeEqual, "attributes of equal values and other names", func(n *network, _ *rand.Rand) {
		x, lo, hi := n.input("4,4"), n.ints(1, 1), n.ints(3, 3)
		n.result(n.op(`StridedSlice opset1 begin_mask="0,1" end_mask="1,0"`, x, lo, hi))
		n.result(n.op(`StridedSlice opset1 end_mask="0,1" begin_mask="1,0"`, x, lo, hi))
	}, ""},
	{MergeEqual, "equal shapes", func(n *network, _ *rand.Rand) {
		x := n.input("?,6")
		for range 2 {
			shape := n.op(`ShapeOf opset3 output_type="i64"`, x)
			n.result(n.op(`Reshape opset1 special_zero="false"`, n.op("Relu", x), n.op(`Gather opset8 batch_dims="0"`, shape, n.ints(1, 0), n.ints(0))))
		}
	}, "Gather Relu Relu Reshape Reshape ShapeOf"},
	{MergeEqual, "products, and elementwise layers of integers", func(n *network, rng *rand.Rand) {
		x, w := n.input("3,4"), n.random(rng, -1, 1, 4, 5)
		for range 2 {
			n.result(n.op("Exp", n.op("MatMul", x, w)))
			rows := n.op(`Gather opset8 batch_dims="0"`, n.op(`ShapeOf opset3 output_type="i64"`, x), n.ints(0), n.ints(0))
			n.result(n.convert("f32", n.op("Add", rows, n.ints(1))))
		}
	}, "Add Convert Exp Exp Gather MatMul ShapeOf"},
	{MergeEqual, "random numbers", func(n *network, rng *rand.Rand) {
		for range 2 {
			y := n.op(`RandomUniform opset8 output_type="f32" global_seed="1" op_seed="2"`, n.ints(2, 3), n.scalar(0), n.scalar(1))
			n.result(n.op("Multiply", y, n.scalar(0)))
		}
	}, ""},
	{NestConcats, "concats with common inputs", func(n *network, _ *rand.Rand) {
		x, y, z := n.op("Relu", n.input("1,2,3")), n.op("Relu", n.input("1,?,3")), n.op("Relu", n.input("1,4,3"))
		n.result(n.op("Exp", n.op(`Concat opset1 axis="1"`, x, y)))
		n.result(n.op(`Concat opset1 axis="1"`, x, y, z))
		n.result(n.op(`Concat opset1 axis="1"`, x, y, z, x))
		n.result(n.op(`Concat opset1 axis="-2"`, x, y, z, z))
	}, "Concat Concat Concat Concat Exp Relu Relu Relu"},
	{ConvertAfterGather, "words", func(n *network, rng *rand.Rand) {
		n.random(rng, 0, 1, 40) // these bytes are the f16 table, without Inf and NaN
		for i := range n.bin {
			n.bin[i] &= 0xbb
		}
		table := n.op(`Convert opset1 destination_type="f32"`, n.op(`Const opset1 element_type="f16" shape="20,4" offset="0" size="160"`))
		ids := n.op(`Convert opset1 destination_type="i64"`, n.op("Multiply", n.op("Sigmoid", n.input("?,3")), n.scalar(19)))
		n.result(n.op(`Gather opset8 batch_dims="0"`, table, ids, n.ints(0)))
	}, "Convert Convert Gather Multiply Sigmoid"},
	{ConvertAfterGather, "a table of elements that are not smaller", func(n *network, rng *rand.Rand) {
		n.random(rng, 0, 1, 80)
		table := n.op(`Convert opset1 destination_type="f32"`, n.op(`Const opset1 element_type="i32" shape="20,4" offset="0" size="320"`))
		ids := n.op(`Convert opset1 destination_type="i64"`, n.op("Multiply", n.op("Sigmoid", n.input("?,3")), n.scalar(19)))
		n.result(n.op(`Gather opset8 batch_dims="0"`, table, ids, n.ints(0)))
	}, ""},
}

// integerTests are tests of ComputeInIntegers, for processors on which it does something.
var integerTests = []struct {
	name  string
	build func(n *network, rng *rand.Rand)
	want  string
}{
	{"weights of rows", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("2,?,8"), -2.0461, 2.5712, -2.0461, 2.5712)
		n.result(n.op(`MatMul opset1 transpose_b="true"`, x, n.weights(rng, "5,8", n.random(rng, 0.01, 0.02, 5, 1))))
	}, "Quantize QuantizedMatMul"},
	{"weights of columns, two products of the same data, a scale of one number", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("4,8"), -3, 3, 1, 7)
		n.result(n.op("MatMul", x, n.weights(rng, "8,3", n.random(rng, 0.01, 0.02, 3))))
		n.result(n.op("MatMul", x, n.weights(rng, "8,6", n.scalar(0.125))))
	}, "Quantize QuantizedMatMul QuantizedMatMul"},
	{"a vector, and data that others read", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("8"), 0, 3, 0, 3)
		n.result(n.op("MatMul", x, n.weights(rng, "8,3", n.random(rng, 0.01, 0.02, 1, 3))))
		n.result(x)
	}, "Dequantize Quantize QuantizedMatMul"},
	{"stages", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("3,8"), 0, 3, 0, 3)
		y := n.op("Add", n.op("MatMul", x, n.weights(rng, "8,4", n.scalar(0.01))), n.random(rng, -1, 1, 4))
		y = n.quantized(n.op("Relu", y), 0, 1.5, 0, 1.5)
		n.result(n.op("MatMul", y, n.weights(rng, "4,4", n.scalar(0.01))))
	}, "Add Quantize Quantize QuantizedMatMul QuantizedMatMul Relu"},
	{"limits of channels", func(n *network, rng *rand.Rand) {
		x := n.op(`FakeQuantize opset1 levels="256"`, n.input("3,4"), n.random(rng, -3, -2, 4), n.random(rng, 2, 3, 4), n.scalar(-1), n.scalar(1))
		n.result(n.op("MatMul", x, n.weights(rng, "4,4", n.scalar(0.01))))
	}, ""},
	{"limits that add an axis", func(n *network, rng *rand.Rand) {
		x := n.op(`FakeQuantize opset1 levels="256"`, n.input("3,4"), n.floats("1,1,1", -1), n.scalar(1), n.scalar(-1), n.scalar(1))
		n.result(n.op("MatMul", x, n.weights(rng, "4,4", n.scalar(0.01))))
	}, ""},
	{"a range from high to low", func(n *network, rng *rand.Rand) {
		n.result(n.op("MatMul", n.quantized(n.input("3,4"), 3, -3, 0, 1), n.weights(rng, "4,4", n.scalar(0.01))))
	}, ""},
	{"257 levels", func(n *network, rng *rand.Rand) {
		x := n.op(`FakeQuantize opset1 levels="257"`, n.input("3,4"), n.scalar(-3), n.scalar(3), n.scalar(-3), n.scalar(3))
		n.result(n.op("MatMul", x, n.weights(rng, "4,4", n.scalar(0.01))))
	}, ""},
	{"rows that are no multiple of four", func(n *network, rng *rand.Rand) {
		n.result(n.op("MatMul", n.quantized(n.input("3,6"), -3, 3, -3, 3), n.weights(rng, "6,4", n.scalar(0.01))))
	}, ""},
	{"a scale of rows", func(n *network, rng *rand.Rand) {
		n.result(n.op("MatMul", n.quantized(n.input("3,4"), -3, 3, -3, 3), n.weights(rng, "4,4", n.random(rng, 0.01, 0.02, 4, 1))))
	}, ""},
	{"transposed data", func(n *network, rng *rand.Rand) {
		n.result(n.op(`MatMul opset1 transpose_a="true"`, n.quantized(n.input("4,3"), -3, 3, -3, 3), n.weights(rng, "4,4", n.scalar(0.01))))
	}, ""},
	{"weights of a batch", func(n *network, rng *rand.Rand) {
		n.result(n.op("MatMul", n.quantized(n.input("2,3,4"), -3, 3, -3, 3), n.weights(rng, "2,4,4", n.scalar(0.01))))
	}, ""},
	{"a padded convolution", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), -1.28, 1.27, -1.28, 1.27)
		n.result(n.op(paddedConvolution, x, n.weights(rng, "4,3,3,3", n.random(rng, 0.01, 0.02, 4, 1, 1, 1))))
	}, "Quantize QuantizedConvolution"},
	{"a padded convolution with zero between two levels", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), -1.283, 1.267, -1.283, 1.267)
		n.result(n.op(paddedConvolution, x, n.weights(rng, "4,3,3,3", n.scalar(0.01))))
	}, ""},
	{"zero is no level, and nothing is padded", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("2,3,6,8"), 1, 3, 1, 3)
		n.result(n.op(`Convolution opset1 strides="1,1" dilations="1,1" pads_begin="0,0" pads_end="0,0"`, x, n.weights(rng, "4,3,3,3", n.scalar(0.01))))
	}, "Quantize QuantizedConvolution"},
	{"groups of four channels", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,8,6,8"), 0, 2, 0, 2)
		n.result(n.op("Group"+paddedConvolution, x, n.weights(rng, "2,5,4,3,3", n.random(rng, 0.01, 0.02, 2, 5, 1, 1, 1))))
	}, "Quantize QuantizedConvolution"},
	{"groups of one channel", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,8,6,8"), 0, 2, 0, 2)
		n.result(n.op("Group"+paddedConvolution, x, n.weights(rng, "8,1,1,3,3", n.scalar(0.01))))
	}, "Quantize QuantizedConvolution"},
	{"groups by a Reshape", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,4,6,8"), 0, 2, 0, 2)
		w := n.op("Reshape", n.weights(rng, "8,2,3,3", n.random(rng, 0.01, 0.02, 8, 1, 1, 1)), n.ints(2, 4, 2, 3, 3))
		if gemm.QuadSize() > 2 {
			w = n.op("Reshape", n.weights(rng, "8,1,3,3", n.random(rng, 0.01, 0.02, 8, 1, 1, 1)), n.ints(4, 2, 1, 3, 3))
		}
		n.result(n.op("Group"+paddedConvolution, x, w))
	}, "Quantize QuantizedConvolution"},
	{"groups by a Reshape, with a scale of their channels", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,8,6,8"), 0, 2, 0, 2)
		w := n.op("Reshape", n.weights(rng, "2,4,3,3", n.random(rng, 0.01, 0.02, 1, 4, 1, 1)), n.ints(2, 1, 4, 3, 3))
		n.result(n.op("Group"+paddedConvolution, x, w))
	}, ""},
	{"groups of three channels", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,6,6,8"), 0, 2, 0, 2)
		n.result(n.op("Group"+paddedConvolution, x, n.weights(rng, "2,1,3,3,3", n.scalar(0.01))))
	}, ""},
	{"limits of channels before groups of one channel", func(n *network, rng *rand.Rand) {
		x := n.op(`FakeQuantize opset1 levels="256"`, n.input("2,3,6,8"), n.scalar(0), n.random(rng, 2, 3, 1, 3, 1, 1), n.scalar(0), n.random(rng, 2, 3, 1, 3, 1, 1))
		n.result(n.op("Group"+paddedConvolution, x, n.weights(rng, "3,2,1,3,3", n.random(rng, 0.01, 0.02, 3, 2, 1, 1, 1))))
	}, "Quantize QuantizedConvolution"},
	{"limits of channels before one group", func(n *network, rng *rand.Rand) {
		x := n.op(`FakeQuantize opset1 levels="256"`, n.input("2,3,6,8"), n.scalar(0), n.random(rng, 2, 3, 1, 3, 1, 1), n.scalar(0), n.scalar(3))
		y := n.op(paddedConvolution, x, n.weights(rng, "4,3,3,3", n.scalar(0.01)))
		n.result(n.op(paddedConvolution, n.op("Relu", x), n.weights(rng, "4,3,3,3", n.scalar(0.01))))
		n.result(y)
	}, ""},
	{"limits of channels with different zeros", func(n *network, rng *rand.Rand) {
		x := n.op(`FakeQuantize opset1 levels="256"`, n.input("2,2,6,8"), n.floats("1,2,1,1", 0, -1.28), n.floats("1,2,1,1", 2.55, 1.27), n.floats("1,2,1,1", 0, -1.28), n.floats("1,2,1,1", 2.55, 1.27))
		n.result(n.op("Group"+paddedConvolution, x, n.weights(rng, "2,1,1,3,3", n.scalar(0.01))))
	}, "Quantize QuantizedConvolution"},
	{"limits of channels, of which one has no zero", func(n *network, rng *rand.Rand) {
		x := n.op(`FakeQuantize opset1 levels="256"`, n.input("2,2,6,8"), n.floats("1,2,1,1", 0, -1.285), n.floats("1,2,1,1", 2.55, 1.265), n.floats("1,2,1,1", 0, -1.285), n.floats("1,2,1,1", 2.55, 1.265))
		n.result(n.op("Group"+paddedConvolution, x, n.weights(rng, "2,1,1,3,3", n.scalar(0.01))))
	}, ""},
	{"a transposed convolution", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), -1.28, 1.27, -1.28, 1.27)
		n.result(n.op(transposedConvolution, x, n.weights(rng, "3,4,3,3", n.random(rng, 0.01, 0.02, 1, 4, 1, 1))))
	}, "Quantize QuantizedConvolutionBackpropData"},
	{"a transposed convolution between others, of a given shape", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 2, 0, 2)
		x = n.quantized(n.op(transposedConvolution, x, n.weights(rng, "3,4,3,3", n.scalar(0.01)), n.ints(13, 16)), -1.28, 1.27, -1.28, 1.27)
		n.result(n.op(paddedConvolution, x, n.weights(rng, "4,4,3,3", n.scalar(0.01))))
	}, "Quantize Quantize QuantizedConvolution QuantizedConvolutionBackpropData"},
	{"a transposed convolution of groups", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,8,6,8"), 0, 2, 0, 2)
		n.result(n.op("Group"+transposedConvolution, x, n.weights(rng, "2,4,3,3,3", n.random(rng, 0.01, 0.02, 2, 1, 3, 1, 1))))
	}, "Quantize QuantizedConvolutionBackpropData"},
	{"a transposed convolution of groups of one channel", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,8,6,8"), 0, 2, 0, 2)
		n.result(n.op("Group"+transposedConvolution, x, n.weights(rng, "8,1,1,3,3", n.scalar(0.01))))
	}, ""},
	{"a transposed convolution with a scale of input channels", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,4,6,8"), 0, 2, 0, 2)
		n.result(n.op(transposedConvolution, x, n.weights(rng, "4,4,3,3", n.random(rng, 0.01, 0.02, 4, 1, 1, 1))))
	}, ""},
	{"a transposed convolution of data that has no zero", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 1, 3, 1, 3)
		n.result(n.op(transposedConvolution, x, n.weights(rng, "3,4,3,3", n.scalar(0.01))))
	}, ""},
	{"a transposed convolution of data with limits of channels", func(n *network, rng *rand.Rand) {
		x := n.op(`FakeQuantize opset1 levels="256"`, n.input("2,3,6,8"), n.scalar(0), n.random(rng, 2, 3, 1, 3, 1, 1), n.scalar(0), n.scalar(3))
		n.result(n.op(transposedConvolution, x, n.weights(rng, "3,4,3,3", n.scalar(0.01))))
	}, ""},
	{"a transposed convolution with large strides", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,2,2"), 0, 2, 0, 2)
		n.result(n.op(`ConvolutionBackpropData opset1 strides="17,16" dilations="1,1" pads_begin="0,0" pads_end="0,0"`, x, n.weights(rng, "3,4,3,3", n.scalar(0.01))))
	}, ""},
	{"attention", func(n *network, rng *rand.Rand) {
		q, k := n.quantized(n.input("2,3,5,8"), -2.56, 2.54, -2.56, 2.54), n.quantized(n.input("2,3,7,8"), -1, 2, -1, 2)
		n.result(n.op(plainAttention, q, k, n.input("2,3,7,6")))
	}, "Quantize Quantize QuantizedAttention"},
	{"attention with a mask and a scale", func(n *network, rng *rand.Rand) {
		q, k := n.quantized(n.input("2,?,8"), -2.56, 2.54, -2.56, 2.54), n.quantized(n.input("2,?,8"), -1.28, 1.27, -1.28, 1.27)
		n.result(n.op(plainAttention, q, k, n.input("2,?,6"), n.input("3,3"), n.scalar(0.2)))
	}, "Quantize Quantize QuantizedAttention"},
	{"attention of six columns", func(n *network, rng *rand.Rand) {
		q, k := n.quantized(n.input("2,5,6"), -2.56, 2.54, -2.56, 2.54), n.quantized(n.input("2,7,6"), -1, 2, -1, 2)
		n.result(n.op(plainAttention, q, k, n.input("2,7,6")))
	}, ""},
	{"attention to keys that are not quantized", func(n *network, rng *rand.Rand) {
		n.result(n.op(plainAttention, n.quantized(n.input("2,5,8"), -2.56, 2.54, -2.56, 2.54), n.input("2,7,8"), n.input("2,7,6")))
	}, ""},
	{"attention with another zero of the query", func(n *network, rng *rand.Rand) {
		q, k := n.quantized(n.input("2,5,8"), -1, 2, -1, 2), n.quantized(n.input("2,7,8"), -1, 2, -1, 2)
		n.result(n.op(plainAttention, q, k, n.input("2,7,6")))
	}, ""},
	{"attention of several layers", func(n *network, rng *rand.Rand) {
		q, k := n.quantized(n.input("2,3,5,8"), -2.56, 2.54, -2.56, 2.54), n.quantized(n.input("2,3,7,8"), -1, 2, -1, 2)
		weights := n.op(`Softmax opset8 axis="-1"`, n.op("Multiply", n.op(`MatMul opset1 transpose_b="true"`, q, k), n.scalar(0.3)))
		n.result(n.op("MatMul", weights, n.input("2,3,7,6")))
	}, "Quantize Quantize QuantizedAttention"},
	{"attention of several layers, with a transposed key and a mask", func(n *network, rng *rand.Rand) {
		q, k := n.quantized(n.input("2,3,5,8"), -2.56, 2.54, -2.56, 2.54), n.quantized(n.input("2,7,3,8"), -1, 2, -1, 2)
		scores := n.op("Add", n.op("MatMul", q, n.op("Transpose", k, n.ints(0, 2, 3, 1))), n.input("2,1,1,7"))
		n.result(n.op("MatMul", n.op(`Softmax opset8 axis="-1"`, scores), n.input("2,3,7,6")))
	}, "Quantize Quantize QuantizedAttention Transpose"},
	{"attention of several layers with another zero of the query", func(n *network, rng *rand.Rand) {
		q, k := n.quantized(n.input("2,50,32"), -1, 2, -1, 2), n.quantized(n.input("2,50,32"), -1, 2, -1, 2)
		weights := n.op(`Softmax opset8 axis="-1"`, n.op(`MatMul opset1 transpose_b="true"`, q, k))
		n.result(n.op("MatMul", weights, n.input("2,50,6")))
	}, ""},
	{"all products of an attention", func(n *network, rng *rand.Rand) {
		q, k := n.quantized(n.input("2,50,32"), -2.56, 2.54, -2.56, 2.54), n.quantized(n.input("2,48,32"), -1, 2, -1, 2)
		weights := n.op(`Softmax opset8 axis="-1"`, n.op("Multiply", n.op(`MatMul opset1 transpose_b="true"`, q, k), n.scalar(0.2)))
		n.result(n.op("MatMul", n.quantized(weights, 0, 0.5, 0, 0.5), n.quantized(n.input("2,48,50"), -2.56, 2.54, -2.56, 2.54)))
	}, "Multiply Quantize Quantize Quantize Quantize QuantizedProduct QuantizedProduct Softmax"},
	{"activations", func(n *network, rng *rand.Rand) {
		x, y := n.quantized(n.input("2,50,36"), -1.28, 1.27, -1.28, 1.27), n.quantized(n.input("2,36,49"), 0, 2, 0, 2)
		n.result(n.op("MatMul", x, y))
	}, "Quantize Quantize QuantizedProduct"},
	{"transposed activations, batches that are broadcast, and zero between two levels", func(n *network, rng *rand.Rand) {
		x, y := n.quantized(n.input("3,35,50"), -1.283, 1.267, -1.283, 1.267), n.quantized(n.input("2,1,49,35"), -1.02, 1.27, 0.3, 1)
		n.result(n.op(`MatMul opset1 transpose_a="true" transpose_b="true"`, x, y))
	}, "Quantize Quantize QuantizedProduct"},
	{"activations of unknown lengths", func(n *network, rng *rand.Rand) {
		x, y := n.quantized(n.input("?,50,?"), -1.28, 1.27, -1.28, 1.27), n.quantized(n.input("?,?,50"), -1, 2, -1, 2)
		n.result(n.op("MatMul", x, y))
	}, "Quantize Quantize QuantizedProduct"},
	{"activations and themselves, which others read", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("50,36"), -1.28, 1.27, -1.28, 1.27)
		n.result(n.op(`MatMul opset1 transpose_b="true"`, x, x))
		n.result(n.op("Relu", x))
	}, "Dequantize Quantize QuantizedProduct Relu"},
	{"parts of activations", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("3,2,50,36"), -1.28, 1.27, -1.28, 1.27)
		part := func(i int64) port { return n.op(`Gather opset8 batch_dims="0"`, x, n.ints(i), n.ints(0)) }
		n.result(n.op(`MatMul opset1 transpose_b="true"`, part(0), part(2)))
	}, "Gather Gather Quantize QuantizedProduct"},
	{"parts of activations out of range", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("3,2,50,36"), -1.28, 1.27, -1.28, 1.27)
		part := func(i int64) port { return n.op(`Gather opset7 batch_dims="0"`, x, n.ints(i), n.ints(0)) }
		n.result(n.op(`MatMul opset1 transpose_b="true"`, part(0), part(3)))
		n.result(n.op(`MatMul opset1 transpose_b="true"`, part(1), part(-1)))
	}, ""},
	{"activations of few rows", func(n *network, rng *rand.Rand) {
		x, y := n.quantized(n.input("2,47,40"), -1.28, 1.27, -1.28, 1.27), n.quantized(n.input("2,40,50"), 0, 2, 0, 2)
		n.result(n.op("MatMul", x, y))
	}, ""},
	{"a vector and activations", func(n *network, rng *rand.Rand) {
		x, y := n.quantized(n.input("40"), -1.28, 1.27, -1.28, 1.27), n.quantized(n.input("2,40,50"), 0, 2, 0, 2)
		n.result(n.op("MatMul", x, y))
	}, ""},
	{"activations of which one is quantized", func(n *network, rng *rand.Rand) {
		n.result(n.op("MatMul", n.quantized(n.input("50,50"), -1.28, 1.27, -1.28, 1.27), n.input("50,50")))
	}, ""},
	{"activations with limits of channels", func(n *network, rng *rand.Rand) {
		x := n.op(`FakeQuantize opset1 levels="256"`, n.input("2,50,36"), n.scalar(-1), n.random(rng, 1, 2, 1, 50, 1), n.scalar(-1), n.scalar(1))
		n.result(n.op("MatMul", x, n.quantized(n.input("2,36,49"), 0, 2, 0, 2)))
	}, ""},
	{"activations far from zero", func(n *network, rng *rand.Rand) {
		x, y := n.quantized(n.input("50,36"), -1.28, 1.27, 5, 6), n.quantized(n.input("36,49"), 0, 2, 0, 2)
		n.result(n.op("MatMul", x, y))
	}, ""},
	{"activations of which one is the same everywhere", func(n *network, rng *rand.Rand) {
		x, y := n.quantized(n.input("50,36"), -1.28, 1.27, 0.5, 0.5), n.quantized(n.input("36,49"), 0, 2, 0, 2)
		n.result(n.op("MatMul", x, y))
	}, ""},
	{"activations with limits that are no numbers", func(n *network, rng *rand.Rand) {
		nan, inf := float32(math.NaN()), float32(math.Inf(1))
		for _, limits := range [][4]float32{{nan, 1, -1, 1}, {-1, inf, -1, 1}, {-1, 1, nan, 1}, {-1, 1, -1, inf}, {-1, 1, -3e38, 3e38}, {0, 0, -1, 1}} {
			x := n.quantized(n.input("50,36"), limits[0], limits[1], limits[2], limits[3])
			n.result(n.op("MatMul", x, n.quantized(n.input("36,49"), -3e38, 3e38, -3e38, 3e38)))
		}
	}, ""},
	{"a recurrent layer", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("2,5,8"), -2, 2, -2, 2)
		n.result(n.recurrent(rng, "GRUSequence", 8, 2, "", x, n.random(rng, -1, 1, 2, 2, 16))[0])
	}, "Dequantize GRUSequence Gather Quantize QuantizedMatMul ShapeOf"},
	{"a sum of two products", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		y := n.quantized(n.op("Relu", n.op(paddedConvolution, x, n.weights(rng, "3,3,3,3", n.scalar(0.01)))), 0, 2, 0, 2)
		z := n.quantized(n.op(paddedConvolution, y, n.weights(rng, "3,3,3,3", n.scalar(0.01))), -2, 2, -2, 2)
		n.result(n.op("Add", y, z))
	}, "DequantizeAdd Quantize Quantize Quantize QuantizedConvolution QuantizedConvolution Relu"},
	{"sums of levels that are quantized", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		y := n.quantized(n.op("Relu", n.op(paddedConvolution, x, n.weights(rng, "3,3,3,3", n.scalar(0.01)))), 0, 2, 0, 2)
		z := n.quantized(n.op(paddedConvolution, y, n.weights(rng, "3,3,3,3", n.scalar(0.01))), -2, 2, -2, 2)
		scaled := n.op("Add", n.op("Multiply", y, n.random(rng, 0.5, 2, 1, 3, 1, 1)), n.random(rng, -1, 1, 1, 3, 1, 1))
		n.result(n.op("Add", n.quantized(n.op("Add", y, z), -3, 3.1, -3, 3.1), n.quantized(scaled, -4, 4.3, -4, 4.3)))
	}, "Add Dequantize DequantizeAdd DequantizeAdd Multiply Quantize Quantize Quantize Quantize Quantize QuantizedConvolution QuantizedConvolution Relu"},
	{"levels of no channels", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,0,6,8"), 0, 3, 0, 3)
		n.result(n.quantized(n.op("Multiply", x, n.floats("0,1,1")), -2, 2, -2, 2))
	}, "Dequantize FakeQuantize Multiply Quantize"},
	{"limits of no channels", func(n *network, rng *rand.Rand) {
		n.result(n.op(`FakeQuantize opset1 levels="256"`, n.input("1,0,6,8"), n.floats("1,0,1,1"), n.floats("1,0,1,1"), n.scalar(-1), n.scalar(1)))
	}, ""},
	{"a sum of two products that broadcasts", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		y := n.quantized(n.op("Relu", n.op(paddedConvolution, x, n.weights(rng, "3,3,3,3", n.scalar(0.01)))), 0, 2, 0, 2)
		z := n.quantized(n.op(paddedConvolution, y, n.weights(rng, "1,3,3,3", n.scalar(0.01))), -2, 2, -2, 2)
		n.result(n.op("Add", y, z))
	}, "Add Dequantize Dequantize Quantize Quantize Quantize QuantizedConvolution QuantizedConvolution Relu"},
	{"both parts of the data", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,8,6,8"), 0, 3, 0, 3)
		for _, part := range n.layer("Split", "opset1", `num_splits="2"`, 2, x, n.op("Squeeze", n.ints(1))) {
			n.result(n.op(paddedConvolution, part, n.weights(rng, "2,4,3,3", n.scalar(0.01))))
		}
	}, "Quantize QuantizedConvolution QuantizedConvolution Split Squeeze"},
	{"a slice of the data", func(n *network, rng *rand.Rand) {
		x := n.op(`StridedSlice opset1 begin_mask="1,0" end_mask="1,0"`, n.quantized(n.input("1,8,6,8"), 0, 3, 0, 3), n.ints(0, 2), n.ints(0, 6))
		n.result(n.op(paddedConvolution, x, n.weights(rng, "2,4,3,3", n.scalar(0.01))))
	}, "Quantize QuantizedConvolution StridedSlice"},
	{"a maximum before the convolution", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, -1, 2)
		x = n.op(`MaxPool opset1 strides="2,2" kernel="2,2" pads_begin="0,0" pads_end="0,0" rounding_type="floor"`, x)
		n.result(n.op(`Convolution opset1 strides="1,1" dilations="1,1" pads_begin="0,0" pads_end="0,0"`, x, n.weights(rng, "4,3,1,1", n.scalar(0.01))))
	}, "MaxPool Quantize QuantizedConvolution"},
	{"a concatenation before the convolution", func(n *network, rng *rand.Rand) {
		x, y := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3), n.quantized(n.input("1,2,6,8"), 0, 2, 0, 3)
		n.result(n.op(paddedConvolution, n.op(`Concat opset1 axis="1"`, x, y), n.weights(rng, "4,5,3,3", n.scalar(0.01))))
	}, "Concat Quantize Quantize QuantizedConvolution"},
	{"data that many layers moved", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		y := n.quantized(n.input("1,3,6,8"), 0, 2, 0, 3)
		for range 4 {
			x = n.op(`Concat opset1 axis="0"`, n.op("Transpose", x, n.ints(0, 1, 3, 2)), n.op("Transpose", y, n.ints(0, 1, 3, 2)))
			x = n.layer("Split", "opset1", `num_splits="2"`, 2, n.op("Transpose", x, n.ints(0, 1, 3, 2)), n.op("Squeeze", n.ints(0)))[0]
		}
		n.result(n.op(paddedConvolution, x, n.weights(rng, "4,3,3,3", n.scalar(0.01))))
	}, "Concat Concat Concat Concat Quantize Quantize QuantizedConvolution Split Split Split Split Squeeze Squeeze Squeeze Squeeze " + strings.TrimSpace(strings.Repeat("Transpose ", 12))},
	{"a concatenation of different levels", func(n *network, rng *rand.Rand) {
		x, y := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3), n.quantized(n.input("1,2,6,8"), 0, 2, 0, 2)
		n.result(n.op(paddedConvolution, n.op(`Concat opset1 axis="1"`, x, y), n.weights(rng, "4,5,3,3", n.scalar(0.01))))
	}, ""},
	{"data that is enlarged", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.enlarged(n.quantized(n.input("1,3,4,4"), 0, 3, 0, 3)), 0, 2, 0, 2)
		n.result(n.op(paddedConvolution, x, n.weights(rng, "4,3,3,3", n.scalar(0.01))))
		n.result(x)
	}, "Dequantize FakeQuantize Interpolate Quantize QuantizedConvolution"},
	{"data that is enlarged and has the same levels", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,4,4"), 0, 3, 0, 3)
		y := n.quantized(n.enlarged(x), 0, 3, 0, 3)
		n.result(n.op(paddedConvolution, x, n.weights(rng, "4,3,3,3", n.scalar(0.01))))
		n.result(n.op(paddedConvolution, y, n.weights(rng, "4,3,3,3", n.scalar(0.01))))
	}, "Interpolate Quantize QuantizedConvolution QuantizedConvolution"},
	{"data that is enlarged and changed", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,4,4"), 0, 3, 0, 3)
		y := n.quantized(n.enlarged(x), 0, 2, 0, 3)
		n.result(n.op(paddedConvolution, x, n.weights(rng, "4,3,3,3", n.scalar(0.01))))
		n.result(n.op(paddedConvolution, y, n.weights(rng, "4,3,3,3", n.scalar(0.01))))
	}, "Dequantize Interpolate Quantize Quantize QuantizedConvolution QuantizedConvolution"},
	{"enlarged data that others read", func(n *network, rng *rand.Rand) {
		x := n.enlarged(n.input("1,3,4,4"))
		n.result(n.op(paddedConvolution, n.quantized(x, 0, 2, 0, 2), n.weights(rng, "4,3,3,3", n.scalar(0.01))))
		n.result(x)
	}, "Interpolate Quantize QuantizedConvolution"},
	{"the same levels again and again", func(n *network, rng *rand.Rand) {
		x := n.input("1,3,4,4")
		for range 5 {
			x = n.op("Transpose", n.quantized(x, 0, 3, 0, 3), n.ints(0, 1, 3, 2))
		}
		n.result(n.op(paddedConvolution, x, n.weights(rng, "4,3,3,3", n.scalar(0.01))))
	}, "Quantize QuantizedConvolution Transpose Transpose Transpose Transpose Transpose"},
	{"a sum before the convolution", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		n.result(n.op(paddedConvolution, n.op("Add", x, x), n.weights(rng, "4,3,3,3", n.scalar(0.01))))
	}, ""},
	{"a zero point that is nearly zero", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		n.result(n.op(paddedConvolution, x, n.shiftedWeights(rng, "4,3,3,3", n.floats("4,1,1,1", 1e-6, 0, -1e-6, 0), n.scalar(0.01))))
	}, "Quantize QuantizedConvolution"},
	{"a zero point", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		n.result(n.op(paddedConvolution, x, n.shiftedWeights(rng, "4,3,3,3", n.floats("4,1,1,1", 0, 0, -3, 0), n.scalar(0.01))))
	}, ""},
	{"weights that are numbers of levels", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		n.result(n.op(paddedConvolution, x, n.numbered(rng, "4,3,3,3", 254, n.floats("4,1,1,1", -1, -2, -3, -4), n.floats("4,1,1,1", 1, 2, 3, 4))))
	}, "Quantize QuantizedConvolution"},
	{"numbers of levels with zero points of outputs", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		n.result(n.op(paddedConvolution, x, n.numbered(rng, "4,3,3,3", 254, n.floats("4,1,1,1", -1, -2, -3, -3), n.floats("4,1,1,1", 1, 2, 3, 4))))
	}, ""},
	{"numbers that are rounded", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		n.result(n.op(paddedConvolution, x, n.numbered(rng, "4,3,3,3", 253, n.scalar(-1), n.scalar(1))))
	}, "Quantize QuantizedConvolution"},
	{"weights of floats", func(n *network, rng *rand.Rand) {
		x, w := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3), n.random(rng, -1, 1, 4, 3, 3, 3)
		low, high := n.floats("4,1,1,1", -1, -0.5, -0.7, -0.9), n.floats("4,1,1,1", 1, 0.5, 0.7, 0.9)
		n.result(n.op(paddedConvolution, x, n.op(`FakeQuantize opset1 levels="255"`, w, low, high, low, high)))
	}, "Quantize QuantizedConvolution"},
	{"weights of floats with 256 levels", func(n *network, rng *rand.Rand) {
		x, w := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3), n.random(rng, -1, 1, 4, 3, 3, 3)
		n.result(n.op(paddedConvolution, x, n.quantized(w, -1.28, 1.27, -1.28, 1.27)))
	}, "Quantize QuantizedConvolution"},
	{"weights of floats that are all positive", func(n *network, rng *rand.Rand) {
		x, w := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3), n.random(rng, 0, 1, 4, 3, 3, 3)
		n.result(n.op(paddedConvolution, x, n.quantized(w, 0, 1, 0, 1)))
	}, ""},
	{"weights of floats whose levels do not have 0", func(n *network, rng *rand.Rand) {
		x, w := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3), n.random(rng, -1, 1, 4, 3, 3, 3)
		n.result(n.op(paddedConvolution, x, n.quantized(w, -1, 1, -1, 1)))
	}, ""},
	{"numbers of levels that are all positive", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		n.result(n.op(paddedConvolution, x, n.numbered(rng, "4,3,3,3", 254, n.scalar(0), n.scalar(1))))
	}, ""},
	{"a scale of input channels", func(n *network, rng *rand.Rand) {
		x := n.quantized(n.input("1,3,6,8"), 0, 3, 0, 3)
		n.result(n.op(paddedConvolution, x, n.weights(rng, "4,3,3,3", n.random(rng, 0.01, 0.02, 1, 3, 1, 1))))
	}, ""},
	{"data that is not quantized", func(n *network, rng *rand.Rand) {
		n.result(n.op("MatMul", n.input("2,4"), n.weights(rng, "4,4", n.scalar(0.01))))
	}, ""},
}

// quantized adds a FakeQuantize with 256 levels and scalar limits.
func (n *network) quantized(x port, low, high, outLow, outHigh float32) port {
	return n.op(`FakeQuantize opset1 levels="256"`, x, n.scalar(low), n.scalar(high), n.scalar(outLow), n.scalar(outHigh))
}

// enlarged adds an Interpolate to 8x6 elements.
func (n *network) enlarged(x port) port {
	return n.op(`Interpolate opset4 mode="nearest" shape_calculation_mode="sizes"`, x, n.ints(8, 6), n.floats("2", 2, 1.5), n.ints(2, 3))
}

// paddedConvolution pads by one element.
const paddedConvolution = `Convolution opset1 strides="1,1" dilations="1,1" pads_begin="1,1" pads_end="1,1"`

// plainAttention is attention to all keys.
const plainAttention = `ScaledDotProductAttention opset13 causal="false"`

// transposedConvolution is a transposed convolution with strides.
const transposedConvolution = `ConvolutionBackpropData opset1 strides="2,2" dilations="1,1" pads_begin="1,0" pads_end="0,1"`

// weights adds weights of i8 that are multiplied by scale.
func (n *network) weights(rng *rand.Rand, shape string, scale port) port {
	return n.op("Multiply", n.wideWeights(rng, shape), scale)
}

// shiftedWeights is weights, from which zero is subtracted first.
func (n *network) shiftedWeights(rng *rand.Rand, shape string, zero, scale port) port {
	return n.op("Multiply", n.op("Subtract", n.wideWeights(rng, shape), zero), scale)
}

// numbered adds weights that are numbers of 255 levels from low to high, the last of which is last.
func (n *network) numbered(rng *rand.Rand, shape string, last float32, low, high port) port {
	return n.op(`FakeQuantize opset1 levels="255"`, n.wideBytes(rng, "u8", shape), n.scalar(0), n.scalar(last), low, high)
}

// wideWeights adds weights of i8, converted to f32.
func (n *network) wideWeights(rng *rand.Rand, shape string) port {
	return n.wideBytes(rng, "i8", shape)
}

// wideBytes adds a random constant, converted to f32.
func (n *network) wideBytes(rng *rand.Rand, elementType, shape string) port {
	size := 1
	for _, d := range strings.Split(shape, ",") {
		size *= int(d[0] - '0')
	}
	for range size {
		n.bin = append(n.bin, byte(rng.UintN(256)))
	}
	return n.op(`Convert opset1 destination_type="f32"`, n.constant(elementType, shape, size))
}

// TestComputeInIntegers is TestPasses for ComputeInIntegers. Without any of the instructions, it
// does nothing.
func TestComputeInIntegers(t *testing.T) {
	for _, test := range integerTests {
		withoutInstructions(t, test.name, func(t *testing.T) {
			want := test.want
			switch {
			case !gemm.BytesPay() && !gemm.QuadsPay(), gemm.HasWords() && (strings.HasPrefix(test.name, "a vector") || strings.HasPrefix(test.name, "attention") || test.name == "a recurrent layer"):
				want = ""
			}
			rng := rand.New(rand.NewPCG(1, 1))
			n := &network{}
			test.build(n, rng)
			checkPass(t, rng, n, ComputeInIntegers, want)
		})
	}
}

// withoutInstructions runs a test with all instructions for integers that the processor has, and
// without some of them.
func withoutInstructions(t *testing.T, name string, run func(t *testing.T)) {
	t.Helper()
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AMX}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512, cpu.FMA, cpu.DotProd}}) {
		t.Run(fmt.Sprint(name, ", without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			run(t)
		})
	}
}

// layerNorm adds the layers of a normalization of the last axis. how selects one of their forms.
func layerNorm(n *network, x port, how string) port {
	const mean = `ReduceMean opset1 keep_dims="true"`
	centre := n.op(mean, x, n.ints(-1))
	d := n.op("Subtract", x, centre)
	switch how {
	case "Power":
		sum := n.op("Add", n.op(mean, n.op("Multiply", d, d), n.ints(-1)), n.scalar(1e-3))
		return n.op("Multiply", n.op("Power", sum, n.scalar(-0.5)), d)
	case "reciprocal":
		sum := n.op("Add", n.op(mean, n.op("Multiply", d, d), n.ints(-1)), n.scalar(1e-3))
		return n.op("Divide", d, n.op("Power", sum, n.scalar(-0.5)))
	case "reciprocal power":
		sum := n.op("Add", n.op(mean, n.op("Multiply", d, d), n.ints(-1)), n.scalar(1e-3))
		return n.op("Multiply", d, n.op("Power", n.op("Sqrt", sum), n.scalar(-1)))
	case "variance":
		sum := n.op("Add", n.op(mean, n.op("Multiply", d, d), n.ints(-1)), n.scalar(1e-3))
		return n.op("Multiply", d, n.op("Power", n.op("Sqrt", sum), n.scalar(-2)))
	case "square":
		square := n.op("Power", n.op(mean, n.op("Multiply", d, d), n.ints(-1)), n.scalar(2))
		return n.op("Divide", d, n.op("Add", square, n.scalar(1e-3)))
	case "SquaredDifference":
		sum := n.op("Add", n.op(mean, n.op("SquaredDifference", centre, x), n.ints(-1)), n.scalar(1e-3))
		return n.op("Divide", d, n.op("Sqrt", sum))
	case "outside":
		root := n.op("Sqrt", n.op(mean, n.op("Power", d, n.scalar(2)), n.ints(-1)))
		return n.op("Divide", d, n.op("Add", root, n.scalar(1e-3)))
	}
	sum := n.op("Add", n.op(mean, n.op("Power", d, n.scalar(2)), n.ints(-1)), n.scalar(1e-3))
	return n.op("Divide", d, n.op("Sqrt", sum))
}

// keepingMean is a mean that keeps its axes.
const keepingMean = `ReduceMean opset1 keep_dims="true"`

// rootOf adds the square root of variance and an eps of two digits.
func rootOf(n *network, variance port) port {
	return n.op("Sqrt", n.op("Add", variance, n.scalar(1.5)))
}

// deviations adds the deviation of x from its mean, and the root of its variance.
func deviations(n *network, x port, axis int64) (d, root port) {
	d = n.op("Subtract", x, n.op(keepingMean, x, n.ints(axis)))
	return d, rootOf(n, n.op(keepingMean, n.op("Multiply", d, d), n.ints(axis)))
}

// rmsNorm divides x by the root of its reduced squares. how is the way of the division; "root"
// returns the reciprocal of the root alone.
func rmsNorm(n *network, x port, how, reduction string, axes ...int64) port {
	squares := n.op("Power", x, n.scalar(2))
	if reduction == "Sum" {
		squares = n.op("Multiply", x, x)
	}
	sum := n.op("Add", n.op("Reduce"+reduction+` opset1 keep_dims="true"`, squares, n.ints(axes...)), n.scalar(1e-3))
	switch how {
	case "Power":
		return n.op("Multiply", n.op("Power", sum, n.scalar(-0.5)), x)
	case "reciprocal":
		return n.op("Multiply", x, n.op("Divide", n.scalar(1), n.op("Sqrt", sum)))
	case "root":
		return n.op("Power", sum, n.scalar(-0.5))
	}
	return n.op("Divide", x, n.op("Sqrt", sum))
}

func TestPasses(t *testing.T) {
	for _, test := range passTests {
		t.Run(test.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			n := &network{}
			test.build(n, rng)
			checkPass(t, rng, n, test.pass, test.want)
		})
	}
}

// TestRecogniseActivations_ownTypes has no SoftPlus, so that Mish is found in the layers of
// SoftPlus.
func TestRecogniseActivations_ownTypes(t *testing.T) {
	registry, err := NewRegistry(slices.DeleteFunc(builtin.Ops(), func(op ops.Op) bool { return op.Type == "SoftPlus" })...)
	require.NoError(t, err)
	n := &network{}
	x, y := n.input("2,3"), n.input("2,3")
	gate := n.op("Tanh", n.op("Log", n.op("Add", n.op("Exp", x), n.scalar(1))))
	n.result(n.op("Multiply", x, gate))
	n.result(n.op("Multiply", y, gate))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	assert.Equal(t, "Add Exp Log Mish Multiply Tanh", typesOf(compiled.program.Model))
}

// TestRecogniseNormalizations_ownTypes has neither MVN nor NormalizeL2, which the passes would
// insert.
func TestRecogniseNormalizations_ownTypes(t *testing.T) {
	registry, err := NewRegistry(slices.DeleteFunc(builtin.Ops(), func(op ops.Op) bool { return op.Type == "MVN" || op.Type == "NormalizeL2" })...)
	require.NoError(t, err)
	n := &network{}
	n.result(layerNorm(n, n.input("2,5,8"), "Sqrt"))
	n.result(rmsNorm(n, n.input("2,5,8"), "Divide", "Mean", -1))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(compiled.Close)
	assert.NotContains(t, typesOf(compiled.program.Model), "MVN")
}

// checkPass compares the outputs of a network with the pass `only`, without any pass, and with all
// passes. want is that of passTests.
func checkPass(t *testing.T, rng *rand.Rand, n *network, only Optimization, want string) {
	t.Helper()
	checkPassesOf(t, rng, n, want, only)
}

// checkPassesOf is checkPass for several optimizations.
func checkPassesOf(t *testing.T, rng *rand.Rand, n *network, want string, only ...Optimization) {
	t.Helper()
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	core, model, inputs := NewCore(registry, Options{}), n.model(t), n.randomInputs(t, rng)
	run := func(disable []Optimization) (*graph.Program, []*ir.Tensor) {
		compiled, err := core.CompileModel(background, model, CompileOptions{InferenceNumThreads: 1, Disable: disable})
		require.NoError(t, err)
		request := compiled.NewInferRequest()
		for i := range inputs {
			require.NoError(t, request.SetInput(i, inputs[i]))
		}
		require.NoError(t, request.Infer(background))
		var outputs []*ir.Tensor
		for i := range compiled.Outputs() {
			outputs = append(outputs, request.Output(i))
		}
		return compiled.program.Program, outputs
	}
	bare, expected := run(Optimizations())
	compiled, got := run(slices.DeleteFunc(Optimizations(), func(o Optimization) bool { return slices.Contains(only, o) }))
	if want == "" {
		assert.Equal(t, typesOf(bare.Model), typesOf(compiled.Model))
	} else {
		assert.Equal(t, want, typesOf(compiled.Model))
	}
	_, all := run(nil)
	for i := range expected {
		compareFloats(t, expected[i], got[i])
		compareFloats(t, expected[i], all[i])
	}
}

// randomInputs returns inputs, with 3 for each unknown length.
func (n *network) randomInputs(t *testing.T, rng *rand.Rand) []*ir.Tensor {
	t.Helper()
	inputs := make([]*ir.Tensor, len(n.shapes))
	for i, shape := range n.shapes {
		var lengths ir.Shape
		for _, d := range strings.Split(shape, ",") {
			length, err := strconv.Atoi(strings.ReplaceAll(d, "?", "3"))
			require.NoError(t, err)
			lengths = append(lengths, length)
		}
		values := make([]float32, lengths.Elements())
		for k := range values {
			values[k] = 8*rng.Float32() - 4
		}
		var err error
		inputs[i], err = ir.TensorOf(ir.F32, lengths, values)
		require.NoError(t, err)
	}
	return inputs
}

// typesOf returns the sorted types of all layers except Parameters, Constants and Results.
func typesOf(m *ir.Model) string {
	var types []string
	for _, layer := range m.Order {
		if !slices.Contains([]string{"Parameter", "Constant", "Result"}, layer.Type) {
			types = append(types, layer.Type)
		}
	}
	slices.Sort(types)
	return strings.Join(types, " ")
}

// compareFloats fails unless two f32 tensors have equal shapes and elements, up to rounding.
func compareFloats(t *testing.T, want, got *ir.Tensor) {
	t.Helper()
	require.Equal(t, want.Shape(), got.Shape())
	for i, w := range ir.Data[float32](want) {
		g := ir.Data[float32](got)[i]
		if math.Abs(float64(w-g)) > 2e-5*math.Max(1, math.Abs(float64(w))) {
			t.Fatalf("element %d of %v is %v, want %v", i, want.Shape(), g, w)
		}
	}
}
