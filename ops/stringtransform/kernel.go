package stringtransform

import (
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/internal/text/longest"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/heldtext"
)

// maxText is the length of a text in an error.
const maxText = 60

// prepareConcat returns a kernel that writes all strings into one text.
func prepareConcat(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		a, b, out := r.Inputs[0].Strings(), r.Inputs[1].Strings(), r.Outputs[0].Strings()
		meter, bytes := r.Stop.Meter(), 0
		for i := range out {
			if meter.Spent(2) {
				return parallel.ErrStopped
			}
			bytes += len(a[i]) + len(b[i])
		}
		parallel.Clear(r.Stop, out)
		if err := heldtext.Reserve(r, int64(bytes)); err != nil {
			return err
		}
		var all strings.Builder
		all.Grow(bytes)
		for i := range out {
			if meter.Spent(4 + (len(a[i])+len(b[i]))/16) {
				return parallel.ErrStopped
			}
			at := all.Len()
			all.WriteString(a[i])
			all.WriteString(b[i])
			out[i] = all.String()[at:]
		}
		return nil
	}}, nil
}

// prepareMatch returns a kernel that matches one string after the other.
func prepareMatch(p *ops.Preparation) (*ops.Prepared, error) {
	pattern := p.Inputs[1].Tensor.Strings()[0]
	expression, err := longest.Compile(pattern)
	if err != nil {
		return nil, faults.Errorf("pattern %s is no regular expression: %w", printable.Quote(pattern, maxText), err)
	}
	if err := p.Reserve(expression.Bytes()); err != nil {
		return nil, err
	}
	newMatching := func() any { return &matching{Matcher: expression.Matcher(), owed: expression.Bytes()} }
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		data, out := r.Inputs[0].Strings(), r.Outputs[0].Bytes()
		m := r.Own(newMatching).(*matching)
		if err := r.Reserve(m.owed); err != nil {
			return err
		}
		m.owed = 0
		meter := r.Stop.Meter()
		for i, s := range data {
			if meter.Spent(10) {
				return parallel.ErrStopped
			}
			matches, err := m.Matches(s, &meter)
			if err != nil {
				return err
			}
			if out[i] = 0; matches {
				out[i] = 1
			}
		}
		return nil
	}}, nil
}

// matching is the Matcher of a Run.
type matching struct {
	*longest.Matcher
	owed int64 // its bytes, until they are reserved
}

// prepareNormalizer returns a kernel that leaves out the stop words and then changes the case.
func prepareNormalizer(p *ops.Preparation) (*ops.Prepared, error) {
	a := p.Attributes.(normalizer)
	words := p.Inputs[1].Tensor.Strings()
	if err := p.Reserve(64 * int64(len(words))); err != nil {
		return nil, err
	}
	stop := make(map[string]bool, len(words))
	meter := p.Stop.Meter()
	for _, w := range words {
		if meter.Spent(50 + len(w)) {
			return nil, parallel.ErrStopped
		}
		stop[a.compared(w)] = true
	}
	rank := p.Inputs[0].Shape.Rank()
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return a.run(r, stop, rank) }}, nil
}

// compared returns what of a string is compared.
func (a normalizer) compared(s string) string {
	if a.sensitive {
		return s
	}
	return strings.ToLower(s)
}

// growth is how many times longer a string can be in another case.
const growth = 3

func (a normalizer) run(r *ops.Run, stop map[string]bool, rank int) error {
	data := r.Inputs[0].Strings()
	meter, kept, bytes := r.Stop.Meter(), 0, int64(0)
	for _, s := range data {
		if meter.Spent(50 + 4*len(s)) {
			return parallel.ErrStopped
		}
		if !stop[a.compared(s)] {
			kept, bytes = kept+1, bytes+growth*int64(len(s))
		}
	}
	lengths := []int{1, max(kept, 1)}[2-rank:]
	if err := r.SetShape(0, lengths...); err != nil {
		return err
	}
	out := r.Outputs[0].Strings()
	parallel.Clear(r.Stop, out)
	if err := heldtext.Reserve(r, bytes); err != nil {
		return err
	}
	at := 0
	for _, s := range data {
		if meter.Spent(50 + 8*len(s)) {
			return parallel.ErrStopped
		}
		if stop[a.compared(s)] {
			continue
		}
		switch a.letters {
		case "lower":
			s = strings.ToLower(s)
		case "upper":
			s = strings.ToUpper(s)
		}
		out[at] = s
		at++
	}
	return nil
}
