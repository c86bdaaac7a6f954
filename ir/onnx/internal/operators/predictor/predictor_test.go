package predictor_test

import (
	"math"
	"slices"
	"testing"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/predictor"
)

// tensor returns a tensor with the given shape.
func tensor(data any, shape ...int) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

// with returns attributes with others after them, which replace those of the same name. A value of
// nil removes one.
func with(attributes []any, others ...any) []any {
	out := slices.Clone(attributes)
	for i := 0; i < len(others); i += 2 {
		for k := 0; k < len(out); k += 2 {
			if out[k] == others[i] {
				out = slices.Delete(out, k, k+2)
				break
			}
		}
		if others[i+1] != nil {
			out = append(out, others[i:i+2]...)
		}
	}
	return out
}

const domain = "ai.onnx.ml"

// check checks cases of one operator. Their expected values are those of ONNX Runtime.
func check(t *testing.T, operator string, version int, cases []onnxtest.Case) {
	s := onnxtest.NewSuite(t, predictor.Rules())
	for _, c := range cases {
		c.Domain, c.Operator, c.MaxRel = domain, operator, 1e-5
		if c.Version == 0 {
			c.Version = version
		}
		s.Check(c)
	}
}

func TestLinearClassifier(t *testing.T) {
	one := []any{"coefficients", []float64{1}, "intercepts", []float64{0}, "classlabels_ints", []int{5, 6}}
	two := []any{"coefficients", []float64{1, -1}, "intercepts", []float64{0, 0}, "classlabels_strings", []string{"a", "b"}}
	x := []any{tensor([]float32{-1, 0, 0.25, 2}, 4, 1)}
	check(t, "LinearClassifier", 1, []onnxtest.Case{
		{Attributes: one, Inputs: x, Want: []any{[]int64{5, 5, 6, 6}, tensor([]float32{2, -1, 1, 0, 0.75, 0.25, -1, 2}, 4, 2)}},
		{Attributes: with(one, "post_transform", "LOGISTIC"), Inputs: x,
			Want: []any{[]int64{5, 5, 6, 6}, tensor([]float32{0.7310586, 0.2689414, 0.5, 0.5, 0.4378235, 0.5621765, 0.1192029, 0.8807971}, 4, 2)}},
		{Attributes: two, Inputs: x, Want: []any{[]string{"b", "a", "a", "a"}, tensor([]float32{-1, 1, 0, 0, 0.25, -0.25, 2, -2}, 4, 2)}},
		{Attributes: with(two, "post_transform", "SOFTMAX"), Inputs: x,
			Want: []any{nil, tensor([]float32{0.1192029, 0.8807971, 0.5, 0.5, 0.6224593, 0.3775407, 0.9820138, 0.0179862}, 4, 2)}},
		{Attributes: with(two, "coefficients", []float64{1, 0}, "post_transform", "SOFTMAX_ZERO"), Inputs: []any{tensor([]float32{3, 5}, 2, 1)},
			Want: []any{nil, tensor([]float32{1, 0, 1, 0}, 2, 2)}},
		{Attributes: with(one, "post_transform", "PROBIT"), Inputs: []any{tensor([]float32{0.5}, 1, 1)}, Want: []any{nil, tensor([]float32{0, 0}, 1, 2)}},
		{Attributes: two, Inputs: []any{[]int64{3}}, Static: true, Want: []any{[]string{"a"}, tensor([]float32{3, -3}, 1, 2)}},
		{Attributes: with(two, "coefficients", []float64{1, -1, 7, 8}), Static: true, Inputs: x,
			Want: []any{[]string{"b", "a", "a", "a"}, tensor([]float32{-1, 1, 0, 0, 0.25, -0.25, 2, -2}, 4, 2)}},
		{Attributes: with(one, "classlabels_ints", nil), Inputs: x, Error: "attributes classlabels_strings and classlabels_ints have no labels"},
		{Attributes: with(one, "classlabels_strings", []string{"a"}), Inputs: x, Error: "have both labels"},
		{Attributes: with(two, "coefficients", []float64{1, 2, 3}), Inputs: x, Error: "coefficients has 3 elements, which are not 2 rows"},
		{Attributes: with(two, "intercepts", []float64{1, 2, 3}), Inputs: x, Error: "intercepts has 3 elements for 2 columns"},
		{Attributes: with(two, "post_transform", "x"), Inputs: x, Error: "attribute post_transform is"},
	})
}

