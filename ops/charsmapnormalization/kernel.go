package charsmapnormalization

import (
	"bytes"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// kernel normalizes each string into a buffer of the run, since the length of the result depends on
// the strings, and copies the buffer.
type kernel struct {
	normalizer *charsmap.Normalizer // nil: of the map in input mapInput, which is not constant
	mapInput   int
	options    charsmap.Options
	skips      bool // input 3 is skips
	ignored    bool // but all strings are normalized
}

func prepareCharsMap(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	k := &kernel{options: at.options, mapInput: mapInput(at.form, p.Inputs), skips: hasSkips(at.form, p.Inputs)}
	var err error
	k.normalizer, err = coreOfCharsMap(p)
	return ops.Only(k.run, err)
}

// Core returns what a layer of this family does with one string; nil if its map is not constant.
func Core(p *ops.Preparation) (*charsmap.Normalizer, error) {
	switch p.Layer.Type {
	case Ops[0].Type:
		return coreOfCharsMap(p)
	case Ops[1].Type:
		return coreOfUnicode(p)
	}
	return coreOfCaseFold(p)
}

// IgnoresSkips reports whether a layer of this family normalizes strings that are skipped.
func IgnoresSkips(p *ops.Preparation) bool {
	at, ok := p.Attributes.(caseFold)
	return ok && at.ascii
}

func coreOfCharsMap(p *ops.Preparation) (*charsmap.Normalizer, error) {
	at := p.Attributes.(attributes)
	input := mapInput(at.form, p.Inputs)
	var chars *charsmap.Map
	var err error
	switch {
	case at.form != "":
		chars, err = builtin(p, at.form, at.caseFold)
	case p.Inputs[input].Tensor != nil:
		constant := p.Inputs[input].Tensor
		var kept any
		kept, err = p.Once(constant, "characters", charsmap.ParsedBytes(constant.Bytes()), func() (any, error) {
			return charsmap.Parse(constant.Bytes())
		})
		if err == nil {
			chars = kept.(*charsmap.Map)
		}
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return charsmap.New(chars, at.options), nil
}

func prepareUnicode(p *ops.Preparation) (*ops.Prepared, error) {
	core, err := coreOfUnicode(p)
	k := &kernel{normalizer: core, skips: len(p.Inputs) == 4}
	return ops.Only(k.run, err)
}

func coreOfUnicode(p *ops.Preparation) (*charsmap.Normalizer, error) {
	at := p.Attributes.(attributes)
	chars, err := builtin(p, at.form, false)
	if err != nil {
		return nil, err
	}
	return charsmap.New(chars, at.options), nil
}

func prepareCaseFold(p *ops.Preparation) (*ops.Prepared, error) {
	core, err := coreOfCaseFold(p)
	k := &kernel{normalizer: core, skips: len(p.Inputs) == 4, ignored: IgnoresSkips(p)}
	return ops.Only(k.run, err)
}

func coreOfCaseFold(p *ops.Preparation) (*charsmap.Normalizer, error) {
	at := p.Attributes.(caseFold)
	if at.ascii {
		return charsmap.ASCII(at.lower), nil
	}
	chars, err := builtin(p, "identity", true)
	if err != nil {
		return nil, err
	}
	return charsmap.New(chars, charsmap.Options{}), nil
}

func builtin(p *ops.Preparation, form string, fold bool) (*charsmap.Map, error) {
	if err := p.Reserve(charsmap.BuiltinBytes); err != nil {
		return nil, err
	}
	return charsmap.Builtin(form, fold)
}

// state is what a run keeps for the next one.
type state struct {
	work       charsmap.Work
	buffer     []byte
	parsed     []byte // the map that normalizer was made of, if it is not constant
	normalizer *charsmap.Normalizer
}

func (k *kernel) run(r *ops.Run) error {
	in, err := decomposed.Strings(r, 0, "strings")
	if err != nil {
		return err
	}
	var skip []uint8
	if k.skips {
		if skip = r.Inputs[skips].Bytes(); len(skip) < in.Len() {
			return faults.Errorf("skips has %d elements, there are %d strings", len(skip), in.Len())
		}
		if len(r.Outputs) > skips {
			r.Copy(r.Outputs[skips], r.Inputs[skips])
		}
		if k.ignored {
			skip = nil
		}
	}
	s := r.Own(func() any {
		s := new(state)
		s.work.Reserve = r.Reserve
		return s
	}).(*state)
	s.work.Stop = r.Stop
	normalizer := k.normalizer
	if normalizer == nil {
		if err := s.parse(k, r, r.Inputs[k.mapInput].Bytes()); err != nil {
			return err
		}
		normalizer = s.normalizer
	}
	begins := ir.Data[int32](r.Outputs[0])
	var ends []int32
	if len(r.Outputs) > 1 {
		ends = ir.Data[int32](r.Outputs[1])
	}
	meter := r.Stop.Meter()
	s.buffer = s.buffer[:0]
	for i := range begins {
		text := in.At(i)
		if meter.Spent(16 + len(text)) {
			return parallel.ErrStopped
		}
		begins[i] = int32(len(s.buffer))
		if skip != nil && skip[i] != 0 {
			if s.buffer, err = limits.Grow(&s.work.Limits, s.buffer, len(s.buffer)+len(text)); err == nil {
				s.buffer = append(s.buffer, text...)
			}
		} else {
			s.buffer, err = normalizer.Append(s.buffer, text, &s.work)
		}
		switch {
		case err != nil:
			return err
		case len(s.buffer) > math.MaxInt32:
			return faults.Errorf("string %d ends beyond byte %d, more than an i32 counts", i, math.MaxInt32)
		}
		if ends != nil {
			ends[i] = int32(len(s.buffer))
		}
	}
	if len(r.Outputs) < 3 {
		return nil
	}
	if err := r.SetShape(2, len(s.buffer)); err != nil {
		return err
	}
	parallel.Copy(r.Stop, r.Outputs[2].Bytes(), s.buffer)
	return nil
}

// parse makes the normalizer of a map, unless it is that of the run before.
func (s *state) parse(k *kernel, r *ops.Run, chars []byte) error {
	if s.normalizer != nil && bytes.Equal(s.parsed, chars) {
		return nil
	}
	bytesOf := func(chars []byte) int64 { return charsmap.ParsedBytes(chars) + int64(len(chars)) }
	before := s.parsed
	s.normalizer, s.parsed = nil, nil
	if err := r.Reserve(bytesOf(chars) - bytesOf(before)); err != nil {
		s.parsed = before
		return err
	}
	s.parsed = bytes.Clone(chars)
	m, err := charsmap.Parse(chars)
	if err != nil {
		return err
	}
	s.normalizer = charsmap.New(m, k.options)
	return nil
}
