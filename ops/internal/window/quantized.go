package window

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/implicit"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Quantized is what a quantized convolution does to its sums.
type Quantized struct {
	Scale    []float32 // of each output channel
	Epilogue func(*ops.Run) *conv.Epilogue
	Bytes    bool // the output is u8, and Epilogue has no Store
	Stored   bool // the output is u8
}

// outputs are the outputs of a quantized convolution.
type outputs struct {
	channels, plane int  // channels of all groups, and the elements of each
	levels          bool // whether the kernel has conv.Epilogue.Levels
}

// newQuantized returns what follows the sums of a layer with the inputs data, filters, scale and
// offset.
func newQuantized(p *ops.Preparation, channels, plane int, levels bool) (*Quantized, error) {
	q := &Quantized{}
	var err error
	if q.Scale, err = p.Floats(2, channels); err != nil {
		return nil, err
	}
	return q, q.setEpilogue(p, outputs{channels, plane, levels})
}

// setEpilogue sets Epilogue to that of the stages, with the offset as a bias. A bias at the front
// of the stages is added to it. Where only a clamp and a quantisation follow, the scale, the offset
// and the clamp become those of levels.
func (q *Quantized) setEpilogue(p *ops.Preparation, o outputs) error {
	offset, err := p.Floats(3, o.channels)
	if err != nil {
		return err
	}
	if err := p.Reserve(memory.Size[float32](5, o.channels)); err != nil {
		return err
	}
	bias := ops.Stage{Bias: slices.Clone(offset), Inner: o.plane}
	rest := p.Stages
	if len(rest) > 0 && (len(rest[0].Bias) == 1 || len(rest[0].Bias) == o.channels && rest[0].Inner == o.plane) {
		for i := range bias.Bias {
			bias.Bias[i] += rest[0].Bias[i%len(rest[0].Bias)]
		}
		rest = rest[1:]
	}
	store := p.Store()
	q.Stored = store != nil
	if q.Stored {
		if e := q.levels(bias.Bias, o, rest); e != nil {
			q.Bytes = true
			q.Epilogue = func(*ops.Run) *conv.Epilogue { return e }
			return nil
		}
		rest = rest[:len(rest)-1]
	}
	with := *p
	with.Stages = append([]ops.Stage{bias}, rest...)
	q.Epilogue, err = Epilogue(&with, store, o.channels, o.plane)
	return err
}

// levels returns the epilogue that computes the levels of the last stage. It returns nil if the
// stages are not such levels, perhaps with a clamp, an HSwish or a PRelu before them.
func (q *Quantized) levels(bias []float32, o outputs, stages []ops.Stage) *conv.Epilogue {
	l := stages[len(stages)-1].Levels
	if l == nil || len(stages) > 2 || len(l.Scale) > 1 && (len(l.Scale) != len(bias) || l.Inner != o.plane) {
		return nil
	}
	before := stages[:len(stages)-1]
	if len(before) == 0 || before[0].Clamp {
		if e := q.clampLevels(bias, l, before); e != nil {
			return e
		}
	}
	if !o.levels || !gemm.HasLevels() {
		return nil
	}
	e := &conv.Epilogue{Bias: bias, Levels: &levels.Levels{HSwish: before[0].HSwish, Scale: l.Scale, Shift: l.Shift, Max: l.Max}}
	switch slope := before[0].Slope; {
	case before[0].Clamp, before[0].HSwish:
	case slices.ContainsFunc(slope, func(x float32) bool { return !(math.Abs(float64(x)) <= math.MaxFloat32) }):
		return nil
	case len(slope) == 1:
		e.Levels.Slope = slices.Repeat(slope, len(bias))
	case len(slope) == len(bias) && before[0].Inner == o.plane:
		e.Levels.Slope = slope
	default:
		return nil
	}
	if before[0].Clamp {
		e.Clamp, e.Lo, e.Hi = true, before[0].Lo, before[0].Hi
	}
	if len(l.Scale) == 1 {
		e.Levels.Scale, e.Levels.Shift = slices.Repeat(l.Scale, len(bias)), slices.Repeat(l.Shift, len(bias))
	}
	return e
}

