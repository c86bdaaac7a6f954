package convolution

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/implicit"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// paired is a convolution whose data and filters are rounded to bf16 or f16. Its first step
// interleaves the channels of data, so that two of them are a pair; package conv multiplies these,
// or rounds the data itself.
type paired struct {
	*geometry
	inPlane  int // elements of a channel of data
	pairs    int // of the channels of a group
	plan     *implicit.Plan
	filters  []gemm.Lane // packed for plan
	epilogue func(*ops.Run) *conv.Epilogue
	own      ops.Area[byte]      // of plan
	made     ops.Area[gemm.Pair] // the pairs of data, unless plan makes them
}

// fitF16 reports whether f16 can hold the filters, and there is more than one channel: else half of
// each pair is 0.
func (g *geometry) fitF16(p *ops.Preparation, filters *ir.Tensor) (bool, error) {
	if g.inChannels == 1 {
		return false, nil
	}
	size := g.inChannels * g.taps()
	fit, err := p.Once(filters, fmt.Sprint("fit f16 by ", size), 1, func() (any, error) {
		return gemm.FitHalves(gemm.Matrix[float32]{Data: ir.Data[float32](filters), RowStride: size, ColStride: 1}, g.groups*g.outChannels, size), nil
	})
	if err != nil {
		return false, err
	}
	return fit.(bool), nil
}

// pairs is the plan that computes in p.Rounded, with constant filters.
func pairs(p *ops.Preparation, g *geometry, epilogue func(*ops.Run) *conv.Epilogue) (*ops.Prepared, error) {
	filters := p.Inputs[1].Tensor
	if p.Rounded == ir.Dynamic || filters == nil {
		return nil, nil
	}
	if p.Rounded == ir.F16 {
		if fit, err := g.fitF16(p, filters); !fit || err != nil {
			return nil, err
		}
	}
	q := paired{geometry: g, inPlane: g.axes.Input(), pairs: gemm.PairsOf(g.inChannels), epilogue: epilogue}
	c := &implicit.Geometry{
		Batch: g.batch, Groups: g.groups, In: q.pairs, Channels: g.inChannels, Out: g.outChannels, Axes: g.axes.Axes(),
	}
	if err := p.Reserve(c.TableBytes()); err != nil {
		return nil, err
	}
	if q.plan = implicit.New(p.Stop, c, gemm.NewPairs(p.Rounded == ir.F16).Lanes(), p.Threads, true); q.plan == nil || !q.plan.PairsPay() {
		return nil, nil
	}
	var s ops.Scratch
	if !q.plan.PacksInput() {
		q.made = ops.AreaOf[gemm.Pair](&s, g.batch, g.groups, q.pairs, q.inPlane)
	}
	if q.own = ops.AreaOf[byte](&s, q.plan.ScratchBytes()); s.Bytes() == math.MaxInt {
		return nil, nil
	}
	once, err := p.Once(filters, q.plan.Key(), memory.Size[float32](q.plan.FiltersLen()), func() (any, error) {
		release, err := p.Borrow(memory.Size[float32](g.groups, g.outChannels, q.pairs, g.taps()))
		if err != nil {
			return nil, err
		}
		defer release()
		return q.plan.PackFilters(p.Stop, cast.Slice[gemm.Lane](q.plan.FilterPairs(ir.Data[float32](filters), g.inChannels, g.taps()))), nil
	})
	if err != nil {
		return nil, err
	}
	q.filters = once.([]gemm.Lane)
	var steps []ops.Step
	if q.inPlane > 0 && !q.plan.PacksInput() { // without a plane, all windows are in the padding
		steps = append(steps, ops.Step{N: q.batch * q.groups * q.pairs, Grain: ops.Grain(float64(q.inPlane)), Part: q.pack})
	}
	steps = append(steps, ops.Step{N: q.plan.Items(0), Grain: 1, WorkerPart: q.multiply, Workers: q.plan.Workers()})
	return &ops.Prepared{
		Kernel:       window.Kernel(epilogue, steps...),
		ScratchBytes: s.Bytes(),
		Released:     []int{1},
		Algorithm:    "implicit GEMM of " + p.Rounded.String(),
		Precision:    p.Rounded,
	}, nil
}

// pack computes planes lo to hi-1 of pairs.
func (q *paired) pack(r *ops.Run, lo, hi int) error {
	data, to := ir.Data[float32](r.Inputs[0]), q.made.In(r)
	for ; lo < hi && !r.Stop.Requested(); lo++ {
		first := lo/q.pairs*q.inChannels + lo%q.pairs*2
		channels := min(2, q.inChannels-lo%q.pairs*2)
		q.plan.PackPairs(to[lo*q.inPlane:][:q.inPlane], data[first*q.inPlane:][:channels*q.inPlane])
	}
	return nil
}

// multiply runs items lo to hi-1 of the plan.
func (q *paired) multiply(r *ops.Run, worker, lo, hi int) error {
	c := implicit.Call{
		Out: ir.Data[float32](r.Outputs[0]), Filters: q.filters, Scratch: q.own.In(r), Epilogue: q.epilogue(r), Stop: r.Stop,
	}
	if q.plan.PacksInput() {
		c.Floats = ir.Data[float32](r.Inputs[0])
	} else {
		c.In = cast.Slice[gemm.Lane](q.made.In(r))
	}
	q.plan.Do(0, c, worker, lo, hi)
	return nil
}
