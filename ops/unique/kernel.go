package unique

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sorting"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	l := layout{shape: shape, axis: -1, Lines: index.Lines{Outer: 1, Length: shape.Elements(), Inner: 1}}
	axis, along, err := axisOf(&ops.Inference{Layer: p.Layer, Inputs: p.Inputs})
	if err != nil {
		return nil, err
	}
	if along {
		l = layout{shape: shape, axis: axis, Lines: index.Along(shape, axis)}
	} else if len(p.Inputs) > 1 {
		return nil, errors.New("axis is not known")
	}
	switch t := p.Inputs[0].Type; {
	case t == ir.String, slices.Contains([]int{1, 2, 4, 8}, t.Size()):
		return kernelOf(p, l)
	default:
		return nil, faults.Errorf("data of type %v has no kernel", t)
	}
}

// layout describes data of shape [Outer, Length, Inner] with Length slices. If there is no axis,
// which is then -1, each element is a slice.
type layout struct {
	shape ir.Shape
	axis  int
	index.Lines
}

// slice is a slice of data: its position, and the key of its first element.
type slice struct {
	key      uint64
	position int64
}

type kernel struct {
	layout
	size          int // of an element in bytes, 0 for strings
	sorted        bool
	order         order
	slices, spare ops.Area[slice]    // spare is what Sort needs
	groups        [4]ops.Area[int64] // in the order of the fields of groups
}

func kernelOf(p *ops.Preparation, l layout) (*ops.Prepared, error) {
	k := &kernel{layout: l, size: p.Inputs[0].Type.Size(), sorted: p.Attributes.(attributes).sorted, order: orderOf(p.Inputs[0].Type)}
	var s ops.Scratch
	k.slices, k.spare = ops.AreaOf[slice](&s, l.Length), ops.AreaOf[slice](&s, sorting.SpareLen(l.Length))
	for i := range k.groups {
		k.groups[i] = ops.AreaOf[int64](&s, l.Length)
	}
	elements := float64(l.Outer) * float64(l.Length) * float64(l.Inner)
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: elements * float64(8+4*bits.Len(uint(l.Length)))}, nil
}

// source has the elements of data: bytes of numbers, or texts.
type source struct {
	bytes []byte
	texts []string
}

// groups are the groups of equal slices, as positions and counts of slices.
type groups struct {
	leader []int64 // of each slice: the first slice that is equal
	number []int64 // of each group, at the position of its leader
	first  []int64 // of each group, in the order of the output: its leader
	count  []int64 // of each group: the number of its slices
}

func (k *kernel) run(r *ops.Run) error {
	s := k.slices.In(r)
	g := groups{k.groups[0].In(r), k.groups[1].In(r), k.groups[2].In(r), k.groups[3].In(r)}
	if err := k.sort(r, s); err != nil {
		return err
	}
	found, err := k.group(r, s, &g)
	if err != nil {
		return err
	}
	return k.write(r, &g, found)
}

// sort sorts the slices, equal ones by their positions.
func (k *kernel) sort(r *ops.Run, s []slice) error {
	data := source{r.Inputs[0].Bytes(), r.Inputs[0].Strings()}
	meter := r.Stop.Meter()
	for i := range k.Length {
		s[i] = slice{position: int64(i)}
		if k.Outer*k.Inner > 0 {
			s[i].key = k.keyOf(&data, i*k.Inner)
		}
		if meter.Spent(4) {
			return parallel.ErrStopped
		}
	}
	sorting.Sort(r.Stop, s, k.spare.In(r), func(a, b slice) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		if c := k.compare(&meter, &data, a.position, b.position); c != 0 {
			return c
		}
		return cmp.Compare(a.position, b.position)
	})
	return r.Stop.Err()
}

// at returns the bits of element i of data.
func (k *kernel) at(data []byte, i int) uint64 {
	switch k.size {
	case 1:
		return uint64(data[i])
	case 2:
		return uint64(binary.NativeEndian.Uint16(data[2*i:]))
	case 4:
		return uint64(binary.NativeEndian.Uint32(data[4*i:]))
	}
	return binary.NativeEndian.Uint64(data[8*i:])
}

// keyOf returns the key of an element. Only equal numbers have the same one, but texts that start
// alike.
func (k *kernel) keyOf(data *source, i int) uint64 {
	if k.size == 0 {
		return textKey(data.texts[i])
	}
	return k.order.key(k.at(data.bytes, i))
}

