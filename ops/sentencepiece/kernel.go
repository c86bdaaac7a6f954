package sentencepiece

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/sentencepiece"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// readModel returns the model in input 0.
func readModel(p *ops.Preparation) (*sentencepiece.Model, error) {
	data := p.Inputs[0].Tensor.Bytes()
	m, err := p.Once(p.Inputs[0].Tensor, "sentencepiece", sentencepiece.ModelBytes(data), func() (any, error) {
		return sentencepiece.Parse(data, p.Reserve, p.Stop)
	})
	if err != nil {
		return nil, err
	}
	return m.(*sentencepiece.Model), nil
}

// tokenizer is a kernel that collects the ids of all texts in memory of the run, since their number
// depends on the texts.
type tokenizer struct {
	model   *sentencepiece.Model
	options sentencepiece.Options
	texts   int // the number of inputs with the texts
	// special is set if the special tokens are constant.
	special *sentencepiece.Special
	split   bool // there are inputs with special tokens
	read    bool // which are not constant
}

func prepareTokenizer(p *ops.Preparation) (*ops.Prepared, error) {
	m, err := readModel(p)
	if err != nil {
		return nil, err
	}
	k := &tokenizer{model: m, options: p.Attributes.(sentencepiece.Options), texts: textInputs(len(p.Inputs))}
	first := 1 + k.texts
	k.split = first < len(p.Inputs)
	checked := k.options
	checked.EOS = checked.EOS && !k.split
	if err := m.Check(checked); err != nil {
		return nil, err
	}
	if !k.split {
		return &ops.Prepared{Kernel: k.run}, nil
	}
	tensors := make([]*ir.Tensor, special)
	for i := range tensors {
		tensors[i] = p.Inputs[first+i].Tensor
		k.read = k.read || tensors[i] == nil
	}
	if !k.read {
		if k.special, err = readSpecial(tensors, p.Reserve, p.Stop); err != nil {
			return nil, err
		}
	}
	return &ops.Prepared{Kernel: k.run}, nil
}

// readSpecial returns the special tokens in four tensors.
func readSpecial(in []*ir.Tensor, reserve func(int64) error, stop parallel.Stop) (*sentencepiece.Special, error) {
	tokens := decomposed.Unchecked(in)
	if err := tokens.CheckUntil(stop, "special tokens"); err != nil {
		return nil, err
	}
	if err := reserve(sentencepiece.SpecialBytes(tokens.Len())); err != nil {
		return nil, err
	}
	return sentencepiece.NewSpecial(tokens, ir.Data[int32](in[3]), reserve, stop)
}

// state is what a run keeps for the next one.
type state struct {
	sentencepiece.Scratch
	ids     []int32
	ends    []int32 // of the rows in ids
	text    []byte
	samples uint64 // texts that were encoded
}

func newState() any { return new(state) }

// stateOf returns the state of r.
func stateOf(r *ops.Run) *state {
	s := r.Own(newState).(*state)
	if s.Reserve == nil {
		s.Reserve = r.Reserve
	}
	s.Stop = r.Stop
	return s
}

func (k *tokenizer) run(r *ops.Run) error {
	s := stateOf(r)
	tokens := k.special
	if k.read {
		reserved := int64(0)
		reserve := func(bytes int64) error {
			err := r.Reserve(bytes)
			if err == nil {
				reserved += bytes
			}
			return err
		}
		var err error
		tokens, err = readSpecial(r.Inputs[1+k.texts:], reserve, r.Stop)
		defer func() { _ = r.Reserve(-reserved) }() // never fails
		if err != nil {
			return err
		}
	}
	var texts ragged.Strings
	strings := r.Inputs[1].Strings()
	n := len(strings)
	if k.texts == 3 {
		var err error
		if texts, err = decomposed.Strings(r, 1, "texts"); err != nil {
			return err
		}
		n = texts.Len()
	}
	var err error
	if s.ends, err = limits.Grow(&s.Limits, s.ends[:0], n); err != nil {
		return err
	}
	s.ids = s.ids[:0]
	for i := range n {
		if strings == nil {
			err = k.encode(s, texts.At(i), tokens)
		} else {
			if s.text, err = limits.Grow(&s.Limits, s.text[:0], len(strings[i])); err != nil {
				return err
			}
			s.text = append(s.text, strings[i]...)
			err = k.encode(s, s.text, tokens)
		}
		if err != nil {
			return faults.Errorf("text %d: %w", i, err)
		}
		if len(s.ids) > math.MaxInt32 {
			return faults.Errorf("the texts have more than %d ids", math.MaxInt32)
		}
		s.ends = append(s.ends, int32(len(s.ids)))
	}
	return write(r, s)
}

