package ragged

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// prepareTruncate returns a kernel that cuts each row, or each pair of rows, to max_length items:
// from the end by ends, from the start by begins. Data stays as it is.
func prepareTruncate(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: truncate}, nil
}

func truncate(r *ops.Run) error {
	n := len(r.Inputs)/3 - 1
	limit, err := numberOf(r, 3*n, "max_length")
	if err != nil {
		return err
	}
	left := false
	switch side := r.Inputs[3*n+1].Bytes(); string(side) {
	case "left":
		left = true
	case "right":
	default:
		return faults.Errorf("side is %.20q, expected left or right", side)
	}
	rule := ragged.LongestFirst
	switch mode := r.Inputs[3*n+2].Bytes(); string(mode) {
	case "longest_first":
	case "only_first":
		rule = ragged.OnlyFirst
	case "only_second":
		rule = ragged.OnlySecond
	default:
		return faults.Errorf("mode is %.20q, expected only_first, only_second or longest_first", mode)
	}
	var rows [2]ragged.Rows
	for i := range n {
		if rows[i], err = decomposed.Rows(r, 3*i, r.Inputs[3*i+2].Len(), "rows"); err != nil {
			return err
		}
		if rows[i].Len() != rows[0].Len() {
			return faults.Errorf("the first tensor has %d rows, the second %d", rows[0].Len(), rows[i].Len())
		}
	}
	for i := range min(len(r.Outputs), 3*n) {
		r.Copy(r.Outputs[i], r.Inputs[i])
	}
	meter := r.Stop.Meter()
	for i := range rows[0].Begins {
		if meter.Spent(2) {
			return parallel.ErrStopped
		}
		first := int(rows[0].Ends[i] - rows[0].Begins[i])
		if n == 1 {
			cut(r, rows[0], 0, i, min(first, limit), left)
			continue
		}
		first, second := rule.Cut(first, int(rows[1].Ends[i]-rows[1].Begins[i]), limit)
		cut(r, rows[0], 0, i, first, left)
		cut(r, rows[1], 3, i, second, left)
	}
	return nil
}

// cut cuts row i to a length. Its begins are output `output`, unless the file leaves that out.
func cut(r *ops.Run, rows ragged.Rows, output, i, length int, left bool) {
	if left && output < len(r.Outputs) {
		ir.Data[int32](r.Outputs[output])[i] = rows.Ends[i] - int32(length)
	}
	if !left && output+1 < len(r.Outputs) {
		ir.Data[int32](r.Outputs[output+1])[i] = rows.Begins[i] + int32(length)
	}
}
