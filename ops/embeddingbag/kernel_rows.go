package embeddingbag

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// partOf returns the function that computes blocks of columns lo to hi-1 of element type t; nil if
// there is none.
func (k *kernel) partOf(t ir.ElementType) ops.Part {
	switch t {
	case ir.F32:
		part := k.blocksOf(floats[float32])
		if hasVectorBags(k.row) && k.row <= callWork && (k.layout != segments || k.weightsPort == 0) {
			return k.partOfBags(part)
		}
		return part
	case ir.F64:
		return k.blocksOf(floats[float64])
	case ir.F16, ir.BF16:
		k.halves = true
		return k.blocksOf(halves(widened.Find(widened.Halves, t)))
	// Sums and products that wrap have the same bits for signed and unsigned integers.
	case ir.I8, ir.U8:
		return k.blocksOf(integers[uint8](t.Kind() == ir.KindSigned))
	case ir.I16, ir.U16:
		return k.blocksOf(integers[uint16](t.Kind() == ir.KindSigned))
	case ir.I32, ir.U32:
		return k.blocksOf(integers[uint32](t.Kind() == ir.KindSigned))
	case ir.I64, ir.U64:
		return k.blocksOf(integers[uint64](t.Kind() == ir.KindSigned))
	}
	return nil
}

// members are the members of a bag and where their sum goes: to n columns of row `bag` of out, the
// first of which is column.
type members struct {
	table, weights, out *ir.Tensor // weights is nil if all are 1
	row, bag, column, n int
	first               int // the weight of the first member, if order is nil
	indices, order      []int64
	sum, loaded         []float32 // the columns of the sum and of a row, for 16-bit types
	mean                bool
}

// bag is members of element type T. Row i of the table starts at table[i*row]. weights is empty if
// all are 1; weight i belongs to member order[i], or i if order is nil.
type bag[T any] struct {
	members
	table, weights []T
}

// bagOf returns a bag and the columns of its sum.
func bagOf[T ir.Element](m members) (out []T, b bag[T]) {
	b = bag[T]{members: m, table: ir.Data[T](m.table)[m.column:]}
	if m.weights != nil {
		b.weights = ir.Data[T](m.weights)[m.first:]
	}
	return ir.Data[T](m.out)[m.bag*m.row+m.column:][:m.n], b
}

// columns returns the columns of the row of member i.
func (b *bag[T]) columns(i int) []T { return b.table[int(b.indices[i])*b.row:][:b.n] }

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

// blocksOf returns the function that computes blocks of columns lo to hi-1. sum sets columns of the
// output to the sum or the mean of a bag. It is not inlined: copies of its closure would take 11
// KiB.
//
//go:noinline
func (k *kernel) blocksOf(sum func(stop parallel.Stop, m members)) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		l := k.lists(r)
		m := members{table: r.Inputs[0], out: r.Outputs[0], row: k.row, mean: k.mean}
		size := m.table.ElementType().Size()
		if k.weightsPort > 0 {
			m.weights = r.Inputs[k.weightsPort]
		}
		for ; lo < hi; lo++ {
			m.bag, m.column = lo/k.blocks, lo%k.blocks*columns
			m.n = min(columns, k.row-m.column)
			first, end := int(l.starts[m.bag]), int(l.starts[m.bag+1])
			if first == end {
				from, err := k.defaultRow(r)
				to := m.out.Bytes()[(m.bag*k.row+m.column)*size:][:m.n*size]
				switch {
				case err != nil:
					return err
				case from < 0:
					clear(to)
				default:
					copy(to, m.table.Bytes()[(from*k.row+m.column)*size:])
				}
				continue
			}
			m.indices = l.indices[first:end]
			if l.order != nil {
				m.order = l.order[first:end]
			} else {
				m.first = first
			}
			if k.halves {
				m.sum, m.loaded = k.wide.Piece(r, 2*m.bag*k.row+m.column, m.n), k.wide.Piece(r, (2*m.bag+1)*k.row+m.column, m.n)
			}
			sum(r.Stop, m)
		}
		return nil
	}
}

// floats computes a bag. It adds several rows at once.
func floats[T float32 | float64](stop parallel.Stop, m members) {
	out, b := bagOf[T](m)
	meter, n := stop.Meter(), len(out)
	parallel.Clear(stop, out)
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
		window.AddRows(out, b.columns(i), b.columns(i+1), b.columns(i+2), b.columns(i+3), n, weights, 1, 1)
	}
	for ; i < len(b.indices); i++ {
		if meter.Spent(n/2 + 8) {
			return
		}
		window.AddRow(out, b.columns(i), n, b.weight(i, 1), 1, 1)
	}
	if b.mean {
		divide(out, T(len(b.indices)))
	}
}

func divide[T float32 | float64](row []T, n T) {
	for i := range row {
		row[i] /= n
	}
}

// halves returns the function that computes a bag of a 16-bit type in float32.
func halves(c *widened.Conversion) func(stop parallel.Stop, m members) {
	return func(stop parallel.Stop, m members) {
		b := bag[uint16]{members: m}
		meter, sum, row := stop.Meter(), m.sum, m.loaded
		clear(sum)
		for i, index := range m.indices {
			if meter.Spent(m.n + 8) {
				return
			}
			weight := float32(1)
			if m.weights != nil {
				c.Load(nil, cast.Memory(row[:1]), m.weights, m.first+b.position(i))
				weight = row[0]
			}
			c.Load(nil, cast.Memory(row), m.table, int(index)*m.row+m.column)
			window.AddRow(sum, row, m.n, weight, 1, 1)
		}
		if m.mean {
			divide(sum, float32(len(m.indices)))
		}
		c.Store(nil, m.out, m.bag*m.row+m.column, cast.Memory(sum))
	}
}

// integers returns the function that computes a bag of an integer type. T is the unsigned type of
// its size.
func integers[T uint8 | uint16 | uint32 | uint64](signed bool) func(stop parallel.Stop, m members) {
	return func(stop parallel.Stop, m members) {
		out, b := bagOf[T](m)
		meter, n := stop.Meter(), len(out)
		parallel.Clear(stop, out)
		for i := range b.indices {
			if meter.Spent(n + 8) {
				return
			}
			row, w := b.columns(i), b.weight(i, 1)
			for j := range out {
				out[j] += w * row[j]
			}
		}
		unused := 64 - 8*unsafe.Sizeof(T(0)) // bits of an int64
		switch members := len(b.indices); {
		case !b.mean:
		case signed:
			for j, v := range out {
				out[j] = T(int64(v) << unused >> unused / int64(members))
			}
		default:
			for j, v := range out {
				out[j] = T(uint64(v) / uint64(members))
			}
		}
	}
}
