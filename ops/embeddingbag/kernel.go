package embeddingbag

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// columns is the number of elements of a row that are summed at a time.
const columns = window.RowPiece

// kernel sums rows of a table of the given number of rows, each of row elements.
type kernel struct {
	rows, row, bags, members int
	blocks                   int // of columns of a row
	// layout is the layer type: it says which members a bag has.
	layout layout
	mean   bool
	// defaultPort and weightsPort are the numbers of optional inputs; 0 if they are not connected.
	defaultPort, weightsPort int
	halves                   bool // sums are computed in float32, for the 16-bit types
	part                     ops.Part
	grain                    int
	// starts has the first member of each bag, and the number of members in all bags.
	starts ops.Area[int64]
	// indices has the indices of the members, bag after bag.
	indices ops.Area[int64]
	// order has the positions of the members in the input, and unsorted their indices in that
	// order. They are only there for segments, whose members can have any order.
	order, unsorted ops.Area[int64]
	// wide has two rows of float32 for each bag, if halves is set.
	wide ops.Area[float32]
}

type layout uint8

const (
	offsets layout = iota
	packed
	segments
)

// prepareAs returns Op.Prepare for layer types with the given layout.
func prepareAs(l layout) func(*ops.Preparation) (*ops.Prepared, error) {
	return func(p *ops.Preparation) (*ops.Prepared, error) { return prepare(p, l) }
}

func prepare(p *ops.Preparation, l layout) (*ops.Prepared, error) {
	table := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	indices := p.InputShape(1)
	if out.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	k := &kernel{rows: table[0], row: table[1:].Elements(), bags: out[0], members: indices.Elements(), layout: l}
	_, k.mean = p.Attributes.(mean)
	next := []int{offsets: 3, packed: 2, segments: 4}[l]
	if l != packed {
		if len(p.Inputs) > next {
			k.defaultPort = next
		}
		next++
	}
	if len(p.Inputs) > next {
		k.weightsPort = next
	}
	if k.part = k.partOf(p.Outputs[0].Type); k.part == nil {
		return nil, faults.Errorf("emb_table of type %v has no kernel", p.Outputs[0].Type)
	}
	var s ops.Scratch
	k.starts, k.indices = ops.AreaOf[int64](&s, k.bags+1), ops.AreaOf[int64](&s, k.members)
	if l == segments {
		k.order, k.unsorted = ops.AreaOf[int64](&s, k.members), ops.AreaOf[int64](&s, k.members)
	}
	if k.halves {
		k.wide = ops.AreaOf[float32](&s, 2, k.bags, k.row)
	}
	work := float64(k.members) * float64(k.row)
	k.blocks = (k.row + columns - 1) / columns
	k.grain = ops.Grain(work/float64(k.bags) + float64(k.row))
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: 2 * work}, nil
}

// lists are the areas of a run, in the order of the fields of kernel.
type lists struct{ starts, indices, order, unsorted []int64 }

func (k *kernel) lists(r *ops.Run) lists {
	l := lists{starts: k.starts.In(r), indices: k.indices.In(r)}
	if k.layout == segments {
		l.order, l.unsorted = k.order.In(r), k.unsorted.In(r)
	}
	return l
}

func (k *kernel) run(r *ops.Run) error {
	l := k.lists(r)
	if err := k.setBags(r, &l); err != nil {
		return err
	}
	return r.For(k.bags*k.blocks, k.grain, k.part)
}

// setBags sets the members of all bags.
func (k *kernel) setBags(r *ops.Run, s *lists) error {
	read := s.indices
	if k.layout == segments {
		read = s.unsorted
	}
	gatherscatter.Widen(r.Stop, read, r.Inputs[1])
	if err := gatherscatter.Check(r, 1, read, 0, int64(k.rows)-1); err != nil {
		return faults.Errorf("indices: %w", err)
	}
	switch k.layout {
	case packed:
		meter := r.Stop.Meter()
		for b := range s.starts {
			if meter.Spent(8) {
				break
			}
			s.starts[b] = int64(b) * int64(k.members/k.bags)
		}
		return r.Stop.Err()
	case segments:
		if r.Inputs[2].ElementType() == ir.I32 {
			return sort(r, s, ir.Data[int32](r.Inputs[2]))
		}
		return sort(r, s, ir.Data[int64](r.Inputs[2]))
	}
	gatherscatter.Widen(r.Stop, s.starts, r.Inputs[2])
	s.starts[k.bags] = int64(k.members)
	if err := r.Stop.Err(); err != nil {
		return err
	}
	meter, before := r.Stop.Meter(), int64(0)
	for b, v := range s.starts {
		if meter.Spent(1) {
			return parallel.ErrStopped
		}
		if v < before || v > int64(k.members) {
			return faults.Errorf("offsets[%d] is %d, expected a number from %d, the offset before it, to %d, the number of indices", b, v, before, k.members)
		}
		before = v
	}
	return nil
}

// sort sets the members of segments in the order of the input. Members with other ids belong to no
// bag.
func sort[I int32 | int64](r *ops.Run, s *lists, ids []I) error {
	bags, meter := uint64(len(s.starts)-1), r.Stop.Meter()
	parallel.Clear(r.Stop, s.starts)
	for _, id := range ids {
		if meter.Spent(1) {
			return parallel.ErrStopped
		}
		if uint64(id) < bags {
			s.starts[id+1]++
		}
	}
	for b := range s.starts[1:] {
		if meter.Spent(1) {
			return parallel.ErrStopped
		}
		s.starts[b+1] += s.starts[b]
	}
	// starts[b] becomes the end of bag b.
	for i, id := range ids {
		if meter.Spent(2) {
			return parallel.ErrStopped
		}
		if uint64(id) < bags {
			at := s.starts[id]
			s.indices[at], s.order[at] = s.unsorted[i], int64(i)
			s.starts[id]++
		}
	}
	copy(s.starts[1:], s.starts) // which moves the ends to the starts of the next bags
	s.starts[0] = 0
	return nil
}

// defaultRow returns the row of the table for empty bags, or -1.
func (k *kernel) defaultRow(r *ops.Run) (int, error) {
	if k.defaultPort == 0 {
		return -1, nil
	}
	v, input := int64(0), r.Inputs[k.defaultPort]
	if input.ElementType() == ir.I32 {
		v = int64(ir.Data[int32](input)[0])
	} else {
		v = ir.Data[int64](input)[0]
	}
	if v < -1 || v >= int64(k.rows) {
		return -1, faults.Errorf("default_index is %d, emb_table has %d rows", v, k.rows)
	}
	return int(v), nil
}