// compare compares two slices whose first elements have the same key.
func (k *kernel) compare(meter *parallel.Meter, of *source, a, b int64) int {
	if k.size == 0 {
		return k.compareTexts(meter, of.texts, a, b)
	}
	data := of.bytes
	if k.Outer*k.Inner <= 1 {
		return 0
	}
	for o := range k.Outer {
		x, y := (o*k.Length+int(a))*k.Inner, (o*k.Length+int(b))*k.Inner
		if !bytes.Equal(data[x*k.size:][:k.Inner*k.size], data[y*k.size:][:k.Inner*k.size]) {
			for i := range k.Inner {
				v, w := k.at(data, x+i), k.at(data, y+i)
				if v == w {
					continue
				}
				if c := cmp.Compare(k.order.key(v), k.order.key(w)); c != 0 {
					return c
				}
			}
		}
		if meter.Spent(k.Inner) {
			return 0
		}
	}
	return 0
}

// group finds the groups of sorted slices, and their order. It returns their number.
func (k *kernel) group(r *ops.Run, s []slice, g *groups) (int, error) {
	data, meter, found := source{r.Inputs[0].Bytes(), r.Inputs[0].Strings()}, r.Stop.Meter(), 0
	for i, v := range s[:k.Length] {
		if i > 0 && s[i-1].key == v.key && k.compare(&meter, &data, s[i-1].position, v.position) == 0 {
			g.leader[v.position] = g.leader[s[i-1].position]
		} else {
			g.leader[v.position] = v.position
			g.number[v.position] = int64(found)
			g.first[found] = v.position
			found++
		}
		if meter.Spent(4) {
			return 0, parallel.ErrStopped
		}
	}
	parallel.Clear(r.Stop, g.count[:found])
	next := int64(0)
	for i, leader := range g.leader {
		if !k.sorted && leader == int64(i) {
			g.number[i], g.first[next] = next, leader
			next++
		}
		g.count[g.number[leader]]++
		if meter.Spent(4) {
			return 0, parallel.ErrStopped
		}
	}
	return found, nil
}

// write writes the outputs.
func (k *kernel) write(r *ops.Run, g *groups, found int) error {
	if err := k.writeData(r, g.first[:found]); err != nil {
		return err
	}
	if len(r.Outputs) < 4 {
		return nil
	}
	if err := r.SetShape(1, found); err != nil {
		return err
	}
	if err := r.SetShape(2, k.Length); err != nil { // unknown to the shape rule if data is empty
		return err
	}
	if err := r.SetShape(3, found); err != nil {
		return err
	}
	for i, leader := range g.leader {
		g.leader[i] = g.number[leader]
	}
	if k.Length > 0 {
		put(r, 1, g.first[:found])
		put(r, 2, g.leader)
		put(r, 3, g.count[:found])
	}
	return r.Stop.Err()
}

// writeData writes the slices at the given positions to output 0.
func (k *kernel) writeData(r *ops.Run, first []int64) error {
	var lengths [ir.MaxRank]int
	rank := 1
	lengths[0] = len(first)
	if k.axis >= 0 {
		rank = copy(lengths[:], k.shape)
		lengths[k.axis] = len(first)
	}
	if err := r.SetShape(0, lengths[:rank]...); err != nil {
		return err
	}
	data, out := r.Inputs[0], r.Outputs[0]
	if k.size == 0 {
		return copyRows(r, &k.layout, out.Strings(), data.Strings(), k.Inner, first)
	}
	return copyRows(r, &k.layout, out.Bytes(), data.Bytes(), k.Inner*k.size, first)
}

// copyRows copies the slices at the given positions, which are rows of data.
func copyRows[T any](r *ops.Run, l *layout, out, data []T, row int, first []int64) error {
	meter := r.Stop.Meter()
	for o := range l.Outer {
		for i, position := range first {
			if meter.Spent(l.Inner + 4) {
				return parallel.ErrStopped
			}
			copy(out[(o*len(first)+i)*row:][:row], data[(o*l.Length+int(position))*row:])
		}
	}
	return nil
}

// put writes numbers to an output of type i32 or i64.
func put(r *ops.Run, output int, from []int64) {
	out := r.Outputs[output]
	if out.ElementType() == ir.I64 {
		parallel.Copy(r.Stop, ir.Data[int64](out), from)
		return
	}
	parallel.Convert(r.Stop, ir.Data[int32](out), from, func(to []int32, from []int64) {
		for i, v := range from {
			to[i] = int32(v)
		}
	})
}
