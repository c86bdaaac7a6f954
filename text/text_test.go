package text

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin"
)

// A tokenizer of these tests has the bytes of a text as ids, from an operation of the tests, and
// the converter's graph behind it.

// byteTokens returns an operation with a row of bytes for each string, and one with the strings of
// rows, which leaves the ids in skip out. Like RegexSplit, the former has one row for strings
// without a character.
func byteTokens() []ops.Op {
	return []ops.Op{{
		Type: "ByteTokens", Namespace: "test", Inputs: ops.Exactly(1),
		Infer: func(in *ops.Inference) error {
			row := ir.Fact{Type: ir.I32, Shape: ir.ShapeOfRank(1)}
			return ops.SetOutputs(in, row, row, row)
		},
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				var s ragged.Strings
				for _, text := range r.Inputs[0].Strings() {
					s.Append([]byte(text))
				}
				if len(s.Chars) == 0 {
					s = ragged.Strings{Begins: []int32{0}, Ends: []int32{0}}
				}
				for i, n := range []int{s.Len(), s.Len(), len(s.Chars)} {
					if err := r.SetShape(i, n); err != nil {
						return err
					}
				}
				copy(ir.Data[int32](r.Outputs[0]), s.Begins)
				copy(ir.Data[int32](r.Outputs[1]), s.Ends)
				for i, c := range s.Chars {
					ir.Data[int32](r.Outputs[2])[i] = int32(c)
				}
				return nil
			}}, nil
		},
	}, {
		Type: "VocabDecoder", Namespace: "test", Inputs: ops.Between(4, 5),
		Infer: func(in *ops.Inference) error {
			return ops.SetOutputs(in, ir.Fact{Type: ir.String, Shape: ir.ShapeOf(in.Inputs[0].Shape.At(0))})
		},
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				skip := ir.Data[int32](r.Inputs[4])
				for i := range r.Outputs[0].Strings() {
					n := r.Inputs[0].Shape()[1]
					var text []byte
					for _, id := range ir.Data[int64](r.Inputs[0])[i*n : (i+1)*n] {
						if len(skip) == 0 || int32(id) != skip[0] {
							text = append(text, byte(id))
						}
					}
					r.Outputs[0].Strings()[i] = string(text)
				}
				return nil
			}}, nil
		},
	}}
}

func options() Options { return Options{Ops: append(Ops(), byteTokens()...)} }

func rules(t testing.TB) infer.Rules {
	t.Helper()
	registry, err := plugin.NewRegistry(options().Ops...)
	require.NoError(t, err)
	return registry
}

// write adds a model to files.
func write(t testing.TB, files fstest.MapFS, name string, b *edit.Builder) {
	t.Helper()
	model, err := b.Model()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, irxml.WriteFile(t.Context(), filepath.Join(dir, name), model, irxml.WriteOptions{}))
	for _, file := range []string{name, strings.TrimSuffix(name, ".xml") + ".bin"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		files[file] = &fstest.MapFile{Data: data}
	}
}

// output returns output i of the layer of a source.
func output(s edit.Source, i int) edit.Source { return edit.Source{Layer: s.Layer, Output: i} }

// form is the form of a graph.
type form struct {
	cut, combined, right bool
	side, mode           string
	limit                int32
	types                bool
	length               int32
	// tokens adds the layers that compute the tokens of texts; nil means ByteTokens.
	tokens func(b *edit.Builder, texts edit.Source) edit.Source
}

var usual = form{cut: true, combined: true, right: true, side: "right", mode: "longest_first", limit: 1<<31 - 64, types: true}