func TestLinearRegressor(t *testing.T) {
	x := []any{tensor([]float32{1, 2, 3, 4}, 2, 2)}
	two := []any{"coefficients", []float64{1, 2, 3, 4}, "intercepts", []float64{0.5, -0.5}, "targets", 2}
	check(t, "LinearRegressor", 1, []onnxtest.Case{
		{Attributes: two, Inputs: x, Want: []any{tensor([]float32{5.5, 10.5, 11.5, 24.5}, 2, 2)}},
		{Attributes: []any{"coefficients", []float64{1, 2}, "post_transform", "LOGISTIC"}, Inputs: x, Want: []any{tensor([]float32{5, 11}, 2, 1)}},
		{Attributes: []any{"coefficients", []float64{1, 2}}, Inputs: []any{tensor([]float64{1, 2}, 1, 2)}, Want: []any{tensor([]float32{5}, 1, 1)}},
		{Attributes: with(two, "targets", 0), Inputs: x, Error: "coefficients has 4 elements, which are not 0 rows"},
		{Inputs: x, Error: "attribute coefficients is missing"},
	})
}

// stump is a tree that compares feature 0 with 0, and has one weight in each leaf, for class 0.
var stump = []any{
	"nodes_treeids", []int{0, 0, 0}, "nodes_nodeids", []int{0, 1, 2}, "nodes_featureids", []int{0, 0, 0}, "nodes_values", []float64{0, 0, 0},
	"nodes_modes", []string{"BRANCH_LEQ", "LEAF", "LEAF"}, "nodes_truenodeids", []int{1, 0, 0}, "nodes_falsenodeids", []int{2, 0, 0},
	"class_treeids", []int{0, 0}, "class_nodeids", []int{1, 2}, "class_ids", []int{0, 0}, "class_weights", []float64{0.25, 0.75}, "classlabels_int64s", []int{5, 6},
}

// sides are two rows, one for each leaf of stump.
var sides = []any{tensor([]float32{-1, 1}, 2, 1)}

