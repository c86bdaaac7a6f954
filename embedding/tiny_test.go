package embedding

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/extension"
	"github.com/vinoir/vinoir/plugin"
)

// The model of testdata/tiny is random: the vector of a token is fixed. Its tokens are words, and
// letters where a word is none of them.
const tinyWidth = 16

// tinyWords are the tokens.
func tinyWords() []string {
	words := strings.Fields("[PAD] [UNK] [CLS] [SEP] yes no the a on cat cats kitten milk sleep sofa stock market fell rose monday rain snow warm drink like")
	for c := 'a'; c <= 'z'; c++ {
		words = append(words, string(c), "##"+string(c))
	}
	return words
}

// tiny builds the models.
type tiny struct {
	*edit.Builder
	rng *rand.Rand
}

func newTiny(t testing.TB, name string) *tiny {
	t.Helper()
	registry, err := plugin.NewRegistry(append(builtin.Ops(), extension.Ops()...)...)
	require.NoError(t, err)
	return &tiny{edit.NewBuilder(background, registry, name), rand.New(rand.NewPCG(1, 2))}
}

func (b *tiny) op(layerType string, opset int, attributes []string, inputs ...edit.Source) edit.Source {
	return b.Layer(layerType, opset, edit.Attributes(attributes...), inputs...)
}

func (b *tiny) scalar(t testing.TB, value int32) edit.Source {
	t.Helper()
	tensor, err := ir.NewTensor(ir.I32)
	require.NoError(t, err)
	ir.Data[int32](tensor)[0] = value
	return b.Constant(tensor)
}

func (b *tiny) bytes(text string) edit.Source { return b.ConstantOf([]byte(text), len(text)) }

func at(s edit.Source, i int) edit.Source { return edit.Source{Layer: s.Layer, Output: i} }

func three(s edit.Source, i int) []edit.Source {
	return []edit.Source{at(s, i), at(s, i+1), at(s, i+2)}
}

// tinyTokenizer builds a tokenizer that pads on the right, and cuts at 32 tokens.
func tinyTokenizer(t testing.TB) *ir.Model {
	t.Helper()
	b := newTiny(t, "tokenizer")
	text := b.op("StringTensorUnpack", 15, nil, b.Parameter("texts", ir.String, ir.ShapeOfRank(1)))
	begins := text
	n := b.op("Gather", 8, []string{"batch_dims", "0"}, b.op("ShapeOf", 3, []string{"output_type", "i32"}, begins), b.scalar(t, 0), b.scalar(t, 0))
	count := func(from int32) edit.Source {
		end := n
		if from > 0 {
			end = b.op("Add", 1, nil, n, b.scalar(t, 1))
		}
		return b.op("Range", 4, []string{"output_type", "i32"}, b.scalar(t, from), end, b.scalar(t, 1))
	}
	words := b.Extension("RegexSplit", "extension", edit.Attributes("behaviour", "remove", "invert", "false", "max_splits", "-1"),
		append([]edit.Source{count(0), count(1)}, append(three(text, 0), b.bytes(`[^a-z]+`))...)...)
	var vocabulary struct {
		begins, ends []int32
		chars        string
	}
	for _, word := range tinyWords() {
		vocabulary.begins = append(vocabulary.begins, int32(len(vocabulary.chars)))
		vocabulary.chars += word
		vocabulary.ends = append(vocabulary.ends, int32(len(vocabulary.chars)))
	}
	size := len(vocabulary.ends)
	tokens := b.Extension("WordpieceTokenizer", "extension", edit.Attributes("suffix_indicator", "##", "max_bytes_per_word", "100"),
		append(append(three(words, 0), three(words, 3)[:2]...), b.ConstantOf(vocabulary.begins, size), b.ConstantOf(vocabulary.ends, size), b.bytes(vocabulary.chars), b.scalar(t, 1))...)
	cut := b.Extension("Truncate", "extension", edit.Attributes("m_num_inputs", "1"),
		append(three(tokens, 0), b.scalar(t, 30), b.bytes("right"), b.bytes("longest_first"))...)
	special := func(id int32) []edit.Source {
		return []edit.Source{b.scalar(t, 0), b.scalar(t, 1), b.ConstantOf([]int32{id}, 1)}
	}
	row := b.Extension("CombineSegments", "extension", nil,
		append(append(special(2), three(cut, 0)...), append(special(3), b.ConstantOf([]int32{0, 0, 0}, 3))...)...)
	longest := b.op("ReduceMax", 1, []string{"keep_dims", "false"}, b.op("Subtract", 1, nil, at(row, 1), at(row, 0)), b.ConstantOf([]int32{0}, 1))
	for _, result := range []struct {
		name          string
		first, output int
	}{{"input_ids", 0, 0}, {"token_type_ids", 3, 0}, {"attention_mask", 0, 1}} {
		dense := b.Extension("RaggedToDense", "extension", edit.Attributes("pad_right", "true", "m_pad_max_length", "false"),
			append(three(row, result.first), longest, b.scalar(t, 0))...)
		out := b.op("Convert", 1, []string{"destination_type", "i64"}, at(dense, result.output))
		b.Result(result.name, b.NameTensor(out, result.name))
	}
	m, err := b.Model()
	require.NoError(t, err)
	m.RTInfo = etree.NewElement("rt_info")
	m.RTInfo.CreateElement("processed_post_processor_template").CreateAttr("value",
		`{"single": {"ids": [2, -1, 3], "type_ids": [0, 0, 0]}, "pair": {"ids": [2, -1, 3, -2, 3], "type_ids": [0, 0, 0, 1, 1]}}`)
	return m
}

