package regexnormalization

import (
	"bytes"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/split"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// kernel normalizes each string into a buffer of the run, since the length of the result depends on
// the strings, and copies the buffer.
type kernel struct {
	options  split.ReplaceOptions
	skips    bool
	pattern  int             // the input; the next one is the replacement
	replacer *split.Replacer // nil if one of them is not constant
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	n := len(p.Inputs)
	k := &kernel{options: p.Attributes.(split.ReplaceOptions), skips: n == withSkips, pattern: n - 2}
	var err error
	k.replacer, err = Core(p)
	return ops.Only(k.run, err)
}

// Core returns what RegexNormalization does with one string; nil if the pattern or the replacement
// is not constant.
func Core(p *ops.Preparation) (*split.Replacer, error) {
	n := len(p.Inputs)
	pattern, replacement := p.Inputs[n-2].Tensor, p.Inputs[n-1].Tensor
	if pattern == nil || replacement == nil {
		return nil, nil
	}
	if err := p.Reserve(bytesOf(pattern.Bytes(), replacement.Bytes())); err != nil {
		return nil, err
	}
	return split.NewReplacer(pattern.Bytes(), replacement.Bytes(), p.Attributes.(split.ReplaceOptions))
}

// partBytes is the memory of a part of a replacement, which has at least two bytes.
const partBytes = 64

// bytesOf returns the memory of a pattern, a replacement and their Replacer.
func bytesOf(pattern, replacement []byte) int64 {
	return split.MaxBytes(len(pattern)) + int64(len(pattern)) + partBytes*int64(len(replacement))
}

// state is what a Run keeps.
type state struct {
	scratch              split.Scratch
	buffer               []byte
	replacer             *split.Replacer
	pattern, replacement []byte // of replacer
}

func (k *kernel) run(r *ops.Run) error {
	in, err := decomposed.Strings(r, 0, "strings")
	if err != nil {
		return err
	}
	var skip []byte
	if k.skips {
		if skip = r.Inputs[skips].Bytes(); len(skip) < in.Len() {
			return faults.Errorf("skips has %d elements, there are %d strings", len(skip), in.Len())
		}
		r.Copy(r.Outputs[skips], r.Inputs[skips])
	}
	s := r.Own(func() any {
		s := new(state)
		s.scratch.Limit().Reserve = r.Reserve
		return s
	}).(*state)
	s.scratch.Limit().Stop = r.Stop
	replacer := k.replacer
	if replacer == nil {
		if replacer, err = k.compile(r, s); err != nil {
			return err
		}
	}
	begins, ends := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
	meter := r.Stop.Meter()
	s.buffer = s.buffer[:0]
	for i := range begins {
		text := in.At(i)
		if meter.Spent(16 + len(text)) {
			return parallel.ErrStopped
		}
		begins[i] = int32(len(s.buffer))
		if skip != nil && skip[i] != 0 {
			s.buffer, err = split.Keep(s.buffer, text, &s.scratch)
		} else {
			s.buffer, err = replacer.Append(s.buffer, text, &s.scratch)
		}
		switch {
		case err != nil:
			return err
		case len(s.buffer) > math.MaxInt32:
			return faults.Errorf("string %d ends beyond byte %d, more than an i32 counts", i, math.MaxInt32)
		}
		ends[i] = int32(len(s.buffer))
	}
	if err := r.SetShape(2, len(s.buffer)); err != nil {
		return err
	}
	parallel.Copy(r.Stop, r.Outputs[2].Bytes(), s.buffer)
	return nil
}

// compile returns the Replacer of a pattern and a replacement that are not constant.
func (k *kernel) compile(r *ops.Run, s *state) (*split.Replacer, error) {
	pattern, replacement := r.Inputs[k.pattern].Bytes(), r.Inputs[k.pattern+1].Bytes()
	if s.replacer != nil && bytes.Equal(s.pattern, pattern) && bytes.Equal(s.replacement, replacement) {
		return s.replacer, nil
	}
	before := int64(0)
	if s.replacer != nil {
		before = bytesOf(s.pattern, s.replacement)
	}
	if err := r.Reserve(bytesOf(pattern, replacement) - before); err != nil {
		return nil, err
	}
	s.pattern, s.replacement = bytes.Clone(pattern), bytes.Clone(replacement)
	replacer, err := split.NewReplacer(s.pattern, s.replacement, k.options)
	if err != nil {
		s.replacer = nil
		return nil, err
	}
	s.replacer = replacer
	return replacer, nil
}