// clampLevels returns an epilogue whose results are levels: bias, q.Scale and the clamp before
// them, if there is one, change accordingly. It returns nil if the channels would be clamped to
// different levels.
func (q *Quantized) clampLevels(bias []float32, l *ops.Levels, before []ops.Stage) *conv.Epilogue {
	e := &conv.Epilogue{Bias: bias, Clamp: true, Hi: l.Max}
	scale := make([]float32, len(bias))
	for i := range bias {
		c := i % len(l.Scale)
		if len(before) > 0 {
			lo, hi := l.Clamped(before[0].Lo, before[0].Hi, c)
			if i > 0 && (lo != e.Lo || hi != e.Hi) {
				return nil
			}
			e.Lo, e.Hi = lo, hi
		}
		scale[i] = q.Scale[i] * l.Scale[c]
	}
	for i := range bias {
		bias[i] = l.Of(bias[i], i%len(l.Scale))
	}
	q.Scale = scale
	return e
}

// quads describes what a convolution of quads reads.
type quads struct {
	groups, in int // of all images together, and channels of a group
	plane      int // elements of a channel of data
	taps       int // elements of the filters that follow each other for an input channel
}

// quadProduct is a product of quads.
type quadProduct struct {
	*Quantized
	quads
	plan    *implicit.Plan
	filters []gemm.Lane // packed for plan
	call    implicit.Quads
	size    int                 // channels of a quad
	count   int                 // quads of the channels of a group
	own     ops.Area[byte]      // of plan
	made    ops.Area[gemm.Quad] // the quads of data, unless plan makes them
}

// product returns the kernel of a quantized convolution that m computes. Unless m packs data
// itself, its first step interleaves the channels of data, so that four of them, or two, are a
// quad. call has what does not change from run to run, without a Scale.
func (q *Quantized) product(p *ops.Preparation, m *implicit.Plan, shape quads, call implicit.Quads) (*ops.Prepared, error) {
	call.Scale = q.Scale
	d := &quadProduct{Quantized: q, quads: shape, plan: m, call: call, size: gemm.QuadSize()}
	d.count = gemm.QuadsOf(d.in)
	filters := p.Inputs[1].Tensor
	once, err := p.Once(filters, m.Key(), memory.Size[float32](m.FiltersLen()), func() (any, error) {
		release, err := p.Borrow(memory.Size[float32](filters.Len()/d.in, d.count))
		if err != nil {
			return nil, err
		}
		defer release()
		return m.PackFilters(p.Stop, cast.Slice[gemm.Lane](implicit.FilterQuads(ir.Data[int8](filters), d.in, d.taps, d.size))), nil
	})
	if err != nil {
		return nil, err
	}
	d.filters = once.([]gemm.Lane)
	var s ops.Scratch
	if !m.PacksInput() {
		d.made = ops.AreaOf[gemm.Quad](&s, d.groups, d.count, d.plane)
	}
	d.own = ops.AreaOf[byte](&s, m.ScratchBytes())
	var steps []ops.Step
	if d.plane > 0 && !m.PacksInput() { // without a plane, all windows are in the padding
		steps = append(steps, ops.Step{N: d.groups * d.count, Grain: ops.Grain(float64(d.plane)), Part: d.pack})
	}
	steps = append(steps, ops.Step{N: m.Items(0), Grain: 1, WorkerPart: d.multiply, Workers: m.Workers()})
	return &ops.Prepared{
		Kernel:       Kernel(d.Epilogue, steps...),
		ScratchBytes: s.Bytes(),
		Released:     []int{1},
		Algorithm:    "implicit GEMM of bytes",
		Precision:    ir.I8,
	}, nil
}

// pack computes planes lo to hi-1 of quads.
func (d *quadProduct) pack(r *ops.Run, lo, hi int) error {
	data, to := ir.Data[uint8](r.Inputs[0]), d.made.In(r)
	for ; lo < hi && !r.Stop.Requested(); lo++ {
		first := lo/d.count*d.in + lo%d.count*d.size
		channels := min(d.size, d.in-lo%d.count*d.size)
		implicit.PackQuads(to[lo*d.plane:][:d.plane], data[first*d.plane:][:channels*d.plane], d.call.Outside, d.size)
	}
	return nil
}

// multiply runs items lo to hi-1 of the plan.
func (d *quadProduct) multiply(r *ops.Run, worker, lo, hi int) error {
	c := implicit.Call{Filters: d.filters, Scratch: d.own.In(r), Epilogue: d.Epilogue(r), Stop: r.Stop, Quads: d.call}
	if d.plan.PacksInput() {
		c.Quads.In = ir.Data[uint8](r.Inputs[0])
	} else {
		c.In = cast.Slice[gemm.Lane](d.made.In(r))
	}
	switch {
	case d.Bytes:
		c.Quads.Bytes = ir.Data[uint8](r.Outputs[0])
	case !d.Stored:
		c.Out = ir.Data[float32](r.Outputs[0])
	}
	d.plan.Do(0, c, worker, lo, hi)
	return nil
}