func TestTreeEnsembleClassifier(t *testing.T) {
	signed := with(stump, "class_weights", []float64{-0.25, 0.5})
	three := with(stump, "classlabels_int64s", []int{5, 6, 7}, "class_ids", []int{0, 2}, "class_weights", []float64{-0.25, -0.75})
	both := with(stump, "class_treeids", []int{0, 0, 0, 0}, "class_nodeids", []int{1, 1, 2, 2}, "class_ids", []int{0, 1, 0, 1}, "class_weights", []float64{-0.25, 0.5, 0.5, -0.25})
	check(t, "TreeEnsembleClassifier", 1, []onnxtest.Case{
		{Attributes: stump, Inputs: sides, Want: []any{[]int64{5, 6}, tensor([]float32{0.75, 0.25, 0.25, 0.75}, 2, 2)}},
		{Attributes: with(stump, "nodes_modes", []string{"BRANCH_LT", "LEAF", "LEAF"}), Inputs: []any{tensor([]float32{-1, 0, 1}, 3, 1)},
			Want: []any{[]int64{5, 6, 6}, tensor([]float32{0.75, 0.25, 0.25, 0.75, 0.25, 0.75}, 3, 2)}},
		{Version: 3, Attributes: stump, Inputs: sides, Want: []any{[]int64{5, 6}, nil}},
		{Attributes: with(stump, "base_values", []float64{0.5}), Inputs: sides, Want: []any{[]int64{6, 6}, tensor([]float32{0.25, 0.75, -0.25, 1.25}, 2, 2)}},
		{Attributes: with(stump, "post_transform", "LOGISTIC"), Inputs: sides,
			Want: []any{nil, tensor([]float32{0.4378235, 0.5621765, 0.3208213, 0.6791787}, 2, 2)}},
		{Attributes: signed, Inputs: sides, Want: []any{[]int64{5, 6}, tensor([]float32{0.25, -0.25, -0.5, 0.5}, 2, 2)}},
		{Attributes: with(stump, "class_ids", []int{1, 1}), Inputs: sides, Want: []any{[]int64{5, 6}, tensor([]float32{0, 0.25, 0, 0.75}, 2, 2)}},
		{Attributes: both, Inputs: sides, Want: []any{[]int64{6, 5}, tensor([]float32{-0.25, 0.5, 0.5, -0.25}, 2, 2)}},
		{Attributes: three, Inputs: sides, Want: []any{[]int64{5, 7}, tensor([]float32{-0.25, 0, 0, 0, 0, -0.75}, 2, 3)}},
		{Attributes: with(three, "base_values", []float64{0.125, 0.25, 0.5}), Inputs: sides,
			Want: []any{[]int64{7, 6}, tensor([]float32{-0.125, 0.25, 0.5, 0.125, 0.25, -0.25}, 2, 3)}},
		{Attributes: with(stump, "classlabels_int64s", nil, "classlabels_strings", []string{"n", "p"}), Inputs: sides, Want: []any{[]string{"n", "p"}, nil}},
		{Attributes: with(stump, "nodes_missing_value_tracks_true", []int{1, 0, 0}), Inputs: []any{tensor([]float32{float32(math.NaN())}, 1, 1)}, Want: []any{[]int64{5}, nil}},
		{Attributes: with(stump, "class_ids", []int{0, 2}), Inputs: sides, Error: "a weight is for target 2 of 2"},
		{Attributes: with(stump, "nodes_modes", []string{"LEAF"}), Inputs: sides, Error: "attribute nodes_modes has 1 elements, expected 3"},
		{Attributes: with(stump, "nodes_modes", []string{"BRANCH", "LEAF", "LEAF"}), Inputs: sides, Error: `nodes_modes[0] is "BRANCH", expected LEAF or one of`},
		{Attributes: with(stump, "nodes_nodeids", []int{0, 1, 1}), Inputs: sides, Error: "tree 0 has two nodes 1"},
		{Attributes: with(stump, "nodes_truenodeids", []int{7, 0, 0}), Inputs: sides, Error: "tree 0 has no node 7, a child of node 0"},
		{Attributes: with(stump, "nodes_truenodeids", []int{0, 0, 0}), Inputs: sides, Error: "no root leads to node 0"},
		{Attributes: with(stump, "nodes_treeids", []int{0, 0, 1}), Inputs: sides, Error: "tree 0 has no node 2, a child of node 0"},
		{Attributes: with(stump, "nodes_featureids", []int{-1, 0, 0}), Inputs: sides, Error: "node 0 compares feature -1"},
		{Attributes: with(stump, "class_nodeids", []int{1, 9}), Inputs: sides, Error: "class_nodeids[1] is node 9 of tree 0, which is not there"},
		{Attributes: with(stump, "base_values", []float64{1, 2, 3}), Inputs: sides, Error: "base_values has 3 elements for 2 columns"},
	})
}

// regressor is stump as a regressor of one target, and a second tree of one leaf.
var regressor = []any{
	"nodes_treeids", []int{0, 0, 0, 7}, "nodes_nodeids", []int{2, 1, 0, 0}, "nodes_featureids", []int{0, 0, 0, 0}, "nodes_values", []float64{0, 0, 0, 0},
	"nodes_modes", []string{"LEAF", "LEAF", "BRANCH_LT", "LEAF"}, "nodes_truenodeids", []int{0, 0, 1, 0}, "nodes_falsenodeids", []int{0, 0, 2, 0},
	"target_treeids", []int{0, 0, 7}, "target_nodeids", []int{1, 2, 0}, "target_ids", []int{0, 0, 0}, "target_weights", []float64{1, 2, 4}, "n_targets", 1,
}

