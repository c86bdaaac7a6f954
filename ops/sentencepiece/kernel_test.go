package sentencepiece

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/sentencepiece"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// pieces are those of the model of the tests: the type follows each.
var pieces = []string{"<unk>", "\x02", "<s>", "\x03", "</s>", "\x03", "\u2581", "\x01", "a", "\x01", "b", "\x01", "ab", "\x01", "<0x", "\x01", "<0x0G>", "\x01"}

// model returns the file of a unigram model.
func model(t testing.TB) *ir.Tensor {
	t.Helper()
	var file []byte
	for i := 0; i < len(pieces); i += 2 {
		piece := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), pieces[i])
		piece = protowire.AppendFixed32(protowire.AppendTag(piece, 2, protowire.Fixed32Type), math.Float32bits(-float32(i)))
		piece = protowire.AppendVarint(protowire.AppendTag(piece, 3, protowire.VarintType), uint64(pieces[i+1][0]))
		file = protowire.AppendBytes(protowire.AppendTag(file, 1, protowire.BytesType), piece)
	}
	return bytesOf(t, file)
}

func bytesOf(t testing.TB, data []byte) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.U8, len(data))
	require.NoError(t, err)
	copy(tensor.Bytes(), data)
	return tensor
}

func ints(t testing.TB, values ...int32) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.I32, len(values))
	require.NoError(t, err)
	copy(ir.Data[int32](tensor), values)
	return tensor
}

// stringsOf returns texts as a tensor of strings.
func stringsOf(t testing.TB, texts ...string) *ir.Tensor {
	t.Helper()
	tensor, err := ir.StringTensor(ir.Shape{len(texts)}, texts)
	require.NoError(t, err)
	return tensor
}

func find(t testing.TB, layerType string) *ops.Op {
	return layertest.FindType(t, Ops, layerType+"-extension")
}

func TestTokenizer(t *testing.T) {
	special := append(texttest.StringTensors(t, "<s>", "sop"), ints(t, 1, 77))
	for _, c := range []struct {
		attributes layertest.Attributes
		special    []*ir.Tensor
		texts      []string
		indices    []int64
		values     []int32
		shape      []int64
	}{
		{nil, nil, []string{"ab b", "", "a"}, []int64{0, 0, 0, 1, 0, 2, 0, 3, 2, 0, 2, 1}, []int32{3, 6, 3, 5, 3, 4}, []int64{3, 4}},
		{layertest.Attributes{"add_bos", "true", "add_eos", "true", "reverse", "true"}, nil, []string{"a", ""}, []int64{0, 0, 0, 1, 0, 2, 0, 3, 1, 0, 1, 1}, []int32{2, 4, 3, 1, 2, 1}, []int64{2, 4}},
		{nil, special, []string{"a<s>b sop"}, []int64{0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5}, []int32{3, 4, 1, 3, 5, 77}, []int64{1, 6}},
		{nil, nil, []string{}, nil, nil, []int64{0, 0}},
	} {
		op := *find(t, "SentencepieceTokenizer")
		// special tokens can be constant or not
		for _, values := range [][]int{{0}, {0, 2, 3, 4, 5}} {
			op.Values = values
			for _, texts := range [][]*ir.Tensor{{stringsOf(t, c.texts...)}, texttest.StringTensors(t, c.texts...)} {
				if len(texts) == 3 && len(values) > 1 {
					op.Values = []int{0, 4, 5, 6, 7}
				}
				in := append(append([]*ir.Tensor{model(t)}, texts...), c.special...)
				out, err := layertest.RunOutputs(&op, c.attributes, 1, 3, in...)
				require.NoError(t, err)
				assert.Equal(t, ir.Shape{len(c.values), 2}, out[0].Shape())
				assert.Equal(t, append([]int64{}, c.indices...), append([]int64{}, ir.Data[int64](out[0])...))
				assert.Equal(t, append([]int32{}, c.values...), append([]int32{}, ir.Data[int32](out[1])...))
				assert.Equal(t, c.shape, ir.Data[int64](out[2]))
				_, err = layertest.RunOutputs(&op, c.attributes, 1, 1, in...)
				require.NoError(t, err, "a file may leave out the last outputs")
			}
		}
	}
}

func TestTokenizer_errors(t *testing.T) {
	run := func(attributes layertest.Attributes, in ...*ir.Tensor) error {
		_, err := layertest.RunOutputs(find(t, "SentencepieceTokenizer"), attributes, 1, 3, in...)
		return err
	}
	m, a := model(t), stringsOf(t, "a")
	assert.EqualError(t, run(nil, bytesOf(t, nil), a), "none of the pieces is unknown")
	assert.EqualError(t, run(layertest.Attributes{"nbest_size", "513"}, m, a), "nbest_size is 513, expected at most 512")
	assert.EqualError(t, run(layertest.Attributes{"nbest_size", "4294967296"}, m, a), "attribute nbest_size: 4294967296 does not fit an i32")
	assert.EqualError(t, run(nil, m, ints(t, 0, 1), ints(t, 1, 3), bytesOf(t, []byte("ab"))), "texts: string 1 is from 1 to 3, of 2 bytes")
	assert.EqualError(t, run(nil, m, a, ints(t, 1), ints(t, 3), bytesOf(t, []byte("ab")), ints(t, 5)), "special tokens: string 0 is from 1 to 3, of 2 bytes")
	assert.EqualError(t, run(nil, m, a, ints(t, 1), ints(t, 2), bytesOf(t, []byte("ab")), ints(t)), "there are 1 special tokens and 0 ids")

	kernel, r, err := layertest.PrepareOutputs(find(t, "SentencepieceTokenizer"), nil, 1, 3, m, stringsOf(t, strings.Repeat("a", 1<<18)))
	require.NoError(t, err)
	defer r.Pool.Close()
	refused := errors.New("refused")
	r.Charge = func(bytes int64) error {
		if bytes > 1<<16 {
			return refused
		}
		return nil
	}
	assert.ErrorIs(t, kernel(r), refused)
	r.Charge = nil
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.ErrorIs(t, kernel(r), parallel.ErrStopped)
}

