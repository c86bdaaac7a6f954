package feature_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/feature"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// tensor returns a tensor with the given shape.
func tensor(data any, shape ...int) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}

const domain = "ai.onnx.ml"

// TestRules has results of ONNX Runtime.
func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, feature.Rules())
	nan := float32(math.NaN())
	rows := tensor([]float32{-1, -2, 0, 0, 3, -4}, 3, 2)
	names := []any{"cats_strings", []string{"a", "b"}, "cats_int64s", []int{7, 9}}
	for _, c := range []onnxtest.Case{
		{Operator: "Scaler", Attributes: []any{"offset", []float64{1, 2}, "scale", []float64{2, 0.5}}, Inputs: []any{rows}, Want: []any{tensor([]float32{-4, -2, -2, -1, 4, -3}, 3, 2)}},
		{Operator: "Scaler", Attributes: []any{"scale", []float64{0.5}}, Inputs: []any{tensor([]int64{1, 2}, 1, 2)}, Want: []any{tensor([]float32{0.5, 1}, 1, 2)}},
		{Operator: "Scaler", Attributes: []any{"offset", []float64{1, 2, 3}}, Inputs: []any{rows}, Error: "offset has 3 elements for rows of 2 features"},

		{Operator: "Normalizer", Inputs: []any{rows}, Want: []any{tensor([]float32{1, 2, 0, 0, 1, -1.3333334}, 3, 2)}},
		{Operator: "Normalizer", Attributes: []any{"norm", "L1"}, Inputs: []any{rows}, Want: []any{tensor([]float32{-0.33333334, -0.6666667, 0, 0, 0.42857143, -0.5714286}, 3, 2)}},
		{Operator: "Normalizer", Attributes: []any{"norm", "L2"}, Inputs: []any{rows}, Want: []any{tensor([]float32{-0.4472136, -0.8944272, 0, 0, 0.6, -0.8}, 3, 2)}},
		{Operator: "Normalizer", Attributes: []any{"norm", "L2"}, Inputs: []any{[]float32{3, 4}}, Want: []any{[]float32{0.6, 0.8}}},

		{Operator: "Imputer", Attributes: []any{"imputed_value_floats", []float64{5, 6}, "replaced_value_float", math.NaN()},
			Inputs: []any{tensor([]float32{1, nan, nan, 2}, 2, 2)}, Want: []any{tensor([]float32{1, 6, 5, 2}, 2, 2)}},
		{Operator: "Imputer", Attributes: []any{"imputed_value_floats", []float64{5}, "replaced_value_float", 2.0}, Inputs: []any{tensor([]float64{1, 2}, 1, 2)}, Want: []any{tensor([]float64{1, 5}, 1, 2)}},
		{Operator: "Imputer", Attributes: []any{"imputed_value_int64s", []int{5}, "replaced_value_int64", 2}, Inputs: []any{tensor([]int64{1, 2}, 1, 2)}, Want: []any{tensor([]int64{1, 5}, 1, 2)}},

		{Operator: "Binarizer", Attributes: []any{"threshold", 1.0}, Inputs: []any{[]float32{0, 1, 1.5, nan}}, Want: []any{[]float32{0, 0, 1, 0}}},
		{Operator: "Binarizer", Inputs: []any{[]int64{-1, 0, 1 << 60}}, Want: []any{[]int64{0, 0, 1}}},

		{Operator: "FeatureVectorizer", Static: true, Attributes: []any{"inputdimensions", []int{2, 1}}, Inputs: []any{rows, tensor([]int64{7, 8, 9}, 3, 1)},
			Want: []any{tensor([]float32{-1, -2, 7, 0, 0, 8, 3, -4, 9}, 3, 3)}},
		{Operator: "FeatureVectorizer", Static: true, Inputs: []any{[]float32{1, 2}, []float32{3}}, Want: []any{tensor([]float32{1, 2, 3}, 1, 3)}},
		{Operator: "FeatureVectorizer", Static: true, Inputs: []any{tensor([]float32{1, 2, 3, 4}, 1, 2, 2)}, Want: []any{tensor([]float32{1, 2, 3, 4}, 1, 4)}},
		{Operator: "FeatureVectorizer", Attributes: []any{"inputdimensions", []int{5}}, Inputs: []any{rows}, Error: "input 0 has 2 features, inputdimensions says 5"},

		{Operator: "ArrayFeatureExtractor", Inputs: []any{rows, tensor([]int64{1, 0, 1}, 1, 3)}, Want: []any{tensor([]float32{-2, -1, -2, 0, 0, 0, -4, 3, -4}, 3, 3)}},
		{Operator: "ArrayFeatureExtractor", Static: true, Inputs: []any{[]string{"a", "b"}, []int64{1}}, Want: []any{tensor([]string{"b"}, 1, 1)}},

		{Operator: "OneHotEncoder", Attributes: []any{"cats_int64s", []int{1, 2}}, Inputs: []any{[]float32{1.5, 2, 3}}, Want: []any{tensor([]float32{1, 0, 0, 1, 0, 0}, 3, 2)}},
		{Operator: "OneHotEncoder", Attributes: []any{"cats_int64s", []int{1, 2, 1}}, Inputs: []any{[]int64{1, 2}}, Want: []any{tensor([]float32{0, 0, 1, 0, 1, 0}, 2, 3)}},
		{Operator: "OneHotEncoder", Attributes: []any{"cats_strings", []string{"x", "y"}}, Inputs: []any{tensor([]string{"y", "?"}, 2, 1)}, Want: []any{tensor([]float32{0, 1, 0, 0}, 2, 1, 2)}},
		{Operator: "OneHotEncoder", Attributes: []any{"cats_int64s", []int{1, 2}, "zeros", 0}, Inputs: []any{[]int64{3}}, Error: "element 0 of data is 3, which is none of the 2 keys"},

		{Operator: "CategoryMapper", Attributes: names, Inputs: []any{[]string{"b", "c"}}, Want: []any{[]int64{9, -1}}},
		{Operator: "CategoryMapper", Attributes: names, Inputs: []any{[]int64{7, 8}}, Want: []any{[]string{"a", "_Unused"}}},
		{Operator: "CategoryMapper", Attributes: []any{"cats_strings", []string{"a"}}, Inputs: []any{[]int64{7}}, Error: "there are 0 keys, 1 values and 1 defaults"},

		{Operator: "LabelEncoder", Attributes: []any{"classes_strings", []string{"a", "b"}}, Inputs: []any{[]string{"b", "c"}}, Want: []any{[]int64{1, -1}}},
		{Operator: "LabelEncoder", Attributes: []any{"classes_strings", []string{"a", "b"}, "default_string", "?"}, Inputs: []any{[]int64{1, 2}}, Want: []any{[]string{"b", "?"}}},
		{Operator: "LabelEncoder", Inputs: []any{[]string{"b", "c"}}, Error: "attribute classes_strings is missing"},
		{Operator: "LabelEncoder", Version: 2, Attributes: []any{"keys_int64s", []int{1, 1, 2}, "values_int64s", []int{10, 20, 30}}, Inputs: []any{[]int64{1, 2, 1, 5}}, Want: []any{[]int64{10, 30, 10, -1}}},
		{Operator: "LabelEncoder", Version: 2, Attributes: []any{"keys_strings", []string{"a", ""}, "values_floats", []float64{1, 2}, "default_float", 3.0}, Inputs: []any{[]string{"", "a", "x"}}, Want: []any{[]float32{2, 1, 3}}},
		{Operator: "LabelEncoder", Version: 2, Attributes: []any{"keys_floats", []float64{0.1, math.NaN()}, "values_strings", []string{"a", "nan"}}, Inputs: []any{[]float32{0.1, nan, 7}}, Want: []any{[]string{"a", "nan", "_Unused"}}},
		{Operator: "LabelEncoder", Version: 4, Attributes: []any{"keys_tensor", tensor([]int32{4, 5}), "values_tensor", tensor([]float64{1, 2}), "default_tensor", tensor([]float64{3})},
			Inputs: []any{[]int32{5, 6}}, Want: []any{[]float64{2, 3}}},
		{Operator: "LabelEncoder", Version: 4, Attributes: []any{"keys_tensor", tensor([]int32{4}), "values_tensor", tensor([]float64{1})}, Inputs: []any{[]int32{5}}, Error: "attribute default_tensor is missing, for values of type f64"},
		{Operator: "LabelEncoder", Version: 4, Attributes: []any{"keys_tensor", tensor([]int32{4}), "values_tensor", tensor([]float64{1}), "default_tensor", tensor([]float32{1})}, Inputs: []any{[]int32{5}}, Error: "the values are f64, and the default is f32"},
		{Operator: "LabelEncoder", Version: 2, Attributes: []any{"keys_strings", []string{"a"}, "values_int64s", []int{1}}, Inputs: []any{[]int64{5}}, Error: "the input is i64, and the keys are string"},
		{Operator: "LabelEncoder", Version: 2, Inputs: []any{[]int64{5}}, Error: "the node has no attributes with keys and values"},
	} {
		c.Domain, c.MaxRel, c.Version = domain, 1e-6, max(c.Version, 1)
		s.Check(c)
	}
}

func TestZipMap(t *testing.T) {
	s := onnxtest.NewSuite(t, feature.Rules())
	for _, c := range []struct {
		attribute *proto.Attribute
		want      string
	}{
		{onnxtest.Attribute("classlabels_strings", []string{"low", "high"}), `the node of "y": the columns of the output are the classes ["low" "high"]`},
		{onnxtest.Attribute("classlabels_int64s", []int{3, 5}), `the node of "y": the columns of the output are the classes [3 5]`},
	} {
		node := onnxtest.Node("ZipMap", "x", "y", c.attribute)
		node.Domain = domain
		m := onnxtest.Model(13, &proto.Graph{
			Name: "g", Nodes: []*proto.Node{node},
			Inputs: []*proto.ValueInfo{onnxtest.Value("x", ir.F32, 2, 2)}, Outputs: []*proto.ValueInfo{{Name: "y"}},
		})
		converted, err := s.Convert(t, m)
		require.NoError(t, err)
		require.Len(t, converted.Notes, 1)
		assert.Equal(t, c.want, converted.Notes[0].Text)
		assert.Equal(t, []string{"x", "y"}, converted.Parameters[0].Outputs[0].Names)
	}
}
