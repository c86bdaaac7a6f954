package tokenizer

import (
	"slices"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/internal/text/longest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// finder finds tokens. It belongs to one Run.
type finder struct {
	*kernel
	run      *ops.Run
	matchers []*longest.Matcher
	owed     int64 // bytes of the matchers that are not reserved yet
	meter    parallel.Meter
	found    []string // tokens of all texts, which share the memory of these
	ends     []int    // of the tokens of each text in found
	pieces   []string // what a separator has left, while others follow
	shape    ir.Shape
}

func newFinder(k *kernel) *finder {
	f := &finder{kernel: k}
	for _, re := range k.expressions {
		f.matchers = append(f.matchers, re.Matcher())
		f.owed = memory.Sum(f.owed, re.Bytes())
	}
	return f
}

// findAll finds the tokens of all texts, and returns the largest number of tokens of one.
func (f *finder) findAll(r *ops.Run) (most int, err error) {
	texts := r.Inputs[0].Strings()
	f.run, f.meter = r, r.Stop.Meter()
	if err := r.Reserve(memory.Sum(f.owed, memory.Size[int](max(len(texts)-cap(f.ends), 0)))); err != nil {
		return 0, err
	}
	f.owed, f.found, f.ends = 0, f.found[:0], slices.Grow(f.ends[:0], len(texts))
	for i, text := range texts {
		if f.meter.Spent(10 + len(text)/4) {
			return 0, parallel.ErrStopped
		}
		if !utf8.ValidString(text) {
			return 0, faults.Errorf("element %d of data is %s, which is not UTF-8", i, printable.Quote(text, maxText))
		}
		before := len(f.found)
		if err := f.find(text); err != nil {
			return 0, err
		}
		f.ends = append(f.ends, len(f.found))
		most = max(most, len(f.found)-before)
	}
	return most, nil
}

// grown returns a list with room for n more elements. It asks the limits of memory before.
func (f *finder) grown(list []string, n int) ([]string, error) {
	if len(list)+n <= cap(list) {
		return list, nil
	}
	n = max(n, len(list), 64)
	if err := f.run.Reserve(memory.Size[string](len(list) + n - cap(list))); err != nil {
		return nil, err
	}
	return slices.Grow(list, n), nil
}

// add adds a token.
func (f *finder) add(token string) (err error) {
	f.found, err = f.grown(f.found, 1)
	f.found = append(f.found, token)
	return err
}

// find adds the tokens of a text to found.
func (f *finder) find(text string) error {
	switch f.mode {
	case tokens:
		return f.matches(text)
	case separators:
		return f.separated(text)
	}
	for i, c := range text {
		if err := f.add(text[i : i+utf8.RuneLen(c)]); err != nil {
			return err
		}
	}
	return nil
}

// isToken reports whether a text has enough characters.
func (f *finder) isToken(text string) bool {
	return len(text) >= f.shortest && utf8.RuneCountInString(text) >= f.shortest
}

// matches adds the matches of the expression.
func (f *finder) matches(text string) error {
	for at := 0; at <= len(text); {
		begin, end, err := f.matchers[0].Find(text, at, &f.meter)
		if begin < 0 || err != nil {
			return err
		}
		if match := text[begin:end]; !f.isToken(match) {
			at = behind(text, begin)
		} else if err := f.add(match); err != nil {
			return err
		} else {
			at = end
		}
	}
	return nil
}

// behind returns the place behind a character, or a place behind the end of the text.
func behind(text string, at int) int {
	_, n := utf8.DecodeRuneInString(text[at:])
	return at + max(n, 1)
}

// separated adds what is between matches. The pieces that one expression leaves are at the end of
// found, where the next one replaces them.
func (f *finder) separated(text string) error {
	start := len(f.found)
	if err := f.add(text); err != nil {
		return err
	}
	for _, m := range f.matchers {
		pieces, err := f.grown(f.pieces[:0], len(f.found)-start)
		if err != nil {
			return err
		}
		f.pieces = append(pieces, f.found[start:]...)
		f.found = f.found[:start]
		for _, piece := range f.pieces {
			if err := f.split(m, piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// split adds what is between the matches of one expression.
func (f *finder) split(m *longest.Matcher, text string) error {
	for at := 0; at <= len(text); {
		begin, end, err := m.Find(text, at, &f.meter)
		if err != nil {
			return err
		}
		next := end
		switch {
		case begin < 0:
			begin, next = len(text), len(text)+1
		case begin == end:
			next = behind(text, begin)
		}
		if piece := text[at:begin]; f.isToken(piece) {
			if err := f.add(piece); err != nil {
				return err
			}
		}
		at = next
	}
	return nil
}