// TestTokenizer_samples checks that each run draws other segmentations, and each request the same
// ones.
func TestTokenizer_samples(t *testing.T) {
	draws := func() string {
		kernel, r, err := layertest.PrepareOutputs(find(t, "SentencepieceTokenizer"), layertest.Attributes{"nbest_size", "-1", "alpha", "0.1"}, 1, 3, model(t), stringsOf(t, "ab"))
		require.NoError(t, err)
		defer r.Pool.Close()
		all := ""
		for range 20 {
			require.NoError(t, kernel(r))
			all += string(rune('0' + r.Outputs[1].Len()))
		}
		return all
	}
	first := draws()
	assert.Equal(t, first, draws())
	assert.Contains(t, first, "2")
	assert.Contains(t, first, "3")
}

func TestDetokenizers(t *testing.T) {
	ids, err := ir.TensorOf(ir.I32, ir.Shape{3, 4}, []int32{1, 3, 6, 2, 0, 99, 3, 8, 3, 3, 4, 99})
	require.NoError(t, err)
	for layerType, want := range map[string][]string{
		"SentencepieceDetokenizer":       {"ab", " \u2047  <0x0G>", "a"},
		"SentencepieceStreamDetokenizer": {"<s>\u2581ab</s>", "<unk>\u2581\xFF", "\u2581\u2581a"},
	} {
		out, err := layertest.RunOutputs(find(t, layerType), nil, 1, 3, model(t), ids)
		require.NoError(t, err)
		texts := ragged.Strings{Begins: ir.Data[int32](out[0]), Ends: ir.Data[int32](out[1]), Chars: out[2].Bytes()}
		require.NoError(t, texts.Check(""))
		for i, text := range want {
			assert.Equal(t, text, string(texts.At(i)), layerType)
		}
		_, err = layertest.RunOutputs(find(t, layerType), nil, 1, 1, model(t), ids)
		require.NoError(t, err, "a file may leave out the last outputs")
		negative, err := ir.TensorOf(ir.I32, ir.Shape{1, 1}, []int32{-1})
		require.NoError(t, err)
		_, err = layertest.RunOutputs(find(t, layerType), nil, 1, 3, model(t), negative)
		assert.ErrorContains(t, err, "row 0: id -1 is ")
	}
}

func TestAllocations(t *testing.T) {
	for _, in := range [][]*ir.Tensor{{model(t), stringsOf(t, "ab a", "c")}, append([]*ir.Tensor{model(t)}, texttest.StringTensors(t, "ab a", "c")...)} {
		kernel, r, err := layertest.PrepareOutputs(find(t, "SentencepieceTokenizer"), nil, 1, 3, in...)
		require.NoError(t, err)
		defer r.Pool.Close()
		require.NoError(t, kernel(r))
		r.Resize = func(int, ir.Shape) error { return nil } // the outputs have that shape
		assert.Zero(t, testing.AllocsPerRun(10, func() { err = kernel(r) }))
		require.NoError(t, err)
	}
}

// FuzzTokenizer encodes any ranges of any text, with any special tokens.
func FuzzTokenizer(f *testing.F) {
	f.Add("ab <s>", int32(0), int32(6), int32(3), int32(6))
	f.Add("ab", int32(-1), int32(2), int32(1), int32(5))
	f.Fuzz(func(t *testing.T, text string, begin, end, from, to int32) {
		chars := bytesOf(t, []byte(text))
		_, err := layertest.RunOutputs(find(t, "SentencepieceTokenizer"), nil, 1, 3, model(t), ints(t, begin), ints(t, end), chars, ints(t, from), ints(t, to), chars, ints(t, 9))
		special := ragged.Strings{Begins: []int32{from}, Ends: []int32{to}, Chars: []byte(text)}.Check("special tokens")
		texts := ragged.Strings{Begins: []int32{begin}, Ends: []int32{end}, Chars: []byte(text)}.Check("texts")
		switch {
		case special != nil:
			require.Equal(t, special, err)
		case texts != nil:
			require.Equal(t, texts, err)
		default:
			require.NoError(t, err)
		}
	})
}

// FuzzDetokenizer decodes any ids.
func FuzzDetokenizer(f *testing.F) {
	f.Add(int32(3), int32(7))
	f.Add(int32(-1), int32(math.MaxInt32))
	m, err := sentencepiece.Parse(model(f).Bytes(), nil, nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, a, b int32) {
		ids, err := ir.TensorOf(ir.I32, ir.Shape{1, 2}, []int32{a, b})
		require.NoError(t, err)
		for _, layerType := range []string{"SentencepieceDetokenizer", "SentencepieceStreamDetokenizer"} {
			_, err := layertest.RunOutputs(find(t, layerType), nil, 1, 3, model(t), ids)
			require.Equal(t, a < 0 || b < 0, err != nil, "%v, of %d", err, m.Len())
		}
	})
}
