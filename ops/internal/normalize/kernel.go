package normalize

import (
	"errors"
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Float is the type of the computation: float64 for f64, float32 for the other types.
type Float = cast.Float

// Block is a block, or one tile of its columns, that a Computation computes.
type Block[T Float] struct {
	// Index is the row-major index of the block in the layout.
	Index      int
	Rows, Cols int
	// Stop is Run.Stop. A computation of many rows, or of long ones, asks it.
	Stop parallel.Stop
	// Scratch holds Computation.ScratchRows rows of Cols elements for the computation's own use.
	Scratch []T
	// contiguous means that rows follow one another without gaps. Otherwise the axes in reduced
	// determine where they start.
	contiguous bool
	reduced    []axis
	in, out    []T // starting at the first row
}

// Row returns row i of the input and of the output. They may be the same memory.
func (b *Block[T]) Row(i int) (in, out []T) {
	var at int
	if b.contiguous {
		at = i * b.Cols
	} else if i > 0 {
		at = offset(b.reduced, i)
	}
	return b.in[at:][:b.Cols], b.out[at:][:b.Cols]
}

// ScratchRow returns row i of Scratch.
func (b *Block[T]) ScratchRow(i int) []T { return b.Scratch[i*b.Cols:][:b.Cols] }

// Computation computes the output of a block from its input.
type Computation struct {
	F32 func(*ops.Run, Block[float32])
	F64 func(*ops.Run, Block[float64])
	// ScratchRows is the number of rows of scratch memory that it needs.
	ScratchRows int
	// Segments32, if not nil, is called instead of F32 for consecutive blocks of one row of n
	// elements: x holds them all. This is faster for many short rows. out may be x.
	Segments32 func(out, x []float32, n int)
}

// elementCost is the cost of an element.
const elementCost = 2

// finishElements is the number of elements of short rows for which the stages after the layer
// are called at once. They are still in the cache.
const finishElements = 1 << 11

// errMemory is the error for a layer that needs more memory than the platform can address.
var errMemory = errors.New("the elements in float32 need more bytes than fit an int")

// Kernel returns the kernel that computes output 0 from the input with the index port, of the
// same type and shape. f16, bf16 and integers are computed in f32, see widened.Rounded. If the type
// is f32, the kernel also applies the stages of p.
func Kernel(p *ops.Preparation, port int, l Layout, c Computation) (*ops.Prepared, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if _, err := ir.ByteSize(ir.F64, shape); err != nil {
		return nil, err
	}
	switch p.Inputs[port].Type {
	case ir.F32:
		finish := p.Finish()
		if c.Segments32 != nil && l.dense() && l.RowLength <= longRow {
			return segments32(p, port, l, c.Segments32, finish)
		}
		return direct(p, port, l, c.F32, c.ScratchRows, finish)
	case ir.F64:
		return direct(p, port, l, c.F64, c.ScratchRows, nil)
	}
	conversion := widened.Find(widened.Rounded, p.Inputs[port].Type)
	if conversion == nil {
		return nil, faults.Errorf("input %d is %v, which has no kernel", port, p.Inputs[port].Type)
	}
	return converted(p, port, l, c, conversion)
}

// share is the distribution of blocks and tiles among workers, each of which has its own
// scratch memory.
type share struct {
	items, workers int
	cost           float64 // of an item
	scratch        ops.Scratch
	own            ops.Area[byte] // of each worker
}

// newShare returns the distribution for l. Each worker gets scratch memory for rows rows of a
// tile's columns, of elements of size bytes.
func newShare(p *ops.Preparation, l *Layout, rows, size int) *share {
	s := &share{items: l.Blocks * l.tiles}
	elements := float64(l.Rows) * float64(l.RowLength) * float64(l.Blocks)
	s.cost = elementCost * elements / float64(max(s.items, 1))
	s.workers = p.Workers(s.items, s.cost)
	if l.tile > 0 {
		s.own = ops.AreasOf[byte](&s.scratch, s.workers, rows, l.tile, size)
	}
	return s
}

// prepared returns the kernel that calls part for all items.
func (s *share) prepared(l *Layout, part ops.WorkerPart) *ops.Prepared {
	if l.Rows*l.RowLength*l.Blocks == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}
	}
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.ForWorkers(s.items, ops.Grain(s.cost), s.workers, part) },
		ScratchBytes: s.scratch.Bytes(),
	}
}

// block returns item i without its memory, and the index of its first element in the data.
func block[T Float](l *Layout, i int) (Block[T], int) {
	at, column := i/l.tiles, i%l.tiles*l.tile
	b := Block[T]{Index: at, Rows: l.Rows, Cols: min(l.tile, l.RowLength-column), reduced: l.reduced}
	return b, offset(l.kept, at) + column
}

