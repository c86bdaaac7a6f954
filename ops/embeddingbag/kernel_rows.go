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
		return partOf(k, floats[float32](k))
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

// bag is a bag with members. weights is empty if all are 1; weight i belongs to member order[i], or i if
// order is nil.
type bag[T any] struct {
	table, weights []T
	indices, order []int64
	halves         []float32
}

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

// partOf returns the function that computes bags lo to hi-1. sum sets a row of the output to the sum or the
// mean of a bag.
func partOf[T ir.Element](k *kernel, sum func(stop parallel.Stop, out []T, b bag[T])) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		l := k.lists(r)
		table, out := ir.Data[T](r.Inputs[0]), ir.Data[T](r.Outputs[0])
		var weights []T
		if k.weightsPort > 0 {
			weights = ir.Data[T](r.Inputs[k.weightsPort])
		}
		for i := lo; i < hi; i++ {
			row, first, end := out[i*k.row:][:k.row], int(l.starts[i]), int(l.starts[i+1])
			if first == end {
				from, err := k.defaultRow(r)
				switch {
				case err != nil:
					return err
				case from < 0:
					parallel.Clear(r.Stop, row)
				default:
					parallel.Copy(r.Stop, row, table[from*k.row:][:k.row])
				}
				continue
			}
			b := bag[T]{table: table, indices: l.indices[first:end]}
			switch {
			case weights == nil:
			case l.order != nil:
				b.weights, b.order = weights, l.order[first:end]
			default:
				b.weights = weights[first:end]
			}
			if k.halves {
				b.halves = l.halves[2*i*k.row:][:2*k.row]
			}
			sum(r.Stop, row, b)
		}
		return nil
	}
}

// floats returns the function that computes a bag. It adds several rows at once.
func floats[T float32 | float64](k *kernel) func(stop parallel.Stop, out []T, b bag[T]) {
	n, mean := k.row, k.mean
	return func(stop parallel.Stop, out []T, b bag[T]) {
		meter := stop.Meter()
		clear(out)
		row := func(i int) []T { return b.table[int(b.indices[i])*n:][:n] }
		i := 0
		for ; i+window.RowsAtOnce <= len(b.indices); i += window.RowsAtOnce {
			if meter.Spent(n + 8) {
				return
			}
			weights := [window.RowsAtOnce]T{b.weight(i, 1), b.weight(i+1, 1), b.weight(i+2, 1), b.weight(i+3, 1)}
			window.AddRows(out, row(i), row(i+1), row(i+2), row(i+3), n, weights, 1, 1)
		}
		for ; i < len(b.indices); i++ {
			if meter.Spent(n/2 + 8) {
				return
			}
			window.AddRow(out, row(i), n, b.weight(i, 1), 1, 1)
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
	n, mean := k.row, k.mean
	return func(stop parallel.Stop, out []T, b bag[T]) {
		meter := stop.Meter()
		sum, row := b.halves[:n], b.halves[n:]
		clear(sum)
		for i, at := range b.indices {
			if meter.Spent(n + 8) {
				return
			}
			weight := float32(1)
			if len(b.weights) > 0 {
				load(row[:1], b.weights[b.position(i):][:1])
				weight = row[0]
			}
			load(row, b.table[int(at)*n:][:n])
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
	n, mean := k.row, k.mean
	return func(stop parallel.Stop, out []T, b bag[T]) {
		meter := stop.Meter()
		clear(out)
		for i, at := range b.indices {
			if meter.Spent(n + 8) {
				return
			}
			row, w := b.table[int(at)*n:][:n], b.weight(i, 1)
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
