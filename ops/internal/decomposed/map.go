package decomposed

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Map computes a layer with strings in inputs 0 to 2 and in outputs 0 to 2: string i of the output
// is what appendTo appends for string i of the input. length returns the number of bytes of that.
// Both take time in proportion to the string.
func Map(r *ops.Run, length func(text []byte) int, appendTo func(dst, text []byte) []byte) error {
	in, err := Strings(r, 0, "strings")
	if err != nil {
		return err
	}
	begins, ends := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
	meter := r.Stop.Meter()
	total := 0
	for i := range in.Len() {
		text := in.At(i)
		if meter.Spent(1 + len(text)) {
			return parallel.ErrStopped
		}
		begins[i] = int32(total)
		n := length(text)
		if n > math.MaxInt32-total {
			return faults.Errorf("string %d ends beyond byte %d, more than an i32 counts", i, math.MaxInt32)
		}
		total += n
		ends[i] = int32(total)
	}
	if err := r.SetShape(2, total); err != nil {
		return err
	}
	to := r.Outputs[2].Bytes()[:0]
	for i := range in.Len() {
		text := in.At(i)
		if meter.Spent(1 + len(text)) {
			return parallel.ErrStopped
		}
		to = appendTo(to, text)
	}
	return nil
}