// direct returns the kernel of a type that compute computes directly.
func direct[T interface {
	Float
	ir.Element
}](p *ops.Preparation, port int, l Layout, compute func(*ops.Run, Block[T]), vectors int, finish func(*ops.Run, []T, int)) (*ops.Prepared, error) {
	s := newShare(p, &l, vectors, int(unsafe.Sizeof(*new(T))))
	dense := l.dense()
	return s.prepared(&l, func(r *ops.Run, worker, first, end int) error {
		in, out := ir.Data[T](r.Inputs[port]), ir.Data[T](r.Outputs[0])
		memory := cast.Bytes[T](s.own.Of(r, worker))
		// the elements of dense blocks before this one have had their stages applied
		finished := first * l.RowLength
		meter := r.Stop.Meter()
		for i := first; i < end; i++ {
			b, at := block[T](&l, i)
			if meter.Spent(b.Rows*b.Cols + blockWork) {
				return nil
			}
			b.Scratch, b.Stop = memory, r.Stop
			b.in, b.out = in[at:], out[at:]
			compute(r, b)
			switch done := at + l.RowLength; {
			case finish == nil:
			case !dense:
				for row := range b.Rows {
					_, x := b.Row(row)
					finish(r, x, at+offset(b.reduced, row))
				}
			case done-finished >= finishElements || i == end-1:
				finish(r, out[finished:done], finished)
				finished = done
			}
		}
		return nil
	}), nil
}

// blockWork is the work of a block besides that of its elements.
const blockWork = 128

// segmentElements is the number of elements that are computed between two checks of Run.Stop.
const segmentElements = 1 << 18

// segments32 returns the kernel that calls compute for all blocks of a worker at once or, if
// there are stages, for about finishElements elements at a time.
func segments32(p *ops.Preparation, port int, l Layout, compute func(out, x []float32, n int), finish func(*ops.Run, []float32, int)) (*ops.Prepared, error) {
	s := newShare(p, &l, 0, 4)
	return s.prepared(&l, func(r *ops.Run, _, lo, hi int) error {
		first, end := lo*l.RowLength, hi*l.RowLength
		in, out := ir.Data[float32](r.Inputs[port]), ir.Data[float32](r.Outputs[0])
		if finish == nil {
			step := max(segmentElements/l.RowLength, 1) * l.RowLength
			for ; first < end && !r.Stop.Requested(); first += step {
				last := min(first+step, end)
				compute(out[first:last], in[first:last], l.RowLength)
			}
			return nil
		}
		for step := (finishElements/l.RowLength + 1) * l.RowLength; first < end && !r.Stop.Requested(); first += step {
			x := out[first:min(first+step, end)]
			compute(x, in[first:first+len(x)], l.RowLength)
			finish(r, x, first)
		}
		return nil
	}), nil
}

// groupElements is the number of elements of short blocks that are converted at once.
const groupElements = 1 << 10

// convertedPiece is the number of elements that are converted between two checks for a stop.
const convertedPiece = 1 << 16

// converted returns the kernel of a type that is computed in float32. It converts a block, or a
// group of short ones, in scratch memory, computes it there in place, and rounds the result.
func converted(p *ops.Preparation, port int, l Layout, c Computation, conversion *widened.Conversion) (*ops.Prepared, error) {
	group, segments := 1, false
	if l.dense() {
		group, segments = max(groupElements/l.RowLength, 1), c.Segments32 != nil && l.RowLength <= longRow
	}
	if c.ScratchRows > math.MaxInt-l.Rows-group {
		return nil, errMemory
	}
	s := newShare(p, &l, group-1+l.Rows+c.ScratchRows, 4)
	size := conversion.From.Size()
	return s.prepared(&l, func(r *ops.Run, worker, first, end int) error {
		scratch := s.own.Of(r, worker)
		in, out := r.Inputs[port].Bytes(), r.Outputs[0].Bytes()
		meter := r.Stop.Meter()
		for i := first; i < end; i += group {
			b, at := block[float32](&l, i)
			// the blocks of a group are single rows without gaps between them
			blocks := min(group, end-i)
			row := blocks * b.Cols
			elements := cast.Bytes[float32](scratch)
			b.contiguous, b.Stop, b.Scratch = true, r.Stop, elements[b.Rows*row:]
			elements = elements[:b.Rows*row]
			if meter.Spent(blockWork * blocks) {
				return nil
			}
			for i := range b.Rows {
				from := at + offset(b.reduced, i)
				for lo := 0; lo < row; lo += convertedPiece {
					n := min(convertedPiece, row-lo)
					if meter.Spent(n + 8) {
						return nil
					}
					conversion.Widen(scratch[4*(i*row+lo):][:4*n], in[(from+lo)*size:][:n*size])
				}
			}
			if segments {
				c.Segments32(elements, elements, l.RowLength)
			} else {
				for range blocks {
					b.in = elements[:b.Rows*b.Cols]
					b.out, elements = b.in, elements[len(b.in):]
					c.F32(r, b)
					b.Index++
				}
			}
			for i := range b.Rows {
				to := at + offset(b.reduced, i)
				for lo := 0; lo < row; lo += convertedPiece {
					n := min(convertedPiece, row-lo)
					if meter.Spent(n + 8) {
						return nil
					}
					conversion.Narrow(out[(to+lo)*size:][:n*size], scratch[4*(i*row+lo):][:4*n])
				}
			}
		}
		return nil
	}), nil
}
