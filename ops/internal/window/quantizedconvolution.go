package window

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/conv/implicit"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// QuantizedAttributes are the attributes of a quantised convolution: Of has those of a convolution
// of floats.
type QuantizedAttributes struct {
	Of      any
	grouped bool
	// Outside has the levels outside of the data: one, or one for each of several groups.
	Outside []uint8
}

// ParseQuantized returns Op.Attributes of a quantised convolution; parse is that of a convolution
// of floats.
func ParseQuantized(parse func(*ir.Attributes) (any, error)) func(*ir.Attributes) (any, error) {
	return func(a *ir.Attributes) (any, error) {
		of, err := parse(a)
		if err != nil {
			return nil, err
		}
		at := &QuantizedAttributes{Of: of, grouped: a.Bool("grouped", false)}
		for _, n := range a.Ints("outside") {
			if n < 0 || n > 255 {
				a.Fail("outside", "%d is not 0 to 255", n)
			}
			at.Outside = append(at.Outside, uint8(n))
		}
		if len(at.Outside) == 0 {
			at.Outside = []uint8{0}
		}
		return at, a.Err()
	}
}

// InferQuantized returns Op.Infer of a quantised convolution. The rules are those of convolutions
// of floats, of filters without and with groups. Data is u8, filters are i8; the inputs behind
// scale and offset are those behind filters in the rules.
func InferQuantized(infer, inferGroups func(*ops.Inference) error) func(*ops.Inference) error {
	return func(in *ops.Inference) error {
		at := in.Attributes.(*QuantizedAttributes)
		same := *in
		same.Attributes, same.Inputs = at.Of, append([]ir.Fact{in.Inputs[0], in.Inputs[1]}, in.Inputs[4:]...)
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
}

// QuantizedConvolution is a quantised convolution, or a transposed one: Axes are then those of the
// convolution in the opposite direction.
type QuantizedConvolution struct {
	Batch, Groups           int
	InChannels, OutChannels int // of a group
	Axes                    Volume
	Transposed              bool
	// NewPlan is implicit.New or NewTransposed, and TableBytes returns the size of its tables: each
	// family brings its own, so that programs do not link the other.
	NewPlan    func(stop parallel.Stop, g *implicit.Geometry, kernel *gemm.LaneKernel, threads int, constant bool) *implicit.Plan
	TableBytes func(*implicit.Geometry) int64
	// Other, if not nil, returns a kernel that is faster than a product; nil if there is none.
	Other func(q *Quantized) (*ops.Prepared, error)
}

// PrepareQuantized returns Op.Prepare of a quantised convolution. geometry returns the convolution
// for the filters.
func PrepareQuantized(geometry func(p *ops.Preparation, at *QuantizedAttributes, filters *ir.Tensor) (*QuantizedConvolution, error)) func(*ops.Preparation) (*ops.Prepared, error) {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		at := p.Attributes.(*QuantizedAttributes)
		output, err := p.OutputShape(0)
		if err != nil {
			return nil, err
		}
		filters := p.Inputs[1].Tensor
		if filters == nil || filters.ElementType() != ir.I8 {
			return nil, faults.Errorf("input 1 is %v%v, expected filters of i8", p.Inputs[1].Type, p.Inputs[1].Shape)
		}
		c, err := geometry(p, at, filters)
		if err != nil {
			return nil, err
		}
		if output.Elements() == 0 {
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }, Released: []int{1}}, nil
		}
		depth := filters.Len() / (c.Groups * c.OutChannels)
		if depth == 0 || depth > gemm.MaxBytesDepth {
			return nil, faults.Errorf("input 1 is %v: an output channel has %d elements, expected 1 to %d", filters.Shape(), depth, gemm.MaxBytesDepth)
		}
		_, plane := c.planes()
		q, err := newQuantized(p, c.Groups*c.OutChannels, plane, !c.Transposed)
		if err != nil {
			return nil, err
		}
		if c.Other != nil {
			if prepared, err := c.Other(q); prepared != nil || err != nil {
				return prepared, err
			}
		}
		return c.product(p, q, filters, at.Outside)
	}
}

// planes returns the number of elements of a plane of data and of the output.
func (c *QuantizedConvolution) planes() (in, out int) {
	if c.Transposed {
		return c.Axes.Output(), c.Axes.Input()
	}
	return c.Axes.Input(), c.Axes.Output()
}

// product returns the kernel that multiplies quads.
func (c *QuantizedConvolution) product(p *ops.Preparation, q *Quantized, filters *ir.Tensor, levels []uint8) (*ops.Prepared, error) {
	g := &implicit.Geometry{Batch: c.Batch, Groups: c.Groups, In: gemm.QuadsOf(c.InChannels), Out: c.OutChannels, Axes: c.Axes.Axes(), Stored: q.Stored}
	if !c.Transposed {
		g.Channels = c.InChannels
	}
	if err := p.Reserve(c.TableBytes(g)); err != nil {
		return nil, err
	}
	plan := c.NewPlan(p.Stop, g, gemm.NewQuads().Lanes(), p.Threads, true)
	if plan == nil {
		return nil, faults.Errorf("input 1 is %v: such windows need too much memory", filters.Shape())
	}
	if len(levels) != 1 {
		return nil, faults.Errorf("attribute outside has %d levels, expected one for such filters", len(levels))
	}
	call, err := c.call(p, plan, filters, levels[0])
	if err != nil {
		return nil, err
	}
	in, _ := c.planes()
	taps := filters.Len() / (c.Groups * c.OutChannels * c.InChannels)
	shape := quads{groups: c.Batch * c.Groups, in: c.InChannels, plane: in, taps: taps}
	if c.Transposed {
		shape.taps *= c.OutChannels
	}
	prepared, err := q.product(p, plan, shape, call)
	if err != nil {
		return nil, err
	}
	prepared.Flops = 2 * float64(c.Batch) * float64(c.Groups*c.OutChannels) * float64(c.Axes.Output()) * float64(c.InChannels) * float64(taps)
	return prepared, nil
}

// call returns what a call of the plan needs because elements outside of data are the level
// outside.
func (c *QuantizedConvolution) call(p *ops.Preparation, plan *implicit.Plan, filters *ir.Tensor, outside uint8) (implicit.Quads, error) {
	call := implicit.Quads{Outside: plan.Outside(outside)}
	if c.Transposed {
		sums, err := p.Once(filters, fmt.Sprint("sums ", plan.Key()), memory.Size[int32](plan.SumsLen()), func() (any, error) {
			return plan.PhaseSums(ir.Data[int8](filters), c.InChannels), nil
		})
		if err != nil {
			return call, err
		}
		call.Zero, call.Sums = outside, sums.([]int32)
		return call, nil
	}
	zero := implicit.QuadsZero(call.Outside)
	if zero == 0 {
		return call, nil
	}
	starts, err := p.Once(filters, fmt.Sprint("starts ", zero), memory.Size[int32](c.Groups, c.OutChannels), func() (any, error) {
		return implicit.FilterStarts(ir.Data[int8](filters), filters.Len()/(c.Groups*c.OutChannels), zero), nil
	})
	if err != nil {
		return call, err
	}
	call.Start = starts.([]int32)
	return call, nil
}