// files returns a tokenizer of a form.
func files(t testing.TB, f form) fstest.MapFS {
	t.Helper()
	all := fstest.MapFS{}
	b := edit.NewBuilder(t.Context(), rules(t), "tokenizer")
	x := b.Parameter("texts", ir.String, ir.ShapeOfRank(1))
	var rows edit.Source
	if f.tokens != nil {
		rows = f.tokens(b, x)
	} else {
		rows = b.Extension("ByteTokens", "test", nil, x)
	}
	of := func(layer edit.Source) [3]edit.Source {
		return [3]edit.Source{output(layer, 0), output(layer, 1), output(layer, 2)}
	}
	at := of(rows)
	if f.cut {
		limit := b.Layer("Select", 1, nil, b.Constant(boolean(t, false)), scalar(b, f.limit), scalar(b, 1<<31-1))
		at = of(b.Extension("Truncate", "extension", edit.Attributes("m_num_inputs", "1"), at[0], at[1], at[2], limit, b.ConstantOf([]byte(f.side), len(f.side)), b.ConstantOf([]byte(f.mode), len(f.mode))))
	}
	begins, ends, data := at[0], at[1], at[2]
	types := [3]edit.Source{}
	if f.combined {
		zero, one := scalar(b, 0), scalar(b, 1)
		combined := b.Extension("CombineSegments", "extension", nil, zero, one, b.ConstantOf([]int32{1}, 1), begins, ends, data, zero, one, b.ConstantOf([]int32{2}, 1), b.ConstantOf([]int32{0, 0, 0}, 3))
		begins, ends, data = output(combined, 0), output(combined, 1), output(combined, 2)
		types = [3]edit.Source{output(combined, 3), output(combined, 4), output(combined, 5)}
	}
	longest := b.Layer("ReduceMax", 1, edit.Attributes("keep_dims", "false"), b.Layer("Subtract", 1, nil, ends, begins), b.ConstantOf([]int32{0}, 1))
	if f.length > 0 {
		longest = scalar(b, f.length)
	}
	side := edit.Attributes("pad_right", fmt.Sprint(f.right))
	dense := b.Extension("RaggedToDense", "extension", side, begins, ends, data, longest, scalar(b, 9))
	b.Result("input_ids", b.NameTensor(b.Layer("Convert", 1, edit.Attributes("destination_type", "i64"), output(dense, 0)), "input_ids"))
	if f.types {
		d := b.Extension("RaggedToDense", "extension", side, types[0], types[1], types[2], longest, scalar(b, 7))
		b.Result("token_type_ids", b.NameTensor(b.Layer("Convert", 1, edit.Attributes("destination_type", "i64"), output(d, 0)), "token_type_ids"))
	}
	b.Result("attention_mask", b.NameTensor(b.Layer("Convert", 1, edit.Attributes("destination_type", "i64"), output(dense, 1)), "attention_mask"))
	write(t, all, tokenizerXML, b)

	b = edit.NewBuilder(t.Context(), rules(t), "detokenizer")
	ids := b.Parameter("ids", ir.I64, ir.ShapeOfRank(2))
	vocabulary := b.ConstantOf([]int32{}, 0)
	b.Result("string_output", b.Extension("VocabDecoder", "test", edit.Attributes("skip_tokens", ""), ids, vocabulary, vocabulary, vocabulary, b.ConstantOf([]int32{2}, 1)))
	write(t, all, detokenizerXML, b)
	return all
}

// scalar returns a constant of one i32.
func scalar(b *edit.Builder, value int32) edit.Source {
	tensor, err := ir.NewTensor(ir.I32)
	if err != nil {
		panic(err)
	}
	ir.Data[int32](tensor)[0] = value
	return b.Constant(tensor)
}

func boolean(t testing.TB, value bool) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.Boolean)
	require.NoError(t, err)
	if value {
		tensor.Bytes()[0] = 1
	}
	return tensor
}

// withInfo adds elements to the rt_info of the tokenizer.
func withInfo(files fstest.MapFS, elements string) fstest.MapFS {
	xml := string(files[tokenizerXML].Data)
	end := strings.LastIndex(xml, "</net>")
	if at := strings.LastIndex(xml, "<rt_info"); at > strings.LastIndex(xml, "</edges>") {
		end = at
	}
	files[tokenizerXML] = &fstest.MapFile{Data: []byte(xml[:end] + "<rt_info>" + elements + "</rt_info></net>")}
	return files
}

func open(t testing.TB, files fstest.MapFS) *Tokenizer {
	t.Helper()
	tokenizer, err := options().OpenFS(files, ".")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tokenizer.Close()) })
	return tokenizer
}

const pairInfo = `<processed_post_processor_template value="{&quot;pair&quot;:{&quot;ids&quot;:[1,-1,3,-1,2],&quot;type_ids&quot;:[0,0,0,1,1]}}"/>`