func TestTreeEnsembleRegressor(t *testing.T) {
	f64 := with(regressor, "nodes_values", nil, "nodes_values_as_tensor", tensor([]float64{0, 0, 0.1, 0}), "target_weights", nil, "target_weights_as_tensor", tensor([]float64{1, 2, 4}))
	check(t, "TreeEnsembleRegressor", 1, []onnxtest.Case{
		{Attributes: regressor, Inputs: sides, Want: []any{tensor([]float32{5, 6}, 2, 1)}},
		{Attributes: with(regressor, "aggregate_function", "AVERAGE", "base_values", []float64{1}), Inputs: sides, Want: []any{tensor([]float32{3.5, 4}, 2, 1)}},
		{Attributes: with(regressor, "aggregate_function", "MIN"), Inputs: sides, Want: []any{tensor([]float32{1, 2}, 2, 1)}},
		{Attributes: with(regressor, "aggregate_function", "MAX"), Inputs: sides, Want: []any{tensor([]float32{4, 4}, 2, 1)}},
		{Attributes: with(regressor, "n_targets", 2, "target_ids", []int{0, 1, 0}, "base_values", []float64{10, 20}), Inputs: sides, Want: []any{tensor([]float32{15, 0, 14, 22}, 2, 2)}},
		{Version: 3, Attributes: f64, Inputs: []any{tensor([]float64{0.1, 0.0999999999}, 2, 1)}, Want: []any{tensor([]float32{6, 5}, 2, 1)}},
		{Attributes: regressor, Inputs: []any{tensor([]int64{-1, 1}, 2, 1)}, Want: []any{tensor([]float32{5, 6}, 2, 1)}},
		{Attributes: with(regressor, "nodes_truenodeids", []int{0, 0, 0, 0}), Inputs: sides, Error: "no root leads to node 0"},
		{Attributes: with(regressor, "nodes_falsenodeids", []int{0, 0, 1, 0}), Inputs: sides, Error: "tree 0 has two nodes without a parent"},
		{Attributes: with(regressor, "n_targets", 0), Inputs: sides, Error: "attribute n_targets is 0"},
		{Attributes: with(regressor, "nodes_modes", []string{"LEAF", "LEAF", "BRANCH_LT", "BRANCH_LT"}), Inputs: sides, Error: "1 trees have no root: each of their nodes is a child"},
		{Attributes: with(regressor, "nodes_values_as_tensor", tensor([]string{"a"})), Inputs: sides, Error: "an attribute with numbers is a tensor of strings"},
	})
}

// ensemble has one node that asks for a member of a set, one that compares, and three leaves.
var ensemble = []any{
	"tree_roots", []int{1}, "nodes_modes", tensor([]uint8{0, 6}), "nodes_featureids", []int{0, 0}, "nodes_splits", tensor([]float32{5, 0}),
	"nodes_truenodeids", []int{0, 1}, "nodes_trueleafs", []int{1, 1}, "nodes_falsenodeids", []int{2, 0}, "nodes_falseleafs", []int{1, 0},
	"membership_values", tensor([]float32{1, 7, float32(math.NaN())}), "leaf_targetids", []int{0, 1, 0}, "leaf_weights", tensor([]float32{10, 20, 30}), "n_targets", 2,
}