func (k *tokenizer) encode(s *state, text []byte, tokens *sentencepiece.Special) error {
	o := k.options
	o.Seed = s.samples
	s.samples++
	var err error
	if k.split {
		s.ids, err = k.model.AppendSplit(s.ids, text, tokens, o, &s.Scratch)
	} else {
		s.ids, err = k.model.Append(s.ids, text, o, &s.Scratch)
	}
	return err
}

// write writes the sparse matrix.
func write(r *ops.Run, s *state) error {
	if err := r.SetShape(0, len(s.ids), 2); err != nil {
		return err
	}
	indices := ir.Data[int64](r.Outputs[0])
	meter := r.Stop.Meter()
	begin, longest := int32(0), int32(0)
	for row, end := range s.ends {
		for i := begin; i < end; i++ {
			indices[2*i], indices[2*i+1] = int64(row), int64(i-begin)
		}
		if meter.Spent(int(end-begin) + 2) {
			return parallel.ErrStopped
		}
		begin, longest = end, max(longest, end-begin)
	}
	if len(r.Outputs) > 1 {
		if err := r.SetShape(1, len(s.ids)); err != nil {
			return err
		}
		parallel.Copy(r.Stop, ir.Data[int32](r.Outputs[1]), s.ids)
	}
	if len(r.Outputs) > 2 {
		shape := ir.Data[int64](r.Outputs[2])
		shape[0], shape[1] = int64(len(s.ends)), int64(longest)
	}
	return nil
}

// detokenizer is a kernel that decodes rows of ids.
type detokenizer struct {
	model  *sentencepiece.Model
	stream bool
}

func prepareDetokenizer(p *ops.Preparation) (*ops.Prepared, error) {
	m, err := readModel(p)
	return ops.Only((&detokenizer{m, false}).run, err)
}

func prepareStreamDetokenizer(p *ops.Preparation) (*ops.Prepared, error) {
	m, err := readModel(p)
	return ops.Only((&detokenizer{m, true}).run, err)
}

func (k *detokenizer) run(r *ops.Run) error {
	s := stateOf(r)
	shape, ids := r.Inputs[1].Shape(), ir.Data[int32](r.Inputs[1])
	begins := ir.Data[int32](r.Outputs[0])
	var ends []int32
	if len(r.Outputs) > 1 {
		ends = ir.Data[int32](r.Outputs[1])
	}
	s.text = s.text[:0]
	var err error
	for i := range begins {
		begins[i] = int32(len(s.text))
		row := ids[i*shape[1]:][:shape[1]]
		if k.stream {
			s.text, err = k.model.DecodeStream(s.text, row, &s.Scratch)
		} else {
			s.text, err = k.decode(s, row)
		}
		if err != nil {
			return faults.Errorf("row %d: %w", i, err)
		}
		if len(s.text) > math.MaxInt32 {
			return faults.Errorf("the texts end beyond byte %d, more than an i32 counts", math.MaxInt32)
		}
		if ends != nil {
			ends[i] = int32(len(s.text))
		}
	}
	if len(r.Outputs) < 3 {
		return nil
	}
	if err := r.SetShape(2, len(s.text)); err != nil {
		return err
	}
	parallel.Copy(r.Stop, r.Outputs[2].Bytes(), s.text)
	return nil
}

// decode decodes the ids that are not beyond the pieces.
func (k *detokenizer) decode(s *state, row []int32) ([]byte, error) {
	var err error
	if s.ids, err = limits.Grow(&s.Limits, s.ids[:0], len(row)); err != nil {
		return s.text, err
	}
	for _, id := range row {
		if int(id) < k.model.Len() {
			s.ids = append(s.ids, id)
		}
	}
	return k.model.Decode(s.text, s.ids, &s.Scratch)
}
