package generate

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// stored is a tensor of a safetensors file.
type stored struct {
	typeName string
	shape    []int
	values   []float32
}

// safetensors returns a file with the given tensors.
func safetensors(t testing.TB, tensors map[string]stored) []byte {
	t.Helper()
	var data bytes.Buffer
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	for name, s := range tensors {
		from := data.Len()
		for _, v := range s.values {
			switch s.typeName {
			case "F16":
				_ = binary.Write(&data, binary.LittleEndian, half.F32ToF16(v))
			case "BF16":
				_ = binary.Write(&data, binary.LittleEndian, uint16(half.BFloat16Of(v)))
			default:
				_ = binary.Write(&data, binary.LittleEndian, v)
			}
		}
		header[name] = map[string]any{"dtype": s.typeName, "shape": s.shape, "data_offsets": []int{from, data.Len()}}
	}
	text, err := json.Marshal(header)
	require.NoError(t, err)
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return append(append(file, text...), data.Bytes()...)
}

func matrix(rng *rand.Rand, typeName string, rows, columns int) stored {
	s := stored{typeName, []int{rows, columns}, make([]float32, rows*columns)}
	for i := range s.values {
		s.values[i] = float32(rng.IntN(33)-16) / 32 // exact in all types
	}
	return s
}

// TestAdapter compares a model with an adapter with one whose weights have it, for all factors.
func TestAdapter(t *testing.T) {
	source := tiny{}.build(t)
	var name string
	for _, layer := range source.Layers {
		if layer.Type == "MatMul" && name == "" {
			name = layer.Name
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	a, b := matrix(rng, "F16", 3, tinyWidth), matrix(rng, "BF16", tinyWidth, 3)
	first, err := ReadAdapter(safetensors(t, map[string]stored{
		"base_model.model." + name + ".lora_A.weight": a, "base_model.model." + name + ".lora_B.weight": b,
	}))
	require.NoError(t, err)
	second, err := ReadAdapter(safetensors(t, map[string]stored{
		name + "_lora_down.weight": matrix(rng, "F32", 2, tinyWidth), name + "_lora_up.weight": matrix(rng, "F32", tinyWidth, 2),
		name + ".alpha": {"F32", []int{}, []float32{0}},
	}))
	require.NoError(t, err)
	options := Options{Ops: builtin.Ops(), Adapters: []*Adapter{first, second}, CompileOptions: plugin.CompileOptions{InferenceNumThreads: 1}}
	m, err := options.New(background, source, DefaultConfig())
	require.NoError(t, err)
	session := m.NewSession()
	config := limited(m, 6)
	for _, alphas := range [][]float64{nil, {0.5, 1}, {0, 3}, {-1, 0}} {
		alpha := float32(1)
		if alphas != nil {
			alpha = float32(alphas[0])
		}
		changed := tiny{}.build(t)
		for _, layer := range changed.Layers {
			if layer.Name != name {
				continue
			}
			w, err := layer.Inputs[1].Source.Constant.Clone()
			require.NoError(t, err)
			for o := range tinyWidth {
				for i := range tinyWidth {
					sum := float32(w.Values()(o*tinyWidth + i))
					for r := range 3 {
						sum += alpha * b.values[o*3+r] * a.values[r*tinyWidth+i]
					}
					w.SetValue(o*tinyWidth+i, float64(sum))
				}
			}
			layer.Inputs[1].Source.Constant = w
		}
		plain, err := Options{Ops: builtin.Ops()}.New(background, changed, DefaultConfig())
		require.NoError(t, err)
		config.AdapterAlphas = alphas
		got, err := session.Generate(background, somePrompts[:1], config)
		require.NoError(t, err)
		assert.Equal(t, greedy(t, plain, somePrompts[0], 6), got[0].Sequences[0].Tokens, "%v", alphas)
		logits, err := session.Logits(background, []int32{1, 2, 9})
		require.NoError(t, err)
		assert.InDeltaSlice(t, reference(t, plain, []int32{1, 2, 9}), logits, 1e-3)
	}
	config.AdapterAlphas = []float64{1}
	_, err = session.Generate(background, somePrompts[:1], config)
	assert.EqualError(t, err, "AdapterAlphas has 1 factors, and the Model 2 adapters")
}

func TestAdapter_errors(t *testing.T) {
	one := stored{"F32", []int{1, tinyWidth}, make([]float32, tinyWidth)}
	for want, tensors := range map[string]map[string]stored{
		`tensor "x.weight" is neither lora_A, lora_B nor alpha of a layer`:                {"x.weight": one},
		`tensor "x.alpha" has 16 elements, not one`:                                       {"x.alpha": one},
		`tensor "x.lora_A.weight" has the shape [1], which is no matrix`:                  {"x.lora_A.weight": {"F32", []int{1}, []float32{1}}},
		`layer "x" has only one of lora_A and lora_B`:                                     {"x.lora_A.weight": one},
		`layer "x" has lora_A[1,16] and lora_B[1,16], whose ranks differ or are 0`:        {"x.lora_A.weight": one, "x.lora_B.weight": one},
		`it has no tensors lora_A and lora_B`:                                             {},
		`tensor "x.lora_A.weight": its type is "I8", not F32, F16 or BF16`:                {"x.lora_A.weight": {"I8", []int{0}, nil}},
		`tensor "x.lora_A.weight": f32[2,16] has 128 bytes, and the offsets are 0 and 64`: {"x.lora_A.weight": {"F32", []int{2, tinyWidth}, one.values}},
		`tensor "x.lora_A.weight": it has the element NaN`:                                {"x.lora_A.weight": {"F32", []int{1, 1}, []float32{float32(math.NaN())}}},
		`tensor "x.lora_A.weight": shape [-1]: dimension 0 is negative`:                   {"x.lora_A.weight": {"F32", []int{-1}, nil}},
	} {
		_, err := ReadAdapter(safetensors(t, tensors))
		assert.ErrorContains(t, err, want)
	}
	for want, data := range map[string][]byte{
		"it has 3 bytes, not the 8 of the length of a header": {1, 2, 3},
		"the header has 9 bytes, more than the 1 that follow": {9, 0, 0, 0, 0, 0, 0, 0, '{'},
		"the header: unexpected end of JSON input":            {1, 0, 0, 0, 0, 0, 0, 0, '{'},
		`tensor "a": json: cannot unmarshal number`:           append([]byte{7, 0, 0, 0, 0, 0, 0, 0}, `{"a":1}`...),
	} {
		_, err := ReadAdapter(data)
		assert.ErrorContains(t, err, want)
	}
	column := stored{"F32", []int{tinyWidth, 1}, one.values}
	adapter, err := ReadAdapter(safetensors(t, map[string]stored{"nothing.lora_A.weight": one, "nothing.lora_B.weight": column}))
	require.NoError(t, err)
	_, err = Options{Ops: builtin.Ops(), Adapters: []*Adapter{adapter}}.New(background, tiny{}.build(t), DefaultConfig())
	assert.EqualError(t, err, `language model "tiny": adapter 0: no MatMul of the model is layer "nothing"`)
	source := tiny{}.build(t)
	for _, layer := range source.Layers {
		if layer.Type == "MatMul" {
			adapter.targets[0].name = layer.Name
		}
	}
	_, err = Options{Ops: builtin.Ops(), Adapters: []*Adapter{adapter}}.New(background, source, DefaultConfig())
	assert.ErrorContains(t, err, "adapter 0, layer \"MatMul_", "the vocabulary has another size")
	_, err = OpenAdapter(filepath.Join(t.TempDir(), "x"))
	assert.ErrorIs(t, err, os.ErrNotExist)
	file := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = OpenAdapter(file)
	assert.EqualError(t, err, file+": it has 0 bytes, not the 8 of the length of a header")
}

func TestIsLayer(t *testing.T) {
	for _, c := range []struct {
		name, layer string
		want        bool
	}{
		{"__module.model.layers.1.mlp.up_proj/aten::linear/MatMul", "model.layers.1.mlp.up_proj", true},
		{"__module.model.layers.1.mlp.up_proj/aten::linear/MatMul", "layers.1.mlp.up_proj", true},
		{"__module.model.layers.11.mlp.up_proj/aten::linear/MatMul", "layers.1.mlp.up_proj", false},
		{"__module.model.layers.1.mlp.up_proj2/aten::linear/MatMul", "layers.1.mlp.up_proj", false},
		{"__module.model.sublayers.1.mlp.up_proj/MatMul", "layers.1.mlp.up_proj", false},
		{"model_layers_1_mlp_up_proj/MatMul", "model.layers.1.mlp.up_proj", true},
		{"a", "b", false}, {"aa.a", "a", true},
	} {
		assert.Equal(t, c.want, isLayer(c.name, c.layer), "%v", c)
	}
}

// FuzzReadAdapter reads files of strangers.
func FuzzReadAdapter(f *testing.F) {
	one := stored{"F32", []int{1, 1}, []float32{1}}
	f.Add(safetensors(f, map[string]stored{"x.lora_A.weight": one, "x.lora_B.weight": one, "x.alpha": one}))
	f.Add(safetensors(f, map[string]stored{"x.lora_up.weight": {"BF16", []int{2, 0}, nil}, "x_lora_down.weight": one}))
	f.Fuzz(func(t *testing.T, data []byte) {
		adapter, err := ReadAdapter(data)
		if err != nil {
			return
		}
		for _, target := range adapter.targets {
			require.Equal(t, target.a.Shape()[0], target.b.Shape()[1])
			require.LessOrEqual(t, target.a.Len()+target.b.Len(), len(data))
		}
	})
}
