package stringtransform

import (
	"slices"
	"strings"
	"unicode"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepareSplit returns a kernel that first counts the parts. These share the memory of data.
func prepareSplit(p *ops.Preparation) (*ops.Prepared, error) {
	s := splitter{delimiter: p.Inputs[1].Tensor.Strings()[0], limit: p.Attributes.(int)}
	shape := append(slices.Clone(p.InputShape(0)), 0)
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		data, counts := r.Inputs[0].Strings(), ir.Data[int64](r.Outputs[1])
		meter, most := r.Stop.Meter(), 0
		for i, text := range data {
			n := 0
			for rest, more := s.start(text); more; n++ {
				_, rest, more = s.next(rest, n)
			}
			if meter.Spent(10 + 2*len(text)) {
				return parallel.ErrStopped
			}
			counts[i], most = int64(n), max(most, n)
		}
		lengths := r.Own(func() any { return slices.Clone(shape) }).(ir.Shape)
		lengths[len(lengths)-1] = most
		if err := r.SetShape(0, lengths...); err != nil {
			return err
		}
		out := r.Outputs[0].Strings()
		parallel.Clear(r.Stop, out)
		for i, text := range data {
			if meter.Spent(10 + 2*len(text)) {
				return parallel.ErrStopped
			}
			n := 0
			for rest, more := s.start(text); more; n++ {
				out[i*most+n], rest, more = s.next(rest, n)
			}
		}
		return nil
	}}, nil
}

// splitter splits strings at a delimiter, or at white space if it is "".
type splitter struct {
	delimiter string
	limit     int // of delimiters that are looked for; negative for none
}

// start returns what is to split of a text, and whether it has a part.
func (s *splitter) start(text string) (rest string, more bool) {
	if s.delimiter == "" {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		return text, text != ""
	}
	return text, true
}

// next returns part n of a text, from which rest starts, and whether there is a part behind it.
func (s *splitter) next(rest string, n int) (part, behind string, more bool) {
	if s.limit >= 0 && n >= s.limit {
		return rest, "", false
	}
	if s.delimiter != "" {
		return strings.Cut(rest, s.delimiter)
	}
	end := strings.IndexFunc(rest, unicode.IsSpace)
	if end < 0 {
		return rest, "", false
	}
	behind = strings.TrimLeftFunc(rest[end:], unicode.IsSpace)
	return rest[:end], behind, behind != ""
}
