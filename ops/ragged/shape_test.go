package ragged

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

// TestShapes has the type, the inputs, and the outputs or the error.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		layerType string
		inputs    []string
		want      []string
		err       string
	}{
		{"RaggedToDense", []string{"i32[3]", "i32[?]", "i64[9]", "i32[]", "i64[]"}, []string{"i64[3,?]", "boolean[3,?]"}, ""},
		{"RaggedToDense", []string{"i32[3,2]", "i32[?,?]", "f32[9,4,?]", "i32[1]=5", "f32[]", "boolean[]"}, []string{"f32[3,2,5,4,?]", "boolean[3,2,5,4,?]"}, ""},
		{"RaggedToDense", []string{"i32[...]", "i32[...]", "f32[9]", "i32[1]", "f32[]"}, []string{"f32[...]", "boolean[...]"}, ""},
		{"RaggedToDense", []string{"i64[3]", "i32[3]", "i64[9]", "i32[]", "i64[]"}, nil, "input 0, begins, is i64, expected i32"},
		{"RaggedToDense", []string{"i32[3]", "i32[3]", "i64[9]", "f32[]", "i64[]"}, nil, "target is f32, expected i32 or i64"},
		{"RaggedToDense", []string{"i32[3]", "i32[3]", "i64[9]", "i32[2]", "i64[]"}, nil, "target has shape [2], not that of a scalar or of one element"},
		{"RaggedToDense", []string{"i32[3]", "i32[3]", "i64[9]", "i32[]=-1", "i64[]"}, nil, "target is negative: -1"},
		{"RaggedToDense", []string{"i32[3]", "i32[3]", "i64[9]", "i32[]", "i32[]"}, nil, "data is i64, the default value is i32"},
		{"RaggedToDense", []string{"i32[3]", "i32[3]", "i64[9]", "i32[]", "i64[3]"}, nil, "the default value has shape [3], not that of a scalar or of one element"},
		{"RaggedToDense", []string{"i32[3]", "i32[3]", "i64[]", "i32[]", "i64[]"}, nil, "data has shape [], expected one axis or more"},
		{"RaggedToDense", []string{"i32[3]", "i32[3]", "i64[9]", "i32[]", "i64[]", "i32[]"}, nil, "pad_right is i32, expected boolean"},
		{"RaggedToDense", []string{"i32[3]", "i32[3]", "i64[9]", "i32[]", "i64[]", "boolean[2]"}, nil, "pad_right has shape [2], not that of a scalar or of one element"},

		{"RaggedToSparse", []string{"i32[3]", "i32[3]"}, []string{"i32[?,2]"}, ""},
		{"RaggedToSparse", []string{"i32[3]", "i32[4]"}, nil, "input 0, begins, has shape [3], input 1, ends, has shape [4]"},

		{"RaggedToRagged", []string{"i32[9]", "i32[1]"}, []string{"i32[?]", "i32[?]"}, ""},
		{"RaggedToRagged", []string{"i32[9]", "i32[1]=4"}, []string{"i32[4]", "i32[4]"}, ""},
		{"RaggedToRagged", []string{"i32[9]", "i32[1]=-4"}, nil, "the number of rows is negative: -4"},
		{"RaggedToRagged", []string{"i64[9]", "i32[1]"}, nil, "input 0, row ids, is i64, expected i32"},
		{"RaggedToRagged", []string{"i32[9,1]", "i32[1]"}, nil, "row ids has shape [9,1], expected rank 1"},
		{"RaggedToRagged", []string{"i32[9]", "i32[2]"}, nil, "the number of rows has shape [2], not that of a scalar or of one element"},

		{"RaggedTensorPack", []string{"i32[3]", "i32[3]", "string[4,?]"}, []string{"string[4,?]"}, ""},
		{"RaggedTensorPack", []string{"u8[3]", "i32[3]", "string[4,?]"}, nil, "input 0, begins, is u8, expected i32"},

		{"FuzeRagged", []string{"i32[3]", "i32[3]", "i32[?]", "i32[9]"}, []string{"i32[3]", "i32[3]"}, ""},
		{"FuzeRagged", []string{"i32[3]", "i32[4]", "i32[?]", "i32[9]"}, nil, "input 0, begins, has shape [3], input 1, ends, has shape [4]"},
		{"FuzeRagged", []string{"i32[3]", "i32[3]", "i32[?]", "u8[9]"}, nil, "input 3, ends, is u8, expected i32"},

		{"CombineSegments", []string{"i32[]", "i32[]", "i32[2]", "i32[?]", "i32[3]", "i32[?]", "i32[2]"},
			[]string{"i32[3]", "i32[3]", "i32[?]", "i32[3]", "i32[3]", "i32[?]"}, ""},
		{"CombineSegments", []string{"i32[]", "i32[]", "i64[2]", "u8[1]"}, []string{"i32[]", "i32[]", "i64[?]", "i32[]", "i32[]", "u8[?]"}, ""},
		{"CombineSegments", []string{"i32[]", "i32[1]", "i32[2]", "i32[3]", "i32[3]", "i32[?]", "i32[2]"}, []string{"i32[3]", "i32[3]", "i32[?]", "i32[3]", "i32[3]", "i32[?]"}, ""},
		{"CombineSegments", []string{"i32[1]", "i32[]", "i64[2]", "u8[1]"}, []string{"i32[]", "i32[]", "i64[?]", "i32[]", "i32[]", "u8[?]"}, ""},
		{"CombineSegments", []string{"i32[]", "i32[2]", "i64[2]", "u8[1]"}, nil, "input 0, begins, has shape [], input 1, ends, has shape [2]"},
		{"CombineSegments", []string{"i32[]", "i64[1]", "i64[2]", "u8[1]"}, nil, "input 1, ends, is i64, expected i32"},
		{"CombineSegments", []string{"i32[...]", "i32[...]", "i64[2]", "u8[1]"}, []string{"i32[...]", "i32[...]", "i64[?]", "i32[...]", "i32[...]", "u8[?]"}, ""},
		{"CombineSegments", []string{"i32[2]", "i32[2]", "i32[2]", "i32[3]", "i32[3]", "i32[?]", "i32[2]"}, nil, "segment 1 has rows of shape [3], those before it have others"},
		{"CombineSegments", []string{"i32[2]", "i32[2]", "i32[2]", "i32[2]", "i32[2]", "i64[?]", "i32[2]"}, nil, "data of segment 1 is i64, that of segment 0 is i32"},
		{"CombineSegments", []string{"i32[2]", "i32[2]", "i32[2,1]", "i32[1]"}, nil, "data has shape [2,1], expected rank 1"},
		{"CombineSegments", []string{"i32[2]", "i32[2]", "i32[2]", "i32[2]"}, nil, "segment ids have shape [2], for 1 segments"},
		{"CombineSegments", []string{"i32[2]", "u8[2]", "i32[2]", "i32[1]"}, nil, "input 1, ends, is u8, expected i32"},
		{"CombineSegments", []string{"i32[2]", "i32[2]", "i32[2]", "i32[2]", "i32[2]"}, nil, "the layer has 5 inputs, expected three for each segment and one"},

		{"Truncate", []string{"i32[3]", "i32[3]", "i64[9]", "i32[]", "u8[5]", "u8[?]"}, []string{"i32[3]", "i32[3]", "i64[9]"}, ""},
		{"Truncate", []string{"i32[3]", "i32[3]", "i64[9]", "i32[3]", "i32[?]", "i32[8]", "i32[]", "u8[5]", "u8[?]"},
			[]string{"i32[3]", "i32[3]", "i64[9]", "i32[3]", "i32[3]", "i32[8]"}, ""},
		{"Truncate", []string{"i32[3]", "i32[3]", "i64[9]", "i32[4]", "i32[?]", "i32[8]", "i32[]", "u8[5]", "u8[?]"}, nil, "the first tensor has rows of shape [3], the second [4]"},
		{"Truncate", []string{"i32[3]", "i32[3]", "i64[9]", "i64[]", "u8[5]", "u8[?]"}, nil, "max_length is i64, expected i32"},
		{"Truncate", []string{"i32[3]", "i32[3]", "i64[9]", "i32[2]", "u8[5]", "u8[?]"}, nil, "max_length has shape [2], not that of a scalar or of one element"},
		{"Truncate", []string{"i32[3]", "i32[3]", "i64[9]", "i32[]", "i8[5]", "u8[?]"}, nil, "input 4, side, is i8, expected u8"},
		{"Truncate", []string{"i32[3]", "i32[3]", "i64[9]", "i32[]", "u8[5]", "u8[]"}, nil, "mode has shape [], expected rank 1"},
		{"Truncate", []string{"i32[3]", "i32[3]", "i64[9,1]", "i32[]", "u8[5]", "u8[5]"}, nil, "data has shape [9,1], expected rank 1"},
		{"Truncate", []string{"i32[3]", "u8[3]", "i64[9]", "i32[]", "u8[5]", "u8[5]"}, nil, "input 1, ends, is u8, expected i32"},
		{"Truncate", []string{"i32[3]", "i32[3]", "i64[9]", "i32[]", "u8[5]", "u8[5]", "u8[5]"}, nil, "the layer has 7 inputs, expected three for each of one or two ragged tensors and three"},
	} {
		got, err := layertest.InferOutputs(t, layertest.FindType(t, Ops, c.layerType+"-extension"), nil, max(len(c.want), 1), c.inputs...)
		if c.err != "" {
			assert.EqualError(t, err, c.err, "%v", c.inputs)
			continue
		}
		require.NoError(t, err, "%s %v", c.layerType, c.inputs)
		assert.Equal(t, c.want, got, "%s %v", c.layerType, c.inputs)
	}
}
