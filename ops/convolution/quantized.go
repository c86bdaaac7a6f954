package convolution

import (
	"fmt"
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// quantizedAttributes are those of QuantizedConvolution.
type quantizedAttributes struct {
	*window.Attributes
	grouped bool
	outside uint8
}

func parseQuantized(a *ir.Attributes) (any, error) {
	w, err := parse(a)
	if err != nil {
		return nil, err
	}
	outside := a.Int("outside", 0)
	if outside < 0 || outside > 255 {
		a.Fail("outside", "%d is not 0 to 255", outside)
	}
	return &quantizedAttributes{w.(*window.Attributes), a.Bool("grouped", false), uint8(outside)}, a.Err()
}

// inferQuantized is infer or inferGroups with the types of QuantizedConvolution.
func inferQuantized(in *ops.Inference) error {
	at := in.Attributes.(*quantizedAttributes)
	same := *in
	same.Attributes, same.Inputs = at.Attributes, []ir.Fact{in.Inputs[0], in.Inputs[1]}
	for i, t := range []ir.ElementType{ir.U8, ir.I8} {
		if got := same.Inputs[i].Type; got != t && got != ir.Dynamic {
			return faults.Errorf("input %d is %v, expected %v", i, got, t)
		}
		same.Inputs[i].Type = ir.F32
	}
	if at.grouped {
		return inferGroups(&same)
	}
	return infer(&same)
}

// prepareQuantized returns the kernel of QuantizedConvolution. The first step interleaves the channels of data, so that
// four of them, or two, are a quad; package conv multiplies these.
func prepareQuantized(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*quantizedAttributes)
	data, err := p.Inputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	output, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	t := p.Inputs[1].Tensor
	if t == nil || t.ElementType() != ir.I8 {
		return nil, faults.Errorf("input 1 is %v%v, expected filters of i8", p.Inputs[1].Type, p.Inputs[1].Shape)
	}
	g, err := newGeometry(at.Attributes, data, t.Shape(), output)
	if err != nil {
		return nil, err
	}
	if output.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }, Released: []int{1}}, nil
	}
	if n := g.inChannels * g.taps(); n == 0 || n > gemm.MaxBytesDepth {
		return nil, faults.Errorf("input 1 is %v: a filter has %d elements, expected 1 to %d", t.Shape(), n, gemm.MaxBytesDepth)
	}
	q := quantized{geometry: g, outside: at.outside, inPlane: g.axes.Input(), size: gemm.QuadSize()}
	q.quads = conv.QuadsOf(g.inChannels, q.size)
	if q.scale, err = q.channels(p, 2); err != nil {
		return nil, err
	}
	if q.epilogue, err = q.newEpilogue(p); err != nil {
		return nil, err
	}
	if g.inChannels == 1 && g.groups > 1 {
		if prepared, err := q.depthwise(p, t); prepared != nil || err != nil {
			return prepared, err
		}
	}
	return q.prepare(p, t)
}

// quantized is a QuantizedConvolution.
type quantized struct {
	*geometry
	outside  uint8
	scale    []float32 // of each output channel
	epilogue func(*ops.Run) *conv.Epilogue
	bytes    bool // the output is u8, and epilogue has no Store
	stored   bool // the output is u8
	inPlane  int  // elements of a channel of data
	size     int  // channels of a quad
	quads    int  // of the channels of a group
	plan     *conv.Implicit
	filters  []float32 // packed for plan
	start    []int32   // of the sums of each output channel; may be nil
	at       int       // where the scratch memory of plan starts: after the quads of data
}

// channels returns an input that has an element for each output channel.
func (q *quantized) channels(p *ops.Preparation, i int) ([]float32, error) {
	t, n := p.Inputs[i].Tensor, q.groups*q.outChannels
	if t == nil || t.ElementType() != ir.F32 || t.Len() != n {
		return nil, faults.Errorf("input %d is %v%v, expected %d elements of f32", i, p.Inputs[i].Type, p.Inputs[i].Shape, n)
	}
	return ir.Data[float32](t), nil
}

// newEpilogue returns window.Epilogue with the offset as a bias. A bias at the front of the stages is added to it. Where only a
// clamp and a quantisation follow, the scale, the offset and the clamp become those of levels.
func (q *quantized) newEpilogue(p *ops.Preparation) (func(*ops.Run) *conv.Epilogue, error) {
	offset, err := q.channels(p, 3)
	if err != nil {
		return nil, err
	}
	if err := p.Reserve(memory.Size[float32](2, len(offset))); err != nil {
		return nil, err
	}
	bias := ops.Stage{Bias: slices.Clone(offset), Inner: q.axes.Output()}
	rest := p.Stages
	if len(rest) > 0 && (len(rest[0].Bias) == 1 || len(rest[0].Bias) == len(offset) && rest[0].Inner == bias.Inner) {
		for i := range bias.Bias {
			bias.Bias[i] += rest[0].Bias[i%len(rest[0].Bias)]
		}
		rest = rest[1:]
	}
	store := p.Store()
	q.stored = store != nil
	if q.stored {
		if e := q.levels(bias.Bias, rest); e != nil {
			q.bytes = true
			return func(*ops.Run) *conv.Epilogue { return e }, nil
		}
		rest = rest[:len(rest)-1]
	}
	with := *p
	with.Stages = append([]ops.Stage{bias}, rest...)
	return window.Epilogue(&with, store, len(offset), bias.Inner)
}