func TestEncode(t *testing.T) {
	tokenizer := open(t, withInfo(files(t, usual), pairInfo))
	for _, c := range []struct {
		texts   []string
		options EncodeOptions
		ids     string
		types   string
	}{
		{[]string{"ab", ""}, EncodeOptions{}, "1 97 98 2|1 2 9 9", "0 0 0 0|0 0 7 7"},
		{[]string{"ab", ""}, EncodeOptions{PaddingSide: PaddingLeft}, "1 97 98 2|9 9 1 2", "0 0 0 0|7 7 0 0"},
		{[]string{"ab"}, EncodeOptions{NoSpecialTokens: true}, "97 98", "0 0"},
		{[]string{"abcd"}, EncodeOptions{MaxLength: 4, Truncation: true}, "1 97 98 2", "0 0 0 0"},
		{[]string{"abcd"}, EncodeOptions{MaxLength: 3, Truncation: true, NoSpecialTokens: true}, "97 98 99", "0 0 0"},
		{[]string{"a"}, EncodeOptions{MaxLength: 5, PadToMaxLength: true}, "1 97 2 9 9", "0 0 0 7 7"},
		{[]string{"abcd"}, EncodeOptions{MaxLength: 5, PadToMaxLength: true}, "1 97 98 99 100 2", "0 0 0 0 0 0"},
		{[]string{"ab"}, EncodeOptions{Pairs: []string{"c", "d"}}, "1 97 98 3 99 2|1 97 98 3 100 2", "0 0 0 0 1 1|0 0 0 0 1 1"},
		{[]string{"ab", "c"}, EncodeOptions{Pairs: []string{"d"}, NoSpecialTokens: true}, "97 98 100|99 100 9", "0 0 1|0 1 7"},
		{[]string{"abcd"}, EncodeOptions{Pairs: []string{"efgh"}, MaxLength: 6, Truncation: true}, "1 97 98 3 101 2", "0 0 0 0 1 1"},
		{[]string{"", ""}, EncodeOptions{}, "1 2|1 2", "0 0|0 0"},
		{nil, EncodeOptions{}, "", ""},
	} {
		got, err := tokenizer.Encode(t.Context(), c.texts, c.options)
		require.NoError(t, err)
		assert.Equal(t, c.ids, lines(got.IDs, got), "%q %+v", c.texts, c.options)
		assert.Equal(t, c.types, lines(got.TypeIDs, got), "%q %+v", c.texts, c.options)
		for i, id := range got.IDs {
			assert.Equal(t, id != 9, got.Mask[i] == 1)
		}
	}
	for want, o := range map[string]EncodeOptions{
		`padding side is "middle", expected left or right`:                        {PaddingSide: "middle"},
		"the maximal length is negative: -1":                                      {MaxLength: -1},
		"the maximal length is 1, fewer than the 2 special tokens":                {MaxLength: 1, Truncation: true},
		"the tokenizer states no maximal length":                                  {Truncation: true},
		"there are 2 texts and 3 pairs":                                           {Pairs: []string{"a", "b", "c"}},
		"2 rows of 1073741824 tokens are more than the limit of 134217728 tokens": {MaxLength: 1 << 30, PadToMaxLength: true},
	} {
		_, err := tokenizer.Encode(t.Context(), []string{"a", "b"}, o)
		assert.EqualError(t, err, want)
	}
	few := options()
	few.Limits.MaxTensorBytes = 100
	small, err := few.OpenFS(files(t, usual), ".")
	require.NoError(t, err)
	defer small.Close()
	_, err = small.Encode(t.Context(), []string{"abcdef", "a", "b", "c"}, EncodeOptions{})
	assert.EqualError(t, err, "4 rows of 8 tokens are more than the limit of 25 tokens")
	n, err := tokenizer.CountTokens(t.Context(), "abc", true)
	require.NoError(t, err)
	assert.Equal(t, 5, n)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = tokenizer.CountTokens(ctx, "abc", true)
	assert.ErrorIs(t, err, context.Canceled)
}

// lines returns the rows of an Encoding as text.
func lines(values []int32, e *Encoding) string {
	var rows []string
	for i := range e.Rows {
		rows = append(rows, strings.Trim(fmt.Sprint(values[i*e.Length:(i+1)*e.Length]), "[]"))
	}
	return strings.Join(rows, "|")
}

