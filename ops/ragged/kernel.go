package ragged

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// preparePack returns a kernel that copies data.
func preparePack(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		r.Copy(r.Outputs[0], r.Inputs[2])
		return nil
	}}, nil
}

// prepareFuze returns a kernel that computes, for each row:
//
//	out_begins[i] = begins[row_begins[i]], out_ends[i] = ends[row_ends[i]-1]
//
// An empty row is the string row_begins[i], or behind the last string if there is none.
func prepareFuze(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		begins, ends := ir.Data[int32](r.Inputs[2]), ir.Data[int32](r.Inputs[3])
		if len(begins) != len(ends) {
			return faults.Errorf("strings: %d begins and %d ends", len(begins), len(ends))
		}
		rows, err := decomposed.Rows(r, 0, len(begins), "rows")
		if err != nil {
			return err
		}
		last := int32(0)
		if len(ends) > 0 {
			last = ends[len(ends)-1]
		}
		outBegins, outEnds := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
		meter := r.Stop.Meter()
		for i, from := range rows.Begins {
			if meter.Spent(1) {
				return parallel.ErrStopped
			}
			if int(from) == len(begins) {
				outBegins[i], outEnds[i] = last, last
				continue
			}
			outBegins[i], outEnds[i] = begins[from], ends[max(rows.Ends[i]-1, from)]
		}
		return nil
	}}, nil
}

// items returns the number of items of all rows. It is an error if an i32 does not count them.
func items(stop parallel.Stop, rows ragged.Rows) (int, error) {
	n := int64(0)
	meter := stop.Meter()
	for i, begin := range rows.Begins {
		if meter.Spent(1) {
			return 0, parallel.ErrStopped
		}
		n += int64(rows.Ends[i] - begin)
	}
	return countable(n)
}

// countable returns n, or an error if an i32 does not count as many items.
func countable(n int64) (int, error) {
	if n > math.MaxInt32 {
		return 0, faults.Errorf("the rows have %d items, more than an i32 counts", n)
	}
	return int(n), nil
}

// numberOf returns the number in input i, an i32 or i64 tensor of one element. name is what the
// error for a negative number calls it.
func numberOf(r *ops.Run, i int, name string) (int, error) {
	n := int64(0)
	if t := r.Inputs[i]; t.ElementType() == ir.I64 {
		n = ir.Data[int64](t)[0]
	} else {
		n = int64(ir.Data[int32](t)[0])
	}
	if n < 0 || n > math.MaxInt {
		return 0, faults.Errorf("%s is negative: %d", name, n)
	}
	return int(n), nil
}
