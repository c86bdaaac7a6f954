package contribstring

import (
	"bytes"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// prepareSplit returns a kernel that goes through the parts twice: to count them, and to write
// them.
func prepareSplit(p *ops.Preparation) (*ops.Prepared, error) {
	k := &splitKernel{shape: p.InputShape(0)}
	return &ops.Prepared{Kernel: k.run}, nil
}

type splitKernel struct{ shape ir.Shape }

func (k *splitKernel) run(r *ops.Run) error {
	in, err := decomposed.Strings(r, 0, "strings")
	if err != nil {
		return err
	}
	s := split{in: in, separator: r.Inputs[3].Bytes(), skip: r.Inputs[4].Bytes()[0] != 0}
	parts, size, most := 0, 0, 0
	if err := s.each(r.Stop, func(_, number int, part []byte) {
		parts++
		size += len(part)
	}, &most); err != nil {
		return err
	}
	rank := len(k.shape) + 1
	if err := r.SetShape(0, parts, rank); err != nil {
		return err
	}
	for output := 1; output <= 2; output++ {
		if err := r.SetShape(output, parts); err != nil {
			return err
		}
	}
	if err := r.SetShape(3, size); err != nil {
		return err
	}
	indices, begins, ends := ir.Data[int64](r.Outputs[0]), ir.Data[int32](r.Outputs[1]), ir.Data[int32](r.Outputs[2])
	to, n := r.Outputs[3].Bytes()[:0], 0
	if err := s.each(r.Stop, func(i, number int, part []byte) {
		row := indices[n*rank:][:rank]
		row[rank-1] = int64(number)
		for axis := rank - 2; axis >= 0; axis-- {
			row[axis] = int64(i % k.shape[axis])
			i /= k.shape[axis]
		}
		begins[n] = int32(len(to))
		to = append(to, part...)
		ends[n] = int32(len(to))
		n++
	}, &most); err != nil {
		return err
	}
	shape := ir.Data[int64](r.Outputs[4])
	for axis, length := range k.shape {
		shape[axis] = int64(length)
	}
	shape[rank-1] = int64(most)
	return nil
}

// split is a run of splitKernel.
type split struct {
	in        ragged.Strings
	separator []byte
	skip      bool
}

// each calls part with each part that counts: with the number of its string and its number in the
// string. It sets most to the largest number of parts of a string.
func (s *split) each(stop parallel.Stop, part func(i, number int, part []byte), most *int) error {
	meter := stop.Meter()
	*most = 0
	for i := range s.in.Len() {
		text, number := s.in.At(i), 0
		if meter.Spent(1) {
			return parallel.ErrStopped
		}
		for more := len(s.separator) > 0 || len(text) > 0; more; number++ {
			var found []byte
			found, text, more = s.next(text)
			if meter.Spent(1 + len(found)/8) {
				return parallel.ErrStopped
			}
			if !s.skip || len(found) > 0 {
				part(i, number, found)
			}
		}
		*most = max(*most, number)
	}
	return nil
}

// next returns the first part of text, what follows, and whether there is a further part.
func (s *split) next(text []byte) (part, rest []byte, more bool) {
	if len(s.separator) == 0 {
		return text[:1], text[1:], len(text) > 1
	}
	return bytes.Cut(text, s.separator)
}