// TestEncode_forms has the forms of graphs: those whose end is recognised give the same as the
// whole graph.
func TestEncode_forms(t *testing.T) {
	for name, c := range map[string]struct {
		form       form
		recognised bool
		// "abcd" with truncation to the length that the graph states, "" for an error
		truncated string
	}{
		"usual":        {usual, true, ""},
		"left":         {form{cut: true, combined: true, side: "left", mode: "only_first", limit: 3, types: true}, true, "1 98 99 100 2"},
		"not cut":      {form{combined: true, right: true, types: true}, true, ""},
		"not combined": {form{cut: true, right: true, side: "right", mode: "only_second", limit: 3}, true, "97 98 99"},
		"fixed length": {form{cut: true, combined: true, right: true, side: "right", mode: "longest_first", limit: 2, types: true, length: 6}, true, "1 97 98 2"},
		"unknown side": {form{cut: true, combined: true, right: true, side: "middle", mode: "longest_first", limit: 2, types: true}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			all := files(t, c.form)
			model, err := irxml.ReadFS(all, tokenizerXML, irxml.ReadOptions{})
			require.NoError(t, err)
			defer model.Close()
			tail, _ := tailOf(model)
			assert.Equal(t, c.recognised, tail != nil)
			tokenizer := open(t, all)
			if !c.recognised {
				_, err := tokenizer.Encode(t.Context(), []string{"a"}, EncodeOptions{})
				assert.ErrorContains(t, err, "side is ")
				return
			}
			texts := []string{"ab", "", "abcd"}
			got, err := tokenizer.Encode(t.Context(), texts, EncodeOptions{PadToMaxLength: c.form.length > 0})
			require.NoError(t, err)
			whole, err := newWhole(t, tokenizer, model)
			require.NoError(t, err)
			want, err := whole.encodeWhole(t.Context(), texts, &EncodeOptions{})
			require.NoError(t, err)
			assert.Equal(t, want, got)
			cut, err := tokenizer.Encode(t.Context(), []string{"abcd"}, EncodeOptions{Truncation: true})
			if c.truncated == "" {
				assert.EqualError(t, err, "the tokenizer states no maximal length")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.truncated, lines(cut.IDs, cut))
		})
	}
}

// newWhole returns an encoder that runs the model as a whole.
func newWhole(t *testing.T, tokenizer *Tokenizer, model *ir.Model) (*encoder, error) {
	main, err := tokenizer.compile(t.Context(), model)
	if err != nil {
		return nil, err
	}
	e := &encoder{main: main, types: denseOf(model, "token_type_ids") != nil}
	_, err = e.encodeWhole(t.Context(), []string{"a"}, &EncodeOptions{Pairs: []string{"b"}})
	assert.EqualError(t, err, "the graph of the tokenizer has a form in which texts cannot be joined")
	return e, nil
}

func TestDecode(t *testing.T) {
	tokenizer := open(t, files(t, usual))
	texts, err := tokenizer.Decode(t.Context(), [][]int32{{'a', 2, 'b'}, {}, {'c'}}, DecodeOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"ab", "", "c"}, texts)
	texts, err = tokenizer.Decode(t.Context(), [][]int32{{'a', 2, 'b'}}, DecodeOptions{KeepSpecialTokens: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"a\x02b"}, texts)
	text, err := tokenizer.AppendDecode(t.Context(), []byte("x"), []int32{'a'})
	require.NoError(t, err)
	assert.Equal(t, "xa", string(text))

	all := files(t, usual)
	delete(all, detokenizerXML)
	_, err = open(t, all).Decode(t.Context(), [][]int32{{1}}, DecodeOptions{})
	assert.Equal(t, ErrNoDetokenizer, err)
}

// TestTokenizer_goroutines encodes and decodes on many goroutines.
func TestTokenizer_goroutines(t *testing.T) {
	tokenizer := open(t, files(t, usual))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			text := strings.Repeat(string(rune('a'+i)), i)
			for range 20 {
				ids, err := tokenizer.AppendEncode(t.Context(), nil, text, i%2 == 0)
				if !assert.NoError(t, err) {
					return
				}
				if i%2 == 0 {
					ids = ids[1 : len(ids)-1]
				}
				texts, err := tokenizer.Decode(t.Context(), [][]int32{ids}, DecodeOptions{KeepSpecialTokens: i > 4})
				assert.NoError(t, err)
				assert.Equal(t, []string{text}, texts)
			}
		})
	}
	wg.Wait()
}