func TestTreeEnsemble(t *testing.T) {
	x := []any{tensor([]float32{1, 7, 3, 9}, 4, 1)}
	check(t, "TreeEnsemble", 5, []onnxtest.Case{
		{Attributes: ensemble, Inputs: x, Want: []any{tensor([]float32{0, 20, 0, 20, 10, 0, 30, 0}, 4, 2)}},
		{Attributes: with(ensemble, "nodes_missing_value_tracks_true", []int{0, 1}), Inputs: []any{tensor([]float32{float32(math.NaN())}, 1, 1)}, Want: []any{tensor([]float32{0, 20}, 1, 2)}},
		{Attributes: with(ensemble, "membership_values", nil), Inputs: x, Error: "membership_values has no set for node 1"},
		{Attributes: with(ensemble, "membership_values", tensor([]float32{float32(math.NaN())})), Inputs: x, Want: []any{tensor([]float32{10, 0, 30, 0, 10, 0, 30, 0}, 4, 2)}},
		{Attributes: with(ensemble, "nodes_modes", tensor([]uint8{0, 7})), Inputs: x, Error: "nodes_modes[1] is 7, expected 0 to 6"},
		{Attributes: with(ensemble, "nodes_falsenodeids", []int{3, 0}), Inputs: x, Error: "a child is node or leaf 3"},
		{Attributes: with(ensemble, "nodes_falsenodeids", []int{2, 1}), Inputs: x, Error: "node 1 has two parents"},
		{Attributes: with(ensemble, "nodes_falsenodeids", []int{2, 2}), Inputs: x, Error: "a child is node 2 of 2"},
		{Attributes: with(ensemble, "tree_roots", []int{-1}), Inputs: x, Error: "tree_roots[0] is -1"},
		{Attributes: with(ensemble, "aggregate_function", 4), Inputs: x, Error: "attribute aggregate_function is 4, expected 0 to 3"},
		{Attributes: with(ensemble, "post_transform", 5), Inputs: x, Error: "attribute post_transform is 5, expected 0 to 4"},
	})
}

// machine has the support vectors of TestSVMClassifier and TestSVMRegressor.
var machine = []any{
	"kernel_params", []float64{0.5, 0.1, 2}, "kernel_type", "LINEAR",
	"support_vectors", []float64{1.3, 0.95, -0.7, -1.27, -0.62, 0.04, -2.33, -0.22, -1.25, -0.73},
}

// points are the rows of both.
var points = []any{tensor([]float32{0.1257302165031433, -0.13210485875606537, 0.6404226422309875, 0.10490011423826218, -0.5356693863868713, 0.3615950644016266}, 3, 2)}

