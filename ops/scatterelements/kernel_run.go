package scatterelements

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
)

// kernelOf returns the kernel that calls k for each tile of p, and its scratch memory in bytes.
func (c *call) kernelOf(p *plan, l locator, k tiler) (ops.Kernel, int, error) {
	p.divide(k.bytes(), c.threads)
	if !p.empty && p.far() {
		return nil, 0, faults.Errorf("data %v has more than 2^32 elements along axis %d and behind it", c.data, c.axis)
	}
	if p.elements == 0 && !p.empty {
		return func(r *ops.Run) error {
			value, unsigned := l.value(indicesOf(r.Inputs[indicesInput]), 0)
			return p.outside(0, value, unsigned)
		}, 0, nil
	}
	s := &scatter{plan: p, tiler: k, locator: l}
	if p.tiles == 0 {
		return s.kernel(), 0, nil
	}
	t := p.at(0)
	count, length, _ := p.bands(&t)
	// The work of a tile is that of its indices, and of its elements if it copies them.
	s.cost = float64(t.rows*t.columns) + float64(count*length)/16
	s.workers = (&ops.Preparation{Threads: c.threads}).Workers(p.tiles, s.cost)
	var scratch ops.Scratch
	if k.layOut(&scratch, s.workers, p, count*p.compactPitch()); scratch.Bytes() == math.MaxInt {
		return nil, 0, faults.Errorf("reduction %v of %v%v needs more scratch memory than fits an int", c.reduction, c.element, c.data)
	}
	return s.kernel(), scratch.Bytes(), nil
}

// scatter is the state of a kernel.
type scatter struct {
	plan    *plan
	tiler   tiler
	locator locator
	cost    float64 // of a tile
	workers int
}

// kernel returns the kernel. If the tiles do not cover data, it first copies data to out.
func (s *scatter) kernel() ops.Kernel {
	copyPart, tilePart := ops.Part(s.copyPart), ops.WorkerPart(s.tilePart)
	return func(r *ops.Run) error {
		if out, data := r.Outputs[0].Bytes(), r.Inputs[dataInput].Bytes(); !s.plan.whole && !same(out, data) {
			if err := r.For(len(out), ops.Grain(ops.CopyCost), copyPart); err != nil {
				return err
			}
		}
		return r.ForWorkers(s.plan.tiles, ops.Grain(s.cost), s.workers, tilePart)
	}
}

// same reports whether a and b start at the same address.
func same(a, b []byte) bool { return unsafe.SliceData(a) == unsafe.SliceData(b) }

// copyPart copies bytes lo to hi-1 of data to out.
func (s *scatter) copyPart(r *ops.Run, lo, hi int) error {
	copy(r.Outputs[0].Bytes()[lo:hi], r.Inputs[dataInput].Bytes()[lo:hi])
	return nil
}

// tilePart computes tiles lo to hi-1.
func (s *scatter) tilePart(r *ops.Run, worker, lo, hi int) error {
	x := buffers{
		out: r.Outputs[0].Bytes(), data: r.Inputs[dataInput].Bytes(), updates: r.Inputs[updatesInput].Bytes(),
		indices: indicesOf(r.Inputs[indicesInput]), locator: s.locator, stop: r.Stop, run: r, worker: worker,
	}
	x.fresh = s.plan.whole && !same(x.out, x.data)
	for i := lo; i < hi; i++ {
		if err := s.tiler.tile(s.plan, x, i); err != nil {
			return err
		}
	}
	return nil
}

// singly returns the kernel for strings and for elements of less than a byte, which moves them one
// by one. It runs on one thread because neighbouring elements share bytes.
func (c *call) singly(p *plan, l locator) (ops.Kernel, int, error) {
	p.divide(1, 1)
	var scratch ops.Scratch
	positions := ops.AreaOf[uint32](&scratch, blockLength)
	if !p.empty && p.far() {
		return nil, 0, faults.Errorf("data %v has more than 2^32 elements along axis %d and behind it", c.data, c.axis)
	}
	return func(r *ops.Run) error {
		out, data, updates := r.Outputs[0], r.Inputs[dataInput], r.Inputs[updatesInput]
		strings := out.Strings()
		if !same(out.Bytes(), data.Bytes()) || unsafe.SliceData(strings) != unsafe.SliceData(data.Strings()) {
			r.Copy(out, data)
		}
		x, buffer := indicesOf(r.Inputs[indicesInput]), positions.In(r)
		for i := range p.tiles {
			t := p.at(i)
			for w := p.walk(&t, &p.spread); w.next(); {
				if r.Stop.Requested() {
					return nil
				}
				at, err := w.locate(l, buffer, x)
				if err != nil {
					return err
				}
				for j, to := range at {
					from := w.updates + j/w.columns*p.updatesRow + j%w.columns
					if strings != nil {
						strings[t.data+int(to)] = updates.Strings()[from]
					} else {
						out.SetPacked(t.data+int(to), updates.Packed(from))
					}
				}
			}
		}
		return nil
	}, scratch.Bytes(), nil
}
