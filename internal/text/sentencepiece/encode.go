package sentencepiece

import (
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// Options say which pieces are added to the ids of a text.
type Options struct {
	// BOS and EOS add the pieces of the start and the end of the text. It is an error if the model
	// does not have them. Reverse reverses the ids, with those pieces.
	BOS, EOS, Reverse bool
	// Surfaces keeps the texts of unknown pieces, for Scratch.Unknowns. It is for the best
	// segmentation only, and has no effect on a model with byte_fallback.
	Surfaces bool
	// Samples and Alpha choose a segmentation at random, as the library does: with 0 or 1 sample
	// the best one is taken. A unigram model draws from its best ones, at most 512, each with a
	// probability of its score, to the power of Alpha; from all if Samples is negative. A BPE model
	// leaves out each merge with the probability Alpha. Other models have no samples.
	Samples int
	Alpha   float32
	// Seed of the random numbers: texts with the same seed have the same ids.
	Seed uint64
}

// Check returns an error if the model cannot encode with the options.
func (m *Model) Check(o Options) error {
	if o.BOS && m.bos == m.unknown {
		return faults.Errorf("the model has no piece for the start of text")
	}
	if o.EOS && m.eos == m.unknown {
		return faults.Errorf("the model has no piece for the end of text")
	}
	if o.sampled() && m.kind != unigramModel && m.kind != bpeModel {
		return faults.Errorf("nbest_size is %d, expected 0 or 1 for a model of words or characters", o.Samples)
	}
	if o.Samples > maxSamples {
		return faults.Errorf("nbest_size is %d, expected at most %d", o.Samples, maxSamples)
	}
	return nil
}

func (o *Options) sampled() bool { return o.Samples != 0 && o.Samples != 1 }

// Append appends the ids of text to dst. The model must have passed Check for the options. It
// returns parallel.ErrStopped if it was stopped, and an error of s; and if the text has a control
// symbol as a piece, which the library refuses too, unless the model is read as the latest release
// does. What it returns beside an error is undefined.
func (m *Model) Append(dst []int32, text []byte, o Options, s *Scratch) ([]int32, error) {
	s.start()
	var err error
	if s.text, err = m.normalizer.Append(s.text[:0], text, &s.work); err != nil {
		return dst, err
	}
	base := len(dst)
	if o.BOS {
		if dst, err = appendID(dst, m.bos, s); err != nil {
			return dst, err
		}
	}
	w := writer{model: m, ids: dst, scratch: s, surfaces: o.Surfaces}
	s.unknowns, s.surfaces = s.unknowns[:0], s.surfaces[:0]
	if len(s.text) > 0 {
		switch {
		case m.kind == unigramModel && o.sampled():
			err = m.unigram.sample(&w, s, o)
		case m.kind == unigramModel:
			err = m.unigram.encode(&w, s)
		case m.kind == bpeModel:
			err = m.bpe.encode(&w, s, o)
		case m.kind == wordModel:
			err = m.words(&w, s)
		default:
			err = m.chars(&w, s)
		}
		if err != nil {
			return dst, err
		}
	}
	dst = w.ids
	if o.EOS {
		if dst, err = appendID(dst, m.eos, s); err != nil {
			return dst, err
		}
	}
	if o.Reverse {
		Reverse(dst[base:])
	}
	return dst, nil
}

// Reverse reverses ids.
func Reverse(ids []int32) {
	for i, k := 0, len(ids)-1; i < k; i, k = i+1, k-1 {
		ids[i], ids[k] = ids[k], ids[i]
	}
}

// writer appends the ids of pieces of a text.
type writer struct {
	model   *Model
	ids     []int32
	scratch *Scratch
	unknown bool // the last piece was unknown
	// sawUnknown is set by each unknown piece.
	sawUnknown bool
	surfaces   bool // Options.Surfaces
}

func appendID(ids []int32, id int32, s *Scratch) ([]int32, error) {
	if len(ids) == cap(ids) {
		var err error
		if ids, err = limits.Grow(&s.Limits, ids, len(ids)+1); err != nil {
			return ids, err
		}
	}
	return append(ids, id), nil
}

// add appends the id of a piece. Unknown pieces become bytes, if the model has them, or one id for
// all in a row.
func (w *writer) add(piece []byte, id int32) (err error) {
	m := w.model
	if t := m.types[id]; t == normal {
		w.unknown = false
		w.ids, err = appendID(w.ids, id, w.scratch)
		return err
	} else if t == control && m.latest {
		id = m.unknown
	} else if t == control {
		return faults.Errorf("the text has the control symbol %q as a piece", m.Piece(id))
	}
	if id != m.unknown {
		w.unknown = false
		w.ids, err = appendID(w.ids, id, w.scratch)
		return err
	}
	before := w.unknown
	w.unknown, w.sawUnknown = true, true
	if !m.byteFallback {
		if w.surfaces {
			if err := w.scratch.addUnknown(len(w.ids), piece, before); err != nil {
				return err
			}
		}
		if before {
			return nil
		}
		w.ids, err = appendID(w.ids, id, w.scratch)
		return err
	}
	for _, b := range piece {
		if w.ids, err = appendID(w.ids, m.bytes[b], w.scratch); err != nil {
			return err
		}
	}
	return nil
}

// unknownRun is a run of unknown characters: the position of its id, and where its text ends in
// Scratch.surfaces.
type unknownRun struct{ at, end int }

// addUnknown keeps the text of an unknown piece. joined means that it belongs to the run before it.
func (s *Scratch) addUnknown(at int, text []byte, joined bool) (err error) {
	if cap(s.surfaces)-len(s.surfaces) < len(text) {
		if s.surfaces, err = s.grow(s.surfaces, len(text)); err != nil {
			return err
		}
	}
	s.surfaces = append(s.surfaces, text...)
	if joined {
		s.unknowns[len(s.unknowns)-1].end = len(s.surfaces)
		return nil
	}
	if s.unknowns, err = limits.Grow(&s.Limits, s.unknowns, len(s.unknowns)+1); err != nil {
		return err
	}
	s.unknowns = append(s.unknowns, unknownRun{at, len(s.surfaces)})
	return nil
}

// Unknowns calls use for each unknown piece of the last text that was encoded with Surfaces: with
// the position of its id in the slice that Append returned, and its text as it was normalized,
// which is valid until use returns.
func (s *Scratch) Unknowns(use func(at int, text []byte)) {
	begin := 0
	for _, run := range s.unknowns {
		use(run.at, s.surfaces[begin:run.end])
		begin = run.end
	}
}

// charLen returns the length of the character in front of text, by its first byte alone.
func charLen(text []byte) int {
	n := 1
	switch b := text[0]; {
	case b >= 0xF0:
		n = 4
	case b >= 0xE0:
		n = 3
	case b >= 0xC0:
		n = 2
	}
	return min(n, len(text))
}

// symbolLen returns the length of the symbol in front of text: one that the user defined, or a
// character.
func (m *Model) symbolLen(text []byte) (n int, defined bool) {
	if m.kept != nil {
		if n := m.kept.Longest(text); n > 0 {
			return n, true
		}
	}
	if text[0] < utf8.RuneSelf {
		return 1, false
	}
	return charLen(text), false
}

// chars cuts a text into characters.
func (m *Model) chars(w *writer, s *Scratch) error {
	for rest := s.text; len(rest) > 0; {
		n, _ := m.symbolLen(rest)
		if err := w.add(rest[:n], m.id(rest[:n])); err != nil {
			return err
		}
		if s.meter.Spent(32) {
			return parallel.ErrStopped
		}
		rest = rest[n:]
	}
	return nil
}

// words cuts a text before each space.
func (m *Model) words(w *writer, s *Scratch) error {
	for rest := s.text; len(rest) > 0; {
		n := charLen(rest)
		for n < len(rest) {
			if size := charLen(rest[n:]); string(rest[n:n+size]) != space {
				n += size
				continue
			}
			break
		}
		if err := w.add(rest[:n], m.id(rest[:n])); err != nil {
			return err
		}
		if s.meter.Spent(32 + n) {
			return parallel.ErrStopped
		}
		rest = rest[n:]
	}
	return nil
}