func TestSpecial(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	all := files(t, usual)
	all["config.json"] = file(`{"bos_token_id":65,"eos_token_id":[66,67],"pad_token_id":null}`)
	all["special_tokens_map.json"] = file(`{"bos_token":"<s>","eos_token":{"content":"</s>"},"pad_token":7}`)
	all["tokenizer_config.json"] = file(`{"bos_token":"other","pad_token":"<pad>","added_tokens_decoder":{"5":{"content":"<pad>"}},"chat_template":[{"name":"tools","template":"t"},{"name":"default","template":"first"}]}`)
	tokenizer := open(t, all)
	assert.Equal(t, Special{BOSID: 65, EOSID: 66, PadID: 5, BOS: "<s>", EOS: "</s>", Pad: "<pad>"}, tokenizer.Special())
	assert.Equal(t, "first", tokenizer.ChatTemplate())

	all["chat_template.json"] = file(`{"chat_template":{"default":"second"}}`)
	assert.Equal(t, "second", open(t, all).ChatTemplate())
	all["chat_template.jinja"] = file("third")
	assert.Equal(t, "third", open(t, all).ChatTemplate())
	withInfo(all, `<chat_template value="fourth"/><bos_token_id value="97"/><eos_token_id value="66"/><pad_token_id/>`)
	tokenizer = open(t, all)
	assert.Equal(t, "fourth", tokenizer.ChatTemplate())
	assert.Equal(t, Special{BOSID: 97, EOSID: 66, PadID: 5, BOS: "a", EOS: "</s>", Pad: "<pad>"}, tokenizer.Special())

	named := withInfo(files(t, usual), `<chat_template><default value="fifth"/></chat_template>`)
	tokenizer = open(t, named)
	assert.Equal(t, "fifth", tokenizer.ChatTemplate())
	assert.Equal(t, Special{BOSID: -1, EOSID: -1, PadID: -1}, tokenizer.Special())
}

func TestOpen_errors(t *testing.T) {
	_, err := Open(t.TempDir())
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = OpenFS(files(t, usual), ".")
	var unsupported *plugin.UnsupportedError
	assert.ErrorAs(t, err, &unsupported, "ByteTokens is an operation of the tests")
	for name, text := range map[string]string{"config.json": "{", detokenizerXML: "<net"} {
		all := files(t, usual)
		all[name] = &fstest.MapFile{Data: []byte(text)}
		_, err := options().OpenFS(all, ".")
		assert.ErrorContains(t, err, name)
	}
	for value, want := range map[string]string{
		"{": "rt_info processed_post_processor_template: ",
		`{&quot;pair&quot;:{&quot;ids&quot;:[1,-1],&quot;type_ids&quot;:[0]}}`:   "a pair has 2 ids and 1 type_ids",
		`{&quot;pair&quot;:{&quot;ids&quot;:[1,-1],&quot;type_ids&quot;:[0,0]}}`: "a pair has 1 texts",
	} {
		_, err := options().OpenFS(withInfo(files(t, usual), `<processed_post_processor_template value="`+value+`"/>`), ".")
		assert.ErrorContains(t, err, want)
	}
}

// FuzzConfig reads any JSON file.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"bos_token_id":1,"eos_token":{"content":"x"},"chat_template":[{"name":"default","template":"t"}],"added_tokens_decoder":{"5":{"content":"x"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c config
		if json.Unmarshal(data, &c) == nil {
			c.apply(&folder{special: Special{BOSID: -1, EOSID: -1, PadID: -1}})
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	tokenizer := open(b, files(b, usual))
	for b.Loop() {
		if _, err := tokenizer.CountTokens(b.Context(), "a prompt of 25 characters", true); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTokenizer_Defaults has what the graph states.
func TestTokenizer_Defaults(t *testing.T) {
	f := usual
	f.right, f.limit = false, 30
	for _, c := range []struct {
		form form
		want Defaults
	}{
		{usual, Defaults{PaddingSide: PaddingRight, PadID: 9, PadTypeID: 7}},
		{f, Defaults{MaxLength: 32, PaddingSide: PaddingLeft, PadID: 9, PadTypeID: 7}},
	} {
		tokenizer, err := options().OpenFS(files(t, c.form), ".")
		require.NoError(t, err)
		assert.Equal(t, c.want, tokenizer.Defaults())
		require.NoError(t, tokenizer.Close())
	}
}
