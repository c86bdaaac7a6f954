package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/text/detokenize"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
)

// direct is a detokenizer that is computed without its graph: the words of tokens one after the
// other, as bytes where they are byte tokens, repaired where they are not UTF-8.
type direct struct {
	words ragged.Strings
	skip  []bool // by token; shorter if no later one is skipped
	// bytes, valid and replace say which steps there are: ByteFallback, UTF8Validate, and its
	// replace_mode.
	bytes, valid, replace bool
}

// directOf recognises a detokenizer of the usual form:
//
//	VocabDecoder → [ByteFallback] → FuzeRagged → [UTF8Validate] → StringTensorPack
//
// It returns nil for any other.
func directOf(model *ir.Model) *direct {
	if len(model.Results) != 1 || len(model.Parameters) != 1 {
		return nil
	}
	d := &direct{}
	pack := model.Results[0].Inputs[0].Source
	if pack.Type != "StringTensorPack" || len(pack.Inputs) != 3 {
		return nil
	}
	chain := pack.Inputs
	if validate := chain[0].Source; validate.Type == "UTF8Validate" && reads(chain, validate, 0, 1, 2) {
		d.valid, d.replace = true, ir.AttributesOf(validate).Bool("replace_mode", false)
		chain = validate.Inputs
	}
	fuze := chain[0].Source
	if fuze.Type != "FuzeRagged" || len(fuze.Inputs) != 4 || !reads(chain[:2], fuze, 0, 1) {
		return nil
	}
	decoder := fuze.Inputs[0].Source
	words := append(slices.Clone(fuze.Inputs[2:]), chain[2])
	if fallback := words[0].Source; fallback.Type == "ByteFallback" && reads(words, fallback, 0, 1, 2) {
		d.bytes, words = true, fallback.Inputs
	}
	if decoder.Type != "VocabDecoder" || !reads(fuze.Inputs[:2], decoder, 0, 1) || !reads(words, decoder, 2, 3, 4) || !d.addWords(decoder) {
		return nil
	}
	ids := decoder.Inputs[0].Source
	for ids.Type == "Convert" && len(ids.Inputs) == 1 {
		ids = ids.Inputs[0].Source
	}
	if ids != model.Parameters[0] {
		return nil
	}
	return d
}

// reads reports whether inputs read the given outputs of layer.
func reads(inputs []ir.Input, layer *ir.Layer, outputs ...int) bool {
	if len(inputs) != len(outputs) {
		return false
	}
	for i := range inputs {
		if inputs[i].Source != layer || inputs[i].SourceIndex != outputs[i] {
			return false
		}
	}
	return true
}

// addWords adds the vocabulary and the skipped tokens of a VocabDecoder. It returns false if they
// are not constant, or the ranges of words are wrong.
func (d *direct) addWords(decoder *ir.Layer) bool {
	if len(decoder.Inputs) < 4 {
		return false
	}
	var tensors [3]*ir.Tensor
	for i := range tensors {
		source := decoder.Inputs[1+i].Source
		if source.Type != "Constant" || source.Constant == nil || source.Constant.ElementType() != []ir.ElementType{ir.I32, ir.I32, ir.U8}[i] {
			return false
		}
		tensors[i] = source.Constant
	}
	d.words = ragged.Strings{Begins: ir.Data[int32](tensors[0]), Ends: ir.Data[int32](tensors[1]), Chars: tensors[2].Bytes()}
	if d.words.Check("vocabulary") != nil {
		return false
	}
	skip, ok := []int64(nil), true
	if len(decoder.Inputs) > 4 {
		if skip, ok = skippedOf(decoder.Inputs[4]); !ok {
			return false
		}
	} else {
		text, _ := ir.AttributesOf(decoder).Lookup("skip_tokens")
		for field := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ',' || c == ' ' }) {
			id, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return false
			}
			skip = append(skip, id)
		}
	}
	for _, id := range skip {
		if id < 0 || id >= int64(d.words.Len()) {
			continue
		}
		if n := int(id) + 1 - len(d.skip); n > 0 {
			d.skip = append(d.skip, make([]bool, n)...)
		}
		d.skip[id] = true
	}
	return true
}

// skippedOf returns the tokens of a constant, or of a Slice of a constant vector from its start
// with step 1.
func skippedOf(in ir.Input) ([]int64, bool) {
	slice := in.Source
	if slice.Type != "Slice" {
		return numbersOf(in)
	}
	if len(slice.Inputs) < 4 {
		return nil, false
	}
	all, ok := numbersOf(slice.Inputs[0])
	for i, want := range map[int]int64{1: 0, 3: 1, 4: 0} {
		if i >= len(slice.Inputs) {
			continue
		}
		if values, ok := numbersOf(slice.Inputs[i]); !ok || len(values) != 1 || values[0] != want {
			return nil, false
		}
	}
	stop, okStop := numbersOf(slice.Inputs[2])
	if !ok || !okStop || len(stop) != 1 || stop[0] < 0 {
		return nil, false
	}
	return all[:min(stop[0], int64(len(all)))], true
}

// append appends the text of tokens, with those that are skipped if keep is set.
func (d *direct) append(dst []byte, tokens []int32, keep bool) []byte {
	start := len(dst)
	for _, id := range tokens {
		switch {
		case id < 0 || int(id) >= d.words.Len(), !keep && int(id) < len(d.skip) && d.skip[id]:
		case d.bytes:
			dst = detokenize.AppendBytes(dst, d.words.At(int(id)))
		default:
			dst = append(dst, d.words.At(int(id))...)
		}
	}
	if text := dst[start:]; d.valid && !detokenize.IsValid(text) {
		dst = detokenize.AppendValid(dst[:start], slices.Clone(text), d.replace)
	}
	return dst
}
