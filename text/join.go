package text

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// tokenRows are the tokens of texts.
type tokenRows struct {
	ragged.Rows
	ids []int32
}

// rowsOf returns the outputs of a request: begins, ends and data, for n texts. It checks the
// ranges. RegexSplit makes one row of texts that are all empty, or of none.
func rowsOf(request *plugin.InferRequest, n int) (tokenRows, error) {
	var parts [3][]int32
	for i := range parts {
		t := request.Output(i)
		if t.ElementType() != ir.I32 {
			return tokenRows{}, faults.Errorf("output %d of the tokenizer is %v, expected i32", i, t.ElementType())
		}
		parts[i] = ir.Data[int32](t)
	}
	rows := tokenRows{ragged.Rows{Begins: parts[0], Ends: parts[1]}, parts[2]}
	if len(rows.ids) == 0 && rows.Len() == 1 {
		rows.Begins, rows.Ends = make([]int32, n), make([]int32, n)
	}
	if rows.Len() != n {
		return tokenRows{}, faults.Errorf("the tokenizer has %d rows of tokens for %d texts", rows.Len(), n)
	}
	return rows, rows.Check("tokens", len(rows.ids))
}

// joiner makes the rows of an Encoding.
type joiner struct {
	tail     *tail
	options  *EncodeOptions
	segments []segment
	limit    int
	tokens   tokenRows
	all      []string // first texts, then second ones
	texts    int      // how many of them are first texts
	work     *work    // has the offsets of tokens; nil if they are not asked for
}

// part is a range of tokens, and the text that they come from.
type part struct{ begin, end, text int }

func (p part) len() int { return p.end - p.begin }

// parts returns the tokens of the two texts of a row, after truncation.
func (j *joiner) parts(row int) (first, second part) {
	first = j.of(min(row, j.texts-1))
	if len(j.options.Pairs) == 0 {
		return j.cut(first, min(first.len(), j.limit)), part{}
	}
	second = j.of(j.texts + min(row, len(j.options.Pairs)-1))
	a, b := j.tail.rule.Cut(first.len(), second.len(), j.limit)
	return j.cut(first, a), j.cut(second, b)
}

func (j *joiner) of(i int) part { return part{int(j.tokens.Begins[i]), int(j.tokens.Ends[i]), i} }

func (j *joiner) idsOf(p part) []int32 { return j.tokens.ids[p.begin:p.end] }

func (j *joiner) cut(p part, n int) part {
	if j.tail.left {
		p.begin = p.end - n
	} else {
		p.end = p.begin + n
	}
	return p
}

// length returns the number of tokens of a row with two texts.
func (j *joiner) length(first, second part) (n int) {
	for i := range j.segments {
		if !j.options.NoSpecialTokens || j.segments[i].text > 0 {
			n += len(tokensOf(j.segments, i, j.idsOf(first), j.idsOf(second)))
		}
	}
	return n
}

// join sets the rows of e, the Encoding that of makes.
func (j *joiner) join(e *Encoding, of *encoder) error {
	for row := range e.Rows {
		e.Length = max(e.Length, j.length(j.parts(row)))
	}
	if j.options.PadToMaxLength {
		length := j.options.MaxLength
		if length == 0 {
			length = j.tail.length
		}
		if length == 0 && j.tail.limit < unlimited {
			length = j.tail.limit + specials(j.tail.segments)
		}
		e.Length = max(e.Length, length)
	}
	left := j.tail.padLeft
	if side := j.options.PaddingSide; side != "" {
		left = side == PaddingLeft
	}
	if e.Rows > 0 && int64(e.Length) > of.maxTokens/int64(e.Rows) {
		return faults.Errorf("%d rows of %d tokens are more than the limit of %d tokens", e.Rows, e.Length, of.maxTokens)
	}
	n, types := e.Rows*e.Length, of.types
	e.IDs, e.Mask = make([]int32, 0, n), make([]uint8, n)
	if types {
		e.TypeIDs = make([]int32, 0, n)
	}
	if j.work != nil {
		e.Offsets = make([]Offset, 0, n)
	}
	for row := range e.Rows {
		first, second := j.parts(row)
		length := j.length(first, second)
		if left {
			e.pad(j.tail, e.Length-length, types)
		}
		for i := range length {
			e.Mask[len(e.IDs)+i] = 1
		}
		for i := range j.segments {
			s := &j.segments[i]
			tokens := tokensOf(j.segments, i, j.idsOf(first), j.idsOf(second))
			if s.text == 0 && j.options.NoSpecialTokens {
				continue
			}
			if s.text > 0 {
				e.Offsets = j.appendOffsets(e.Offsets, [...]part{first, second}[s.text-1], s.text)
			} else if j.work != nil {
				e.Offsets = append(e.Offsets, make([]Offset, len(tokens))...)
			}
			e.IDs = append(e.IDs, tokens...)
			for range tokens {
				if types {
					e.TypeIDs = append(e.TypeIDs, s.typeID)
				}
			}
		}
		if !left {
			e.pad(j.tail, e.Length-length, types)
		}
	}
	return nil
}

// pad appends padding.
func (e *Encoding) pad(t *tail, n int, types bool) {
	for range n {
		e.IDs = append(e.IDs, t.pad)
		if types {
			e.TypeIDs = append(e.TypeIDs, t.typePad)
		}
		if e.Offsets != nil {
			e.Offsets = append(e.Offsets, Offset{})
		}
	}
}

// appendOffsets appends the offsets of the tokens that a row has of its first or second text, if
// they are asked for.
func (j *joiner) appendOffsets(dst []Offset, of part, number int) []Offset {
	if j.work == nil {
		return dst
	}
	// A post-processor trims what a row has of a text. Other rows can have other parts of it.
	list := slices.Clone(j.work.offsets[of.begin:of.end])
	if t := j.work.exact; t != nil {
		t.Trim(list, j.all[of.text], number, !j.options.NoSpecialTokens)
	}
	for _, o := range list {
		dst = append(dst, Offset{int(o.Begin), int(o.End)})
	}
	return dst
}
