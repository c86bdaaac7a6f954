package onnx_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// textModel is a decoder of one GroupQueryAttention with random weights, in the form in which
// exporters write it for ONNX Runtime.
func textModel(t *testing.T) *proto.Model {
	const vocabulary, width, heads, kvHeads, size, positions = 32, 16, 4, 2, 4, 64
	rng := rand.New(rand.NewPCG(1, 2))
	weights := func(name string, rows, columns int) *proto.Tensor {
		data := make([]float32, rows*columns)
		for i := range data {
			data[i] = float32(rng.NormFloat64())
		}
		tensor, err := ir.TensorFrom(data, rows, columns)
		require.NoError(t, err)
		return onnxtest.TensorOf(name, tensor)
	}
	number := func(name string, value any) *proto.Tensor {
		tensor, err := ir.TensorFrom(value)
		require.NoError(t, err)
		return onnxtest.TensorOf(name, tensor)
	}
	node := onnxtest.Node
	attention := node("GroupQueryAttention", "q k v past_key_values.0.key past_key_values.0.value last total cos sin", "a present.0.key present.0.value",
		onnxtest.Attributes("num_heads", heads, "kv_num_heads", kvHeads, "do_rotary", 1)...)
	attention.Domain = "com.microsoft"
	past := func(name string) *proto.ValueInfo {
		return onnxtest.Value(name, ir.F32, "batch", kvHeads, "past", size)
	}
	m := onnxtest.Model(17, &proto.Graph{
		Name: "g",
		Inputs: []*proto.ValueInfo{
			onnxtest.Value("input_ids", ir.I64, "batch", "rows"), onnxtest.Value("attention_mask", ir.I64, "batch", "total"),
			past("past_key_values.0.key"), past("past_key_values.0.value"),
		},
		Nodes: []*proto.Node{
			node("ReduceSum", "attention_mask axis", "counts", onnxtest.Attribute("keepdims", 0)), node("Sub", "counts one", "lasts"),
			node("Cast", "lasts", "last", onnxtest.Attribute("to", int(proto.Int32))),
			node("Shape", "attention_mask", "lengths"), node("Gather", "lengths one", "length"),
			node("Cast", "length", "total", onnxtest.Attribute("to", int(proto.Int32))),
			node("Gather", "embedding input_ids", "x"), node("MatMul", "x wq", "q"), node("MatMul", "x wk", "k"), node("MatMul", "x wv", "v"),
			attention, node("Add", "a x", "y"), node("MatMul", "y head", "logits"),
		},
		Initializers: []*proto.Tensor{
			number("axis", []int64{1}), number("one", int64(1)), weights("embedding", vocabulary, width), weights("wq", width, heads*size),
			weights("wk", width, kvHeads*size), weights("wv", width, kvHeads*size), weights("head", width, vocabulary),
			weights("cos", positions, size/2), weights("sin", positions, size/2),
		},
		Outputs: []*proto.ValueInfo{{Name: "logits"}, {Name: "present.0.key"}, {Name: "present.0.value"}},
	})
	m.Imports = append(m.Imports, proto.Import{Domain: "com.microsoft", Version: 1})
	return m
}

// TestRead_generate generates with a stateful model, also two texts of different lengths, and
// compares the tokens with those of a model without states, for which each text starts anew.
func TestRead_generate(t *testing.T) {
	file, opts := onnxtest.Encode(textModel(t)), options(t)
	whole, err := onnx.Read(t.Context(), file, opts)
	require.NoError(t, err)
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(t.Context(), whole, plugin.CompileOptions{})
	require.NoError(t, err)
	defer compiled.Close()
	next := func(tokens []int32) int32 {
		ids, mask := make([]int64, len(tokens)), make([]int64, len(tokens))
		for i, token := range tokens {
			ids[i], mask[i] = int64(token), 1
		}
		request := compiled.NewInferRequest()
		for i, input := range []any{ids, mask} {
			tensor, err := ir.TensorFrom(input, 1, len(tokens))
			require.NoError(t, err)
			require.NoError(t, request.SetInput(i, tensor))
		}
		for i := range 2 {
			none, err := ir.NewTensor(ir.F32, 1, 2, 0, 4)
			require.NoError(t, err)
			require.NoError(t, request.SetInput(2+i, none))
		}
		require.NoError(t, request.Infer(t.Context()))
		logits := ir.Data[float32](request.Output(0))
		logits, best := logits[len(logits)-32:], 0
		for i, v := range logits {
			if v > logits[best] {
				best = i
			}
		}
		return int32(best)
	}

	opts.Stateful = true
	source, err := onnx.Read(t.Context(), file, opts)
	require.NoError(t, err)
	model, err := generate.Options{Ops: builtin.Ops()}.New(t.Context(), source, generate.DefaultConfig())
	require.NoError(t, err)
	defer model.Close()
	config := model.Config()
	config.MaxNewTokens, config.IgnoreEOS = 8, true
	prompts := [][]int32{{1, 2, 3, 4, 5}, {6, 7}}
	results, err := model.NewSession().Generate(t.Context(), prompts, config)
	require.NoError(t, err)
	for i, prompt := range prompts {
		text := append([]int32{}, prompt...)
		for range config.MaxNewTokens {
			text = append(text, next(text))
		}
		assert.Equal(t, text[len(prompt):], results[i].Sequences[0].Tokens)
	}
}
