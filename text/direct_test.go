package text

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
)

// usualDetokenizer writes a detokenizer of the usual form: with byte tokens or not, with validation
// or not, and with the skipped tokens as an input, as a Slice of one, or as an attribute.
func usualDetokenizer(t testing.TB, bytes, valid bool, skip string) *ir.Model {
	t.Helper()
	var words ragged.Strings
	for _, word := range []string{"<s>", "a", " b", "<0xE4>", "<0xBD>", "<0xA0>", "\xff", "é"} {
		words.Append([]byte(word))
	}
	b := edit.NewBuilder(t.Context(), rules(t), "detokenizer")
	ids := b.Layer("Convert", 1, edit.Attributes("destination_type", "i32"), b.Parameter("ids", ir.I64, ir.ShapeOfRank(2)))
	inputs := []edit.Source{ids, b.ConstantOf(words.Begins, words.Len()), b.ConstantOf(words.Ends, words.Len()), b.ConstantOf(words.Chars, len(words.Chars))}
	data := edit.Attributes("skip_tokens", "")
	switch skip {
	case "attribute":
		data = edit.Attributes("skip_tokens", "0, 6,99")
	case "input":
		inputs = append(inputs, b.ConstantOf([]int32{0, 6, 99}, 3))
	case "slice":
		inputs = append(inputs, b.Layer("Slice", 8, nil, b.ConstantOf([]int32{0, 6, 1}, 3), b.ConstantOf([]int32{0}, 1), b.ConstantOf([]int32{2}, 1), b.ConstantOf([]int32{1}, 1), b.ConstantOf([]int32{0}, 1)))
	case "other slice":
		inputs = append(inputs, b.Layer("Slice", 8, nil, b.ConstantOf([]int32{1, 0, 6}, 3), b.ConstantOf([]int32{1}, 1), b.ConstantOf([]int32{3}, 1), b.ConstantOf([]int32{1}, 1), b.ConstantOf([]int32{0}, 1)))
	}
	decoder := b.Extension("VocabDecoder", "extension", data, inputs...)
	strings := [3]edit.Source{output(decoder, 2), output(decoder, 3), output(decoder, 4)}
	if bytes {
		fallback := b.Extension("ByteFallback", "extension", nil, strings[:]...)
		strings = [3]edit.Source{output(fallback, 0), output(fallback, 1), output(fallback, 2)}
	}
	fuze := b.Extension("FuzeRagged", "extension", nil, output(decoder, 0), output(decoder, 1), strings[0], strings[1])
	texts := [3]edit.Source{output(fuze, 0), output(fuze, 1), strings[2]}
	if valid {
		validate := b.Extension("UTF8Validate", "extension", edit.Attributes("replace_mode", "true"), texts[:]...)
		texts = [3]edit.Source{output(validate, 0), output(validate, 1), output(validate, 2)}
	}
	b.Result("string_output", b.Layer("StringTensorPack", 15, nil, texts[:]...))
	all := fstest.MapFS{}
	write(t, all, detokenizerXML, b)
	model, err := irxml.ReadFS(all, detokenizerXML, irxml.ReadOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = model.Close() })
	return model
}

// TestDirect compares the detokenizers that are not run with those that are.
func TestDirect(t *testing.T) {
	tokenizer := open(t, files(t, usual))
	rows := [][]int32{{}, {0}, {1, 2}, {0, 1, 3, 4, 5, 0, 2}, {1, 6, 7}, {3, 4, 1}, {-1, 1, 8, 1 << 30, 2}}
	for _, bytes := range []bool{false, true} {
		for _, valid := range []bool{false, true} {
			for _, skip := range []string{"none", "attribute", "input", "slice"} {
				model := usualDetokenizer(t, bytes, valid, skip)
				d := directOf(model)
				require.NotNil(t, d, skip)
				run, err := newModelDecoder(t.Context(), tokenizer, model)
				require.NoError(t, err)
				for _, row := range rows {
					for _, keep := range []bool{false, true} {
						want, err := run.run(t.Context(), []byte("x"), row, DecodeOptions{KeepSpecialTokens: keep})
						require.NoError(t, err)
						assert.Equal(t, string(want), string(d.append([]byte("x"), row, keep)), "%v %v %s %v %v", bytes, valid, skip, keep, row)
					}
				}
			}
		}
	}
	model := usualDetokenizer(t, false, true, "other slice")
	assert.Nil(t, directOf(model), "it does not start at 0")
	d := directOf(usualDetokenizer(t, true, true, "input"))
	text := make([]byte, 0, 100)
	assert.Zero(t, testing.AllocsPerRun(10, func() { text = d.append(text[:0], rows[3], false) }))
	assert.Equal(t, "a你 b", string(text))
}

func BenchmarkDecode(b *testing.B) {
	d := directOf(usualDetokenizer(b, true, true, "input"))
	tokens := make([]int32, 25)
	for i := range tokens {
		tokens[i] = int32(1 + i%2)
	}
	var text []byte
	for b.Loop() {
		text = d.append(text[:0], tokens, false)
	}
}
