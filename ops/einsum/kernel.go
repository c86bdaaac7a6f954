package einsum

import (
	"slices"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
	"github.com/vinoir/vinoir/ops/internal/strided"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// prepare returns a kernel that multiplies the inputs pair by pair, and sums a label as soon as no
// other input and not the output has it. Each of its steps either multiplies matrices, or adds up
// products one by one.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	q, err := newProblem(p)
	if err != nil {
		return nil, err
	}
	switch {
	case q.empty:
		return &ops.Prepared{Kernel: zeros}, nil
	case len(q.inputs) == 1 && len(q.inputs[0].axes) == len(q.output.axes):
		return &ops.Prepared{Kernel: movement.Kernel(p.Outputs[0].Type, q.copyView())}, nil
	}
	ports := make([]int, len(p.Inputs))
	for i := range ports {
		ports[i] = i
	}
	return widened.Prepare(conversions, q.kernel, ports...)(p)
}

// conversions are those of the types that are computed in another one.
var conversions = slices.Concat(widened.Halves, widened.Long)

// kernel returns the kernel for a type that is not in conversions.
func (q *problem) kernel(p *ops.Preparation) (*ops.Prepared, error) {
	switch p.Outputs[0].Type {
	case ir.F32:
		return kernelOf(p, q, newFast())
	case ir.F64:
		return kernelOf(p, q, plain[float64]{})
	default: // i64 and u64, whose sums and products wrap to the same bits
		return kernelOf(p, q, plain[uint64]{})
	}
}

// axis is one label of an operand. The operand's elements along it are stride elements apart.
type axis struct{ label, n, stride int }

// operand is a view of a buffer. It has each label once, and none of length 1.
type operand struct {
	buffer int
	axes   []axis
}

func (o *operand) find(label int) (axis, bool) {
	for _, a := range o.axes {
		if a.label == label {
			return a, true
		}
	}
	return axis{}, false
}

func (o *operand) stride(label int) int {
	a, _ := o.find(label)
	return a.stride
}

// problem holds the inputs and the output as operands. Buffer i is input i, and the one after the
// inputs is the output.
type problem struct {
	inputs []operand
	output operand
	empty  bool // some label has length 0
}

func newProblem(p *ops.Preparation) (*problem, error) {
	at := p.Attributes.(attributes)
	shapes := make([]ir.Shape, len(p.Inputs))
	covered := 0 // the number of axes that the longest ellipsis stands for
	for i := range shapes {
		shapes[i] = p.InputShape(i)
		if slices.Contains(at.inputs[i], ellipsis) {
			covered = max(covered, len(shapes[i])-len(at.inputs[i])+1)
		}
	}
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	labels := make([][]int, len(shapes))
	lengths := make([]int, ellipses+covered)
	for i := range lengths {
		lengths[i] = 1
	}
	for i, shape := range shapes {
		labels[i] = expand(at.inputs[i], len(shape), covered)
		for k, label := range labels[i] {
			if shape[k] != 1 {
				lengths[label] = shape[k]
			}
		}
	}
	q := &problem{empty: slices.Contains(lengths, 0)}
	for i, shape := range shapes {
		q.inputs = append(q.inputs, view(i, labels[i], shape))
	}
	names := expand(at.output, len(output), covered)
	for i, label := range names {
		if slices.Contains(names[:i], label) {
			return nil, faults.Errorf("the output has label %q twice", rune(label))
		}
	}
	q.output = view(len(shapes), names, output)
	return q, nil
}

// ellipses is the first of the labels of the axes that an ellipsis stands for.
const ellipses = 256

// expand returns the label of each axis. The axes of all ellipses end with the same label.
func expand(s subscript, rank, covered int) []int {
	var labels []int
	for _, label := range s {
		if label != ellipsis {
			labels = append(labels, int(label))
			continue
		}
		n := rank - len(s) + 1
		for i := range n {
			labels = append(labels, ellipses+covered-n+i)
		}
	}
	return labels
}

// view returns a tensor as an operand. A label that occurs twice takes the diagonal. An axis of
// length 1 has no label: it is broadcast.
func view(buffer int, labels []int, shape ir.Shape) operand {
	o := operand{buffer: buffer}
	for k, stride := range strided.Strides(shape) {
		if shape[k] == 1 {
			continue
		}
		i := slices.IndexFunc(o.axes, func(a axis) bool { return a.label == labels[k] })
		if i < 0 {
			i = len(o.axes)
			o.axes = append(o.axes, axis{label: labels[k], n: shape[k]})
		}
		o.axes[i].stride += stride
	}
	return o
}

// number is the constraint of the types that sums and products are computed in.
type number interface{ float32 | float64 | uint64 }

// arithmetic makes the parts of steps for one type of numbers. Plans do not depend on it.
type arithmetic interface {
	// size is the number of bytes of an element.
	size() int
	// walker returns the part of sums of products.
	walker(w *walker) ops.Part
	// multiply adds the steps of a product of matrices.
	multiply(x *product) error
}

// numbers is the part of the arithmetic that all types have in common.
type numbers[T number] struct{}

// fast is the arithmetic of float32.
type fast struct {
	numbers[float32]
	kernel *gemm.FloatKernel
}

func newFast() *fast { return &fast{kernel: gemm.New()} }

// plain is the arithmetic of types whose matrices are multiplied in plain loops.
type plain[T interface{ float64 | uint64 }] struct{ numbers[T] }

func (numbers[T]) size() int { return int(unsafe.Sizeof(*new(T))) }

// of returns the elements of a buffer.
func (numbers[T]) of(g *program, r *ops.Run, buffer int) []T {
	switch {
	case g.areas[buffer].Len() > 0:
		return cast.Bytes[T](g.areas[buffer].In(r))
	case buffer < g.inputs:
		return ir.Data[T](r.Inputs[buffer])
	default:
		return ir.Data[T](r.Outputs[0])
	}
}

// program is the kernel while it is being made.
type program struct {
	arithmetic
	p      *ops.Preparation
	inputs int
	// areas holds the memory of each buffer, which is empty for tensors.
	areas     []ops.Area[byte]
	scratch   ops.Scratch
	steps     []ops.Step
	flops     float64
	algorithm string
}

// temporary adds a buffer in the scratch memory. The elements have the type of the computation.
func (g *program) temporary(lengths ...int) (buffer int) {
	g.areas = append(g.areas, ops.AreaOf[byte](&g.scratch, append(lengths, g.size())...))
	return len(g.areas) - 1
}

func kernelOf(p *ops.Preparation, q *problem, a arithmetic) (*ops.Prepared, error) {
	g := &program{arithmetic: a, p: p, inputs: len(p.Inputs), areas: make([]ops.Area[byte], len(p.Inputs)+1)}
	if err := g.contract(p, q); err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: ops.Steps(g.steps), ScratchBytes: g.scratch.Bytes(), Flops: g.flops, Algorithm: g.algorithm}, nil
}

func zeros(r *ops.Run) error {
	parallel.Clear(r.Stop, r.Outputs[0].Bytes())
	return nil
}

// copyView returns the output as a view of the only input, whose labels it has all.
func (q *problem) copyView() strided.View {
	var v strided.View
	for _, a := range q.output.axes {
		v.Lengths, v.Strides = append(v.Lengths, a.n), append(v.Strides, q.inputs[0].stride(a.label))
	}
	return v
}
