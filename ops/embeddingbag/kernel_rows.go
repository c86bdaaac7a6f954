package embeddingbag

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// partOf returns the function that computes bags lo to hi-1 of element type t; nil if there is none.
func (k *kernel) partOf(t ir.ElementType) ops.Part {
	switch t {
	case ir.F32:
		part := partOf(k, floats[float32](k))
		if hasVectorBags() && k.row <= callWork && (k.layout != segments || k.weightsPort == 0) {
			return k.partOfBags(part)
		}
		return part
	case ir.F64:
		return partOf(k, floats[float64](k))
	case ir.F16:
		k.halves = true
		return partOf(k, halves(k, half.F16sToF32s, half.F32sToF16s))
	case ir.BF16:
		k.halves = true
		return partOf(k, halves(k, half.BF16sToF32s, half.F32sToBF16s))
	case ir.I8:
		return partOf(k, integers[int8](k))
	case ir.I16:
		return partOf(k, integers[int16](k))
	case ir.I32:
		return partOf(k, integers[int32](k))
	case ir.I64:
		return partOf(k, integers[int64](k))
	case ir.U8:
		return partOf(k, integers[uint8](k))
	case ir.U16:
		return partOf(k, integers[uint16](k))
	case ir.U32:
		return partOf(k, integers[uint32](k))
	case ir.U64:
		return partOf(k, integers[uint64](k))
	}
	return nil
}

// bag is some columns of a bag with members. Row i of the table starts at table[i*row]. weights is empty if
// all are 1; weight i belongs to member order[i], or i if order is nil.
type bag[T any] struct {
	table, weights []T
	row            int
	indices, order []int64
	sum, loaded    []float32 // the columns of the sum and of a row, for 16-bit types
}

// columns returns n columns of the row of member i.
func (b *bag[T]) columns(i, n int) []T { return b.table[int(b.indices[i])*b.row:][:n] }

// position returns the position of member i in weights.
func (b *bag[T]) position(i int) int {
	if b.order != nil {
		return int(b.order[i])
	}
	return i
}

// weight returns the weight of member i; one if there are no weights.
func (b *bag[T]) weight(i int, one T) T {
	if len(b.weights) == 0 {
		return one
	}
	return b.weights[b.position(i)]
}

// partOf returns the function that computes blocks of columns lo to hi-1. sum sets columns of the output to
// the sum or the mean of a bag.
func partOf[T ir.Element](k *kernel, sum func(stop parallel.Stop, out []T, b bag[T])) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		l := k.lists(r)
		table, out := ir.Data[T](r.Inputs[0]), ir.Data[T](r.Outputs[0])
		var weights []T
		if k.weightsPort > 0 {
			weights = ir.Data[T](r.Inputs[k.weightsPort])
		}
		for ; lo < hi; lo++ {
			i, column := lo/k.blocks, lo%k.blocks*columns
			n := min(columns, k.row-column)
			to, first, end := out[i*k.row+column:][:n], int(l.starts[i]), int(l.starts[i+1])
			if first == end {
				from, err := k.defaultRow(r)
				switch {
				case err != nil:
					return err
				case from < 0:
					clear(to)
				default:
					copy(to, table[from*k.row+column:])
				}
				continue
			}
			b := bag[T]{table: table[column:], row: k.row, indices: l.indices[first:end]}
			switch {
			case weights == nil:
			case l.order != nil:
				b.weights, b.order = weights, l.order[first:end]
			default:
				b.weights = weights[first:end]
			}
			if k.halves {
				b.sum, b.loaded = l.halves[2*i*k.row+column:][:n], l.halves[(2*i+1)*k.row+column:][:n]
			}
			sum(r.Stop, to, b)
		}
		return nil
	}
}

// floats returns the function that computes a bag. It adds several rows at once.
func floats[T float32 | float64](k *kernel) func(stop parallel.Stop, out []T, b bag[T]) {
	mean := k.mean
	return func(stop parallel.Stop, out []T, b bag[T]) {
		meter, n := stop.Meter(), len(out)
		clear(out)
		weights := [window.RowsAtOnce]T{1, 1, 1, 1}
		i := 0
		for ; i+window.RowsAtOnce <= len(b.indices); i += window.RowsAtOnce {
			if meter.Spent(n + 8) {
				return
			}
			if len(b.weights) > 0 {
				for k := range weights {
					weights[k] = b.weights[b.position(i+k)]
				}
			}
			window.AddRows(out, b.columns(i, n), b.columns(i+1, n), b.columns(i+2, n), b.columns(i+3, n), n, weights, 1, 1)
		}
		for ; i < len(b.indices); i++ {
			if meter.Spent(n/2 + 8) {
				return
			}
			window.AddRow(out, b.columns(i, n), n, b.weight(i, 1), 1, 1)
		}
		if mean {
			divide(out, T(len(b.indices)))
		}
	}
}

func divide[T float32 | float64](row []T, n T) {
	for i := range row {
		row[i] /= n
	}
}

// halves returns the function that computes a bag of a 16-bit type in float32.
func halves[T ~uint16](k *kernel, load func([]float32, []T), store func([]T, []float32)) func(stop parallel.Stop, out []T, b bag[T]) {
	mean := k.mean
	return func(stop parallel.Stop, out []T, b bag[T]) {
		meter, n := stop.Meter(), len(out)
		sum, row := b.sum, b.loaded
		clear(sum)
		for i := range b.indices {
			if meter.Spent(n + 8) {
				return
			}
			weight := float32(1)
			if len(b.weights) > 0 {
				load(row[:1], b.weights[b.position(i):][:1])
				weight = row[0]
			}
			load(row, b.columns(i, n))
			window.AddRow(sum, row, n, weight, 1, 1)
		}
		if mean {
			divide(sum, float32(len(b.indices)))
		}
		store(out, sum)
	}
}

// integers returns the function that computes a bag of an integer type.
func integers[T index.Integer](k *kernel) func(stop parallel.Stop, out []T, b bag[T]) {
	mean := k.mean
	return func(stop parallel.Stop, out []T, b bag[T]) {
		meter, n := stop.Meter(), len(out)
		clear(out)
		for i := range b.indices {
			if meter.Spent(n + 8) {
				return
			}
			row, w := b.columns(i, n), b.weight(i, 1)
			for j := range out {
				out[j] += w * row[j]
			}
		}
		switch members := len(b.indices); {
		case !mean:
		case index.Unsigned[T]():
			for j, v := range out {
				out[j] = T(uint64(v) / uint64(members))
			}
		default:
			for j, v := range out {
				out[j] = T(int64(v) / int64(members))
			}
		}
	}
}