// tinyKind says what a tiny model computes.
type tinyKind struct {
	positions, beams bool
	pooled           bool // one vector for each text
	classes          int  // of a model that classifies
	causal           bool // logits of tokens
}

// tinyModel builds a model.
func tinyModel(t testing.TB, kind tinyKind) *ir.Model {
	t.Helper()
	b := newTiny(t, "tiny")
	size := len(tinyWords())
	rows := ir.ShapeOf(ir.AnyDim, ir.AnyDim)
	table := func(rows, columns int) edit.Source {
		values := make([]float32, rows*columns)
		for i := range values {
			values[i] = float32(b.rng.NormFloat64() / math.Sqrt(float64(columns)))
		}
		return b.ConstantOf(values, rows, columns)
	}
	look := func(name string, size int) edit.Source {
		return b.op("Gather", 8, []string{"batch_dims", "0"}, table(size, tinyWidth), b.Parameter(name, ir.I64, rows), b.ConstantOf([]int64{0}, 1))
	}
	x := b.op("Add", 1, []string{"auto_broadcast", "numpy"}, look("input_ids", size), look("token_type_ids", 2))
	mask := b.Parameter("attention_mask", ir.I64, rows)
	if kind.positions {
		x = b.op("Add", 1, []string{"auto_broadcast", "numpy"}, x, look("position_ids", 64))
	}
	if kind.beams {
		x = b.op("Gather", 8, []string{"batch_dims", "0"}, x, b.Parameter("beam_idx", ir.I32, ir.ShapeOf(ir.AnyDim)), b.ConstantOf([]int64{0}, 1))
	}
	product := func(x edit.Source, n int) edit.Source {
		return b.op("MatMul", 1, []string{"transpose_a", "false", "transpose_b", "true"}, x, table(n, tinyWidth))
	}
	name := "last_hidden_state"
	weights := b.op("Unsqueeze", 1, nil, b.op("Convert", 1, []string{"destination_type", "f32"}, mask), b.ConstantOf([]int64{2}, 1))
	x = b.op("Multiply", 1, []string{"auto_broadcast", "numpy"}, x, weights)
	if kind.pooled || kind.classes > 0 {
		x = b.op("ReduceSum", 1, []string{"keep_dims", "false"}, x, b.ConstantOf([]int64{1}, 1))
	}
	if kind.classes > 0 {
		x, name = product(x, kind.classes), "logits"
	}
	if kind.causal {
		x, name = product(x, size), "logits"
	}
	b.Result(name, b.NameTensor(x, name))
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

// tinyFolder writes a model and its tokenizer to a directory.
func tinyFolder(t testing.TB, dir string, kind tinyKind) string {
	t.Helper()
	for name, model := range map[string]*ir.Model{modelFile: tinyModel(t, kind), "openvino_tokenizer.xml": tinyTokenizer(t)} {
		require.NoError(t, irxml.WriteFile(background, filepath.Join(dir, name), model, irxml.WriteOptions{}))
	}
	return dir
}

// TestTestdata compares testdata/tiny with what it is built by. VINOIR_UPDATE=1 writes it.
func TestTestdata(t *testing.T) {
	kinds := map[string]tinyKind{"tiny": {}, "reranker": {classes: 1}}
	for name, kind := range kinds {
		folder := filepath.Join("testdata", name)
		if os.Getenv("VINOIR_UPDATE") != "" {
			require.NoError(t, os.MkdirAll(folder, 0o755))
			tinyFolder(t, folder, kind)
		}
		built := tinyFolder(t, t.TempDir(), kind)
		files, err := filepath.Glob(filepath.Join(folder, "openvino_*"))
		require.NoError(t, err)
		require.Len(t, files, 4)
		for _, file := range files {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(built, filepath.Base(file)))
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), file)
		}
	}
}
