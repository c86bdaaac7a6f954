package text

import (
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
)

// tail is the end of a tokenizer's graph: after the tokens of each text, special tokens stand
// around them, and the rows are cut and padded. Encode does these steps itself, as options change
// them.
type tail struct {
	// segments are the parts of a row, one of which is the text.
	segments []segment
	// left and rule say how rows are cut, limit to how many tokens of the text.
	left  bool
	rule  ragged.Truncation
	limit int
	// pad fills rows up, typePad their types, at the start if padLeft is set.
	pad, typePad int32
	padLeft      bool
	// length is the length that the graph gives all rows, if it is constant; else 0. As in OpenVINO
	// GenAI, only PadToMaxLength asks for it.
	length int
}

// segment is a part of a row: fixed tokens, or the tokens of a text.
type segment struct {
	tokens []int32
	typeID int32
	text   int // 1 or 2 for the first or second text, 0 for fixed tokens
	// once means that the fixed tokens are left out behind a text that ends with them.
	once bool
}

// tokensOf returns the tokens of segment i of a row with two texts.
func tokensOf(segments []segment, i int, first, second []int32) []int32 {
	s := &segments[i]
	tokens := [][]int32{s.tokens, first, second}[s.text]
	if s.once && i > 0 {
		before := tokensOf(segments, i-1, first, second)
		if n := len(before) - len(tokens); n >= 0 && slices.Equal(before[n:], tokens) {
			return nil
		}
	}
	return tokens
}

// unlimited is the limit above which converters mean none.
const unlimited = 1 << 30

// specials returns the number of fixed tokens of segments.
func specials(segments []segment) (n int) {
	for i := range segments {
		n += len(segments[i].tokens)
	}
	return n
}

// append appends the tokens of a text to dst, with special tokens around them if special is set.
func (t *tail) append(dst, tokens []int32, special bool) []int32 {
	for i := range t.segments {
		if special || t.segments[i].text > 0 {
			dst = append(dst, tokensOf(t.segments, i, tokens, nil)...)
		}
	}
	return dst
}

// tailOf recognises the end of a graph, and the tensors with the tokens of the texts: begins, ends
// and data. It returns nil if the graph has another form.
func tailOf(model *ir.Model) (t *tail, rows []ir.Input) {
	dense := denseOf(model, "input_ids")
	if dense == nil || len(dense.Inputs) < 5 {
		return nil, nil
	}
	t = &tail{limit: unlimited, segments: []segment{{text: 1}}}
	a := ir.AttributesOf(dense)
	t.padLeft = !a.Bool("pad_right", true)
	if len(dense.Inputs) > 5 {
		right, ok := numbersOf(dense.Inputs[5])
		if !ok || len(right) != 1 {
			return nil, nil
		}
		t.padLeft = right[0] == 0
	}
	pad, ok := numbersOf(dense.Inputs[4])
	if !ok || len(pad) != 1 || a.Err() != nil || a.Bool("m_pad_max_length", false) {
		return nil, nil
	}
	t.pad = int32(pad[0])
	if length, ok := numbersOf(dense.Inputs[3]); ok && len(length) == 1 {
		t.length = int(length[0])
	}
	if types := denseOf(model, "token_type_ids"); types != nil && len(types.Inputs) >= 5 {
		if pad, ok := numbersOf(types.Inputs[4]); ok && len(pad) == 1 {
			t.typePad = int32(pad[0])
		}
	}
	rows = dense.Inputs[:3]
	if combine := rows[0].Source; combine.Type == "CombineSegments" {
		if rows = t.addSegments(combine); rows == nil {
			return nil, nil
		}
	}
	if cut := rows[0].Source; cut.Type == "Truncate" && len(cut.Inputs) == 6 {
		if !t.addTruncate(cut) {
			return nil, nil
		}
		rows = cut.Inputs[:3]
	}
	return t, rows
}

// addSegments adds the segments of CombineSegments. It returns the rows of the one that is not
// constant; nil if there is not exactly one.
func (t *tail) addSegments(combine *ir.Layer) (rows []ir.Input) {
	n := len(combine.Inputs) / 3
	ids, ok := numbersOf(combine.Inputs[len(combine.Inputs)-1])
	if !ok || len(ids) != n {
		return nil
	}
	t.segments = nil
	for i := range n {
		s := segment{typeID: int32(ids[i])}
		parts := combine.Inputs[3*i : 3*i+3]
		begins, constant := numbersOf(parts[0])
		ends, ok := numbersOf(parts[1])
		data, okData := numbersOf(parts[2])
		switch {
		case constant && ok && okData && len(begins) == 1 && len(ends) == 1 && 0 <= begins[0] && begins[0] <= ends[0] && ends[0] <= int64(len(data)):
			for _, id := range data[begins[0]:ends[0]] {
				s.tokens = append(s.tokens, int32(id))
			}
		case rows == nil && !constant:
			s.text, rows = 1, parts
		default:
			return nil
		}
		t.segments = append(t.segments, s)
	}
	return rows
}

// addTruncate adds the rules of Truncate. It returns false if they are not constant.
func (t *tail) addTruncate(cut *ir.Layer) bool {
	side, ok := textOf(cut.Inputs[4])
	mode, okMode := textOf(cut.Inputs[5])
	rule := slices.Index([]string{"longest_first", "only_first", "only_second"}, mode)
	if !ok || !okMode || rule < 0 || side != "left" && side != "right" {
		return false
	}
	t.left, t.rule = side == "left", ragged.Truncation(rule)
	limit := cut.Inputs[3]
	if choice := limit.Source; choice.Type == "Select" && len(choice.Inputs) == 3 {
		limit = choice.Inputs[1] // with truncation
	}
	if values, ok := numbersOf(limit); ok && len(values) == 1 && values[0] >= 0 {
		t.limit = int(min(values[0], unlimited))
	}
	return true
}

// denseOf returns the RaggedToDense that the output with a name is converted from; nil if there is
// none.
func denseOf(model *ir.Model, name string) *ir.Layer {
	for _, result := range model.Results {
		if result.Name != name && !slices.Contains(result.OutputNames, name) {
			continue
		}
		layer := result.Inputs[0].Source
		for layer.Type == "Convert" && len(layer.Inputs) == 1 {
			layer = layer.Inputs[0].Source
		}
		if layer.Type == "RaggedToDense" {
			return layer
		}
	}
	return nil
}

// endOf returns the layer that has the tokens of a graph whose end is not recognised: the first one
// from the end that is named for a tokenizer, or else the one that the output has.
func endOf(model *ir.Model) *ir.Layer {
	for _, layer := range slices.Backward(model.Layers) {
		if strings.HasSuffix(layer.Type, "Tokenizer") {
			return layer
		}
	}
	return model.Results[0].Inputs[0].Source
}

// numbersOf returns the numbers of a constant that an input reads.
func numbersOf(in ir.Input) ([]int64, bool) {
	constant := constantOf(in)
	if constant == nil {
		return nil, false
	}
	values, err := constant.Ints()
	return values, err == nil
}

// constantOf returns the constant that an input reads; nil if it reads something else.
func constantOf(in ir.Input) *ir.Tensor {
	if in.Source == nil || in.Source.Type != "Constant" {
		return nil
	}
	return in.Source.Constant
}

// textOf returns the text of a constant u8 vector that an input reads.
func textOf(in ir.Input) (string, bool) {
	constant := constantOf(in)
	if constant == nil || constant.ElementType() != ir.U8 {
		return "", false
	}
	return string(constant.Bytes()), true
}
