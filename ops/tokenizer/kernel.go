package tokenizer

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/internal/text/longest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// maxText is the length of a text in an error.
const maxText = 60

// The marks before the first token and behind the last one.
const (
	startMark = "\x02"
	endMark   = "\x03"
)

// kernel is what the runs of a layer have in common.
type kernel struct {
	attributes
	expressions []*longest.Regexp
	pad         string
	shape       ir.Shape // of data, and room for the axis of the tokens
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	patterns := p.Inputs[1].Tensor.Strings()
	k := &kernel{attributes: p.Attributes.(attributes), pad: p.Inputs[2].Tensor.Strings()[0]}
	if n := len(patterns); k.mode == characters && n > 0 || k.mode == tokens && n != 1 || k.mode == separators && n == 0 {
		return nil, faults.Errorf("patterns has %d elements", n)
	}
	meter := p.Stop.Meter()
	for _, pattern := range patterns {
		re, err := longest.Compile(pattern)
		if err != nil {
			return nil, faults.Errorf("pattern %s is no regular expression: %w", printable.Quote(pattern, maxText), err)
		}
		if err := p.Reserve(re.Bytes()); err != nil {
			return nil, err
		}
		if meter.Spent(1000 + 100*len(pattern)) {
			return nil, parallel.ErrStopped
		}
		k.expressions = append(k.expressions, re)
	}
	k.fit(p)
	return &ops.Prepared{Kernel: k.run, Refit: func(p *ops.Preparation) (bool, error) {
		same := p.Inputs[2].Tensor.Strings()[0] == k.pad && slices.Equal(p.Inputs[1].Tensor.Strings(), patterns)
		if same {
			k.fit(p)
		}
		return same, nil
	}}, nil
}

// fit sets what depends on the shape of data.
func (k *kernel) fit(p *ops.Preparation) { k.shape = append(slices.Clone(p.InputShape(0)), 0) }

// run finds the tokens of all texts and writes them.
func (k *kernel) run(r *ops.Run) error {
	f := r.Own(func() any { return newFinder(k) }).(*finder)
	most, err := f.findAll(r)
	if err != nil {
		return err
	}
	if k.mark && most > 0 {
		most += 2
	}
	f.shape = append(f.shape[:0], k.shape...)
	f.shape[len(f.shape)-1] = most
	if err := r.SetShape(0, f.shape...); err != nil {
		return err
	}
	return k.write(f, r.Outputs[0].Strings(), most)
}

// write writes the tokens that were found, most for each text.
func (k *kernel) write(f *finder, out []string, most int) error {
	start := 0
	for i, end := range f.ends {
		row := out[i*most:][:most]
		if f.meter.Spent(1 + most) {
			return parallel.ErrStopped
		}
		if k.mark && most > 0 {
			row[0] = startMark
			row = row[1:]
		}
		row = row[copy(row, f.found[start:end]):]
		if k.mark && most > 0 {
			row[0] = endMark
			row = row[1:]
		}
		for j := range row {
			row[j] = k.pad
		}
		start = end
	}
	return nil
}