// levels returns the epilogue that computes the levels of the last stage, and changes bias and q.scale accordingly. It returns
// nil if the stages are not such levels, perhaps with a clamp before them.
func (q *quantized) levels(bias []float32, stages []ops.Stage) *conv.Epilogue {
	l := stages[len(stages)-1].Levels
	if l == nil || len(stages) > 2 || len(stages) == 2 && !stages[0].Clamp || len(l.Scale) > 1 && (len(l.Scale) != len(bias) || l.Inner != q.axes.Output()) {
		return nil
	}
	e := &conv.Epilogue{Bias: bias, Clamp: true, Hi: l.Max}
	scale := make([]float32, len(bias))
	for i := range bias {
		c := i % len(l.Scale)
		level := func(x float32) float32 { return float32(float64(x)*float64(l.Scale[c]) + float64(l.Shift[c])) }
		if len(stages) == 2 {
			lo := min(max(level(stages[0].Lo), 0), l.Max)
			hi := max(min(level(stages[0].Hi), l.Max), lo)
			if i > 0 && (lo != e.Lo || hi != e.Hi) {
				return nil // the channels are clamped to different levels
			}
			e.Lo, e.Hi = lo, hi
		}
		scale[i] = q.scale[i] * l.Scale[c]
	}
	for i := range bias {
		c := i % len(l.Scale)
		bias[i] = float32(float64(bias[i])*float64(l.Scale[c]) + float64(l.Shift[c]))
	}
	q.scale = scale
	return e
}

// prepare plans the product and packs the filters.
func (q *quantized) prepare(p *ops.Preparation, filters *ir.Tensor) (*ops.Prepared, error) {
	c := &conv.Geometry{Batch: q.batch, Groups: q.groups, In: q.quads, Out: q.outChannels, Axes: q.axes.Axes(), Quads: true, Stored: q.stored}
	if err := p.Reserve(c.TableBytes()); err != nil {
		return nil, err
	}
	if q.plan = conv.NewImplicit(p.Stop, c, p.Threads, true); q.plan == nil {
		return nil, faults.Errorf("input 1 is %v: such windows need too much memory", filters.Shape())
	}
	once, err := p.Once(filters, q.plan.Key(), memory.Size[float32](q.plan.FiltersLen()), func() (any, error) {
		if err := p.Reserve(memory.Size[float32](q.groups, q.outChannels, q.quads, q.taps())); err != nil {
			return nil, err
		}
		return q.plan.PackFilters(p.Stop, conv.FilterQuads(ir.Data[int8](filters), q.inChannels, q.taps(), q.size)), nil
	})
	if err != nil {
		return nil, err
	}
	q.filters = once.([]float32)
	q.outside = q.plan.Outside(q.outside)
	if zero := conv.QuadsZero(q.outside); zero > 0 {
		once, err := p.Once(filters, fmt.Sprint("starts ", zero), memory.Size[int32](q.groups, q.outChannels), func() (any, error) {
			return conv.FilterStarts(ir.Data[int8](filters), q.inChannels*q.taps(), zero), nil
		})
		if err != nil {
			return nil, err
		}
		q.start = once.([]int32)
	}
	if memory.Size[float32](q.batch, q.groups, q.quads, q.inPlane) > int64(math.MaxInt-memory.Align-q.plan.ScratchBytes()) {
		return nil, faults.Errorf("input 0 is %v: its quads need more bytes than fit an int", p.Inputs[0].Shape)
	}
	q.at = memory.Padded[byte](4 * q.batch * q.groups * q.quads * q.inPlane)
	return &ops.Prepared{
		Kernel:       q.kernel,
		ScratchBytes: q.at + q.plan.ScratchBytes(),
		Released:     []int{1},
		Algorithm:    "implicit GEMM of bytes",
		Precision:    ir.I8,
		Flops:        2 * float64(q.planes()) * float64(q.axes.Output()) * float64(q.inChannels) * float64(q.taps()),
	}, nil
}

// quadGrain is the number of elements whose interleaving is worth another thread.
const quadGrain = 1 << 16

func (q *quantized) kernel(r *ops.Run) error {
	q.epilogue(r)
	if q.inPlane > 0 { // else all windows are in the padding
		if err := r.For(q.batch*q.groups*q.quads, quadGrain/(4*q.inPlane)+1, q.pack); err != nil {
			return err
		}
	}
	q.plan.Begin(r.Scratch[q.at:])
	return r.For(q.plan.Items(0), 1, q.multiply)
}

// input returns the quads of data.
func (q *quantized) input(r *ops.Run) []float32 {
	return cast.Bytes[float32](r.Scratch)[:q.batch*q.groups*q.quads*q.inPlane]
}

// pack computes planes lo to hi-1 of quads.
func (q *quantized) pack(r *ops.Run, lo, hi int) error {
	data, to := ir.Data[uint8](r.Inputs[0]), q.input(r)
	for ; lo < hi && !r.Stop.Requested(); lo++ {
		first := lo/q.quads*q.inChannels + lo%q.quads*q.size
		channels := min(q.size, q.inChannels-lo%q.quads*q.size)
		conv.PackQuads(to[lo*q.inPlane:][:q.inPlane], data[first*q.inPlane:][:channels*q.inPlane], q.outside, q.size)
	}
	return nil
}

// multiply runs items lo to hi-1 of the plan.
func (q *quantized) multiply(r *ops.Run, lo, hi int) error {
	c := conv.Call{
		In: q.input(r), Filters: q.filters, Scratch: r.Scratch[q.at:], Epilogue: q.epilogue(r), Stop: r.Stop,
		Quads: conv.Quads{Outside: q.outside, Start: q.start, Scale: q.scale},
	}
	switch {
	case q.bytes:
		c.Quads.Bytes = ir.Data[uint8](r.Outputs[0])
	case !q.stored:
		c.Out = ir.Data[float32](r.Outputs[0])
	}
	q.plan.Do(0, c, lo, hi)
	return nil
}