func TestSVMClassifier(t *testing.T) {
	two := with(machine, "vectors_per_class", []int{2, 3}, "coefficients", []float64{0.1, 0.2, -0.3, -0.4, 0.5}, "rho", []float64{0.1}, "classlabels_ints", []int{5, 6})
	three := with(machine, "vectors_per_class", []int{2, 2, 1}, "rho", []float64{0.1, 0.2, 0.3}, "classlabels_ints", []int{5, 6, 7},
		"coefficients", []float64{-0.54, -0.32, 0.41, 1.04, -0.13, 1.37, -0.67, 0.35, 0.9, 0.09})
	linear := []any{"kernel_type", "LINEAR", "coefficients", []float64{0.1, 0.2, -0.3, 0.4, 0.5, 0.6}, "rho", []float64{0.1}, "classlabels_ints", []int{5, 6, 7}}
	check(t, "SVMClassifier", 1, []onnxtest.Case{
		{Attributes: two, Inputs: points, Want: []any{[]int64{5, 5, 6}, tensor([]float32{-0.2199107, 0.2199107, -0.3623289, 0.3623289, 0.3207229, -0.3207229}, 3, 2)}},
		{Attributes: with(two, "post_transform", "LOGISTIC"), Inputs: points,
			Want: []any{nil, tensor([]float32{0.4452428, 0.5547572, 0.4103959, 0.5896041, 0.5795004, 0.4204996}, 3, 2)}},
		{Attributes: with(two, "post_transform", "SOFTMAX"), Inputs: points,
			Want: []any{nil, tensor([]float32{0.7800893, 0.2199107, 0.6376711, 0.3623289, 1.3207229, -0.3207229}, 3, 2)}},
		{Attributes: with(two, "prob_a", []float64{-1}, "prob_b", []float64{0.2}), Inputs: points,
			Want: []any{[]int64{5, 5, 6}, tensor([]float32{0.5, 0.5, 0.5404740, 0.4595262, 0.3703430, 0.6296569}, 3, 2)}},
		{Attributes: three, Inputs: points, Want: []any{[]int64{6, 5, 5},
			tensor([]float32{-0.25458765, 0.2064449, 0.02790223, -1.9542527, 1.9807615, -1.280179, 1.6749023, -0.27968979, 1.5095115}, 3, 3)}},
		{Attributes: with(three, "prob_a", []float64{-1, -0.5, -0.7}, "prob_b", []float64{0.2, 0.1, 0.3}), Inputs: points, Want: []any{[]int64{6, 5, 5},
			tensor([]float32{0.28638357, 0.3445093, 0.3691072, 0.25497505, 0.34223706, 0.40278795, 0.45042902, 0.23593262, 0.31363827}, 3, 3)}},
		{Attributes: linear, Inputs: points, Want: []any{[]int64{5, 7, 6},
			tensor([]float32{0.08615205, 0.00943899, 0.08360219, 0.18502229, -0.05016675, 0.48315138, 0.11875208, 0.40533885, 0.04912236}, 3, 3)}},
		{Attributes: with(two, "vectors_per_class", []int{5}), Inputs: points, Error: "vectors_per_class has 1 classes, expected 2 to 4096"},
		{Attributes: with(two, "vectors_per_class", []int{2, 9}), Inputs: points, Error: "vectors_per_class[1] is 9, of 5 coefficients"},
		{Attributes: with(two, "vectors_per_class", []int{2, 2}), Inputs: points, Error: "attribute coefficients has 5 elements, expected 4"},
		{Attributes: with(two, "rho", []float64{1, 2}), Inputs: points, Error: "attribute rho has 2 elements, expected 1"},
		{Attributes: with(two, "classlabels_ints", []int{1, 2, 3}), Inputs: points, Error: "vectors_per_class has 2 classes, and there are 3 labels"},
		{Attributes: with(two, "prob_a", []float64{-1}), Inputs: points, Error: "attribute prob_b has 0 elements, expected 1"},
	})
}

func TestSVMRegressor(t *testing.T) {
	base := with(machine, "kernel_params", []float64{0.5, 0.1, 3}, "n_supports", 5, "coefficients", []float64{0.1, 0.2, -0.3, -0.4, 0.5}, "rho", []float64{0.1})
	check(t, "SVMRegressor", 1, []onnxtest.Case{
		{Attributes: base, Inputs: points, Want: []any{tensor([]float32{0.21991068, 0.36232892, -0.32072294}, 3, 1)}},
		{Attributes: with(base, "kernel_type", "POLY"), Inputs: points, Want: []any{tensor([]float32{0.100838, 0.2113853, -0.02040847}, 3, 1)}},
		{Attributes: with(base, "kernel_type", "RBF"), Inputs: points, Want: []any{tensor([]float32{0.12132942, 0.10715927, 0.02984395}, 3, 1)}},
		{Attributes: with(base, "kernel_type", "SIGMOID"), Inputs: points, Want: []any{tensor([]float32{0.16967782, 0.21001557, -0.06684766}, 3, 1)}},
		{Attributes: with(base, "one_class", 1), Inputs: points, Want: []any{tensor([]float32{1, 1, -1}, 3, 1)}},
		{Attributes: []any{"coefficients", []float64{0.1, 0.2}, "rho", []float64{0.1}}, Inputs: points, Want: []any{tensor([]float32{0.08615205, 0.18502229, 0.11875208}, 3, 1)}},
		{Attributes: with(base, "kernel_params", []float64{1}), Inputs: points, Error: "attribute kernel_params has 1 elements, expected 3"},
		{Attributes: with(base, "n_supports", 4), Inputs: points, Error: "attribute coefficients has 5 elements, expected 4"},
		{Attributes: with(base, "support_vectors", []float64{1, 2, 3}), Inputs: points, Error: "support_vectors has 3 elements, which are not 5 rows"},
	})
}
