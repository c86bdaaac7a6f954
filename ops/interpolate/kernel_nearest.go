package interpolate

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// mover copies the nearest elements. The elements after the last axis that changes are moved as
// blocks.
type mover struct {
	axes    []axis    // up to the last axis that changes
	sources [][]int32 // of each element of the output along each axis; nil if they are the same
	rows    int       // rows along the last axis that changes
	block   int
	planes  *planes // nil if rows are moved one by one
}

// nearestKernel returns a kernel that copies elements:
//
//	output[y...] = image[nearest(y)...], or 0 for padding
func nearestKernel(p *ops.Preparation, at *attributes, axes []axis) (*ops.Prepared, error) {
	m := &mover{axes: axes, rows: 1, block: 1}
	for len(m.axes) > 1 && m.axes[len(m.axes)-1].same() {
		m.block *= m.axes[len(m.axes)-1].input
		m.axes = m.axes[:len(m.axes)-1]
	}
	if len(m.axes) == 0 { // a scalar
		m.axes = []axis{{input: 1, padded: 1, output: 1, scale: 1}}
	}
	for i := range m.axes {
		a := &m.axes[i]
		sources, err := nearestSources(p, at, a, i == len(m.axes)-1)
		if err != nil {
			return nil, err
		}
		m.sources = append(m.sources, sources)
		if i < len(m.axes)-1 {
			m.rows *= a.output
		}
	}
	var part ops.Part
	size := p.Inputs[0].Type.Size()
	if size == 4 {
		var err error
		if m.planes, err = newPlanes(m, p); err != nil {
			return nil, err
		}
	}
	switch size {
	case 1:
		part = moverPart[uint8](m)
	case 2:
		part = moverPart[uint16](m)
	case 4:
		part = moverPart[uint32](m)
	default:
		part = moverPart[uint64](m)
	}
	rows, row := m.rows, m.axes[len(m.axes)-1].output*m.block
	if m.planes != nil {
		part = m.planesPart
		rows /= m.planes.rows
		row *= m.planes.rows
	}
	part = finished(p, part, row)
	grain := ops.Grain(float64(row))
	return &ops.Prepared{
		Kernel: func(r *ops.Run) error { return r.For(rows, grain, part) },
	}, nil
}

// nearestSources returns the sources along an axis, -1 for padding. It returns nil if they are the
// elements of the output, unless always is true.
func nearestSources(p *ops.Preparation, at *attributes, a *axis, always bool) ([]int32, error) {
	if a.same() && !always {
		return nil, nil
	}
	if a.input > math.MaxInt32 {
		return nil, faults.Errorf("an axis of %d elements is longer than is computed", a.input)
	}
	if err := p.Reserve(memory.Size[int32](a.output)); err != nil {
		return nil, err
	}
	sources, meter := make([]int32, a.output), p.Stop.Meter()
	for o := range sources {
		if meter.Spent(16) {
			return nil, parallel.ErrStopped
		}
		sources[o] = int32(a.nearest(at, o))
	}
	return sources, nil
}

// finished returns the part that calls part for a few of its items at a time, and then applies
// the stages to their output. An item has n elements.
func finished(p *ops.Preparation, part ops.Part, n int) ops.Part {
	finish := p.Finish()
	if finish == nil {
		return part
	}
	step := max(blockElements/max(n, 1), 1)
	return func(r *ops.Run, lo, hi int) error {
		for lo < hi {
			end := min(lo+step, hi)
			if err := part(r, lo, end); err != nil {
				return err
			}
			finish(r, ir.Data[float32](r.Outputs[0])[lo*n:end*n], lo*n)
			lo = end
		}
		return nil
	}
}

func moverPart[T any](m *mover) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		move(r.Stop, m, cast.Bytes[T](r.Outputs[0].Bytes()), cast.Bytes[T](r.Inputs[0].Bytes()), lo, hi)
		return nil
	}
}

// move sets rows lo to hi-1 of the output. It ends early if the work must stop.
func move[T any](stop parallel.Stop, m *mover, output, image []T, lo, hi int) {
	last := len(m.axes) - 1
	sources, length := m.sources[last], m.axes[last].input*m.block
	row := m.axes[last].output * m.block
	before := -2
	for i := lo; i < hi; i++ {
		if row > rowPiece && stop.Requested() {
			return
		}
		out := output[i*row : (i+1)*row]
		from := m.source(i, last-1)
		switch {
		case from == before:
			parallel.Copy(stop, out, output[(i-1)*row:i*row])
		case from < 0:
			parallel.Clear(stop, out)
		default:
			moveRow(stop, out, image[from*length:][:length], sources, m.block)
		}
		before = from
	}
}

// source returns the row or plane of the image that is the source of row or plane i of the
// output, or -1 for padding. They are counted along the axes up to last.
func (m *mover) source(i, last int) int {
	from, step := 0, 1
	for axis := last; axis >= 0; axis-- {
		a := &m.axes[axis]
		at := i % a.output
		if sources := m.sources[axis]; sources != nil {
			at = int(sources[at])
		}
		if at < 0 {
			return -1
		}
		from += at * step
		step *= a.input
		i /= a.output
	}
	return from
}

// moveRow sets a row of the output to blocks of a row of the image. It ends early if the work must
// stop.
func moveRow[T any](stop parallel.Stop, out, in []T, sources []int32, block int) {
	for len(out) > rowPiece && block < rowPiece {
		n := rowPiece / block
		if moveBlocks(stop, out, in, sources[:n], block); stop.Requested() {
			return
		}
		out, sources = out[n*block:], sources[n:]
	}
	moveBlocks(stop, out, in, sources, block)
}

// moveBlocks is moveRow for a few blocks, or for blocks that are long.
func moveBlocks[T any](stop parallel.Stop, out, in []T, sources []int32, block int) {
	if block == 1 {
		out = out[:len(sources)]
		var zero T
		for i, from := range sources {
			if from < 0 {
				out[i] = zero
				continue
			}
			out[i] = in[from]
		}
		return
	}
	for i, from := range sources {
		to := out[i*block : (i+1)*block]
		if from < 0 {
			parallel.Clear(stop, to)
			continue
		}
		parallel.Copy(stop, to, in[int(from)*block:][:block])
	}
}
