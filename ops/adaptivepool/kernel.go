package adaptivepool

import (
	"math"
	"math/bits"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// axis is a spatial axis that is divided into output parts.
type axis struct{ input, output int }

// part returns the elements lo to hi-1 of part o.
func (a *axis) part(o int) (lo, hi int) {
	high, low := bits.Mul64(uint64(o), uint64(a.input))
	first, _ := bits.Div64(high, low, uint64(a.output))
	high, low = bits.Mul64(uint64(o)+1, uint64(a.input))
	end, rest := bits.Div64(high, low, uint64(a.output))
	if rest > 0 {
		end++
	}
	return int(first), int(end)
}

// geometry describes the pooling along three axes. If there are fewer spatial axes, the first
// axes have length 1.
type geometry struct {
	planes  int // channels of all batches
	axes    [3]axis
	columns []span // the parts of the last axis
}

// span is a part of an axis: elements lo to hi-1.
type span struct{ lo, hi int }

func newGeometry(p *ops.Preparation) (*geometry, error) {
	data := p.InputShape(0)
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	g := &geometry{planes: data[0] * data[1], axes: [3]axis{{1, 1}, {1, 1}, {1, 1}}}
	for i, length := range data[2:] {
		g.axes[len(g.axes)-len(data[2:])+i] = axis{length, output[2+i]}
	}
	if output.Elements() == 0 {
		g.planes = 0
	} else if data.Elements() == 0 {
		return nil, faults.Errorf("data %v has no elements to cut into parts of output %v", data, output)
	}
	if g.planes == 0 {
		return g, nil
	}
	x := &g.axes[2]
	if err := p.Reserve(memory.Size[span](x.output)); err != nil {
		return nil, err
	}
	g.columns = make([]span, x.output)
	meter := p.Stop.Meter()
	for o := range g.columns {
		if meter.Spent(20) {
			return nil, parallel.ErrStopped
		}
		g.columns[o].lo, g.columns[o].hi = x.part(o)
	}
	return g, nil
}

func (g *geometry) input() int  { return g.axes[0].input * g.axes[1].input * g.axes[2].input }
func (g *geometry) output() int { return g.axes[0].output * g.axes[1].output * g.axes[2].output }

// grain returns the number of planes that are worth another thread.
func (g *geometry) grain() int {
	if g.planes == 0 {
		return 1
	}
	return ops.Grain(float64(max(g.input(), g.output())))
}

// prepareAvg returns a kernel that iterates over the output planes:
//
//	for each n, c, y...: output[n,c,y...] = mean of part y... of data[n,c]
func prepareAvg(p *ops.Preparation) (*ops.Prepared, error) {
	g, err := newGeometry(p)
	if err != nil {
		return nil, err
	}
	prepared := floats.Kernel(p, 1, g.planes, g.grain(), means[float32](g), means[float64](g))
	prepared.Flops = g.flops()
	return prepared, nil
}

// flops returns the number of elements of all parts. Parts overlap if the length is no multiple of
// their number.
func (g *geometry) flops() float64 {
	n := float64(g.planes)
	for _, a := range g.axes {
		if a.input%max(a.output, 1) == 0 {
			n *= float64(a.input)
		} else {
			n *= float64(a.input) + float64(a.output)
		}
	}
	return n
}

// means returns the code for the means of planes.
func means[T float32 | float64](g *geometry) floats.Func[T] {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	if whole, ok := any(wholeMeans(g)).(floats.Func[T]); ok && g.output() == 1 {
		return whole
	}
	return func(stop parallel.Stop, output, data, _ []T, lo, hi int) {
		meter := stop.Meter()
		at := lo * g.output()
		for plane := lo; plane < hi; plane++ {
			in := data[plane*g.input():][:g.input()]
			for oz := range z.output {
				z0, z1 := z.part(oz)
				for oy := range y.output {
					y0, y1 := y.part(oy)
					for _, part := range g.columns {
						x0, x1 := part.lo, part.hi
						var total T
						for iz := z0; iz < z1; iz++ {
							for iy := y0; iy < y1; iy++ {
								row := in[(iz*y.input+iy)*x.input:][:x1]
								for x := x0; x < x1; x += rowPiece {
									end := min(x+rowPiece, x1)
									if meter.Spent(end - x + 8) {
										return
									}
									total += sum(row[x:end])
								}
							}
						}
						output[at] = total / T((z1-z0)*(y1-y0)*(x1-x0))
						at++
					}
				}
			}
		}
	}
}

// wholeMeans returns the code for the means of planes that have one part.
func wholeMeans(g *geometry) floats.Func[float32] {
	n := g.input()
	return func(stop parallel.Stop, output, data, _ []float32, lo, hi int) {
		if n <= maxCall {
			reduction.Sum.ReduceSegments(output[lo:hi], data[lo*n:hi*n], n, n)
			for i := range output[lo:hi] {
				output[lo+i] /= float32(n)
			}
			return
		}
		for i := lo; i < hi; i++ {
			total := float32(0)
			for at := 0; at < n && !stop.Requested(); at += maxCall {
				reduction.Sum.ReduceSegments(output[i:i+1], data[i*n+at:], min(maxCall, n-at), 0)
				total += output[i]
			}
			output[i] = total / float32(n)
		}
	}
}

const (
	// maxCall is the largest number of elements that one call of package reduction adds up.
	maxCall = 1 << 22
	// rowPiece is the number of elements of a row that are read between two checks of the Stop.
	rowPiece = 1 << 16
)

// sum returns the sum of a row, in four independent accumulators.
func sum[T float32 | float64](row []T) T {
	var a, b, c, d T
	for ; len(row) >= 4; row = row[4:] {
		a, b, c, d = a+row[0], b+row[1], c+row[2], d+row[3]
	}
	for _, v := range row {
		a += v
	}
	return (a + b) + (c + d)
}

// prepareMax returns a kernel that iterates over the output planes:
//
//	for each n, c, y...: output[n,c,y...] = max of part y... of data[n,c]
func prepareMax(p *ops.Preparation) (*ops.Prepared, error) {
	g, err := newGeometry(p)
	if err != nil {
		return nil, err
	}
	if len(p.Outputs) > 1 && p.Outputs[1].Type == ir.I32 && g.planes > 0 && g.input() > math.MaxInt32 {
		return nil, faults.Errorf("i32 does not hold the places of %d elements", g.input())
	}
	prepared := maxKernelOf(p.Inputs[0].Type, g)
	prepared.Flops = g.flops()
	return prepared, nil
}

// maxKernelOf returns the kernel for the type of p.
func maxKernelOf(t ir.ElementType, g *geometry) *ops.Prepared {
	switch t {
	case ir.F32:
		return &ops.Prepared{Kernel: maxKernel[float32](g)}
	case ir.F64:
		return &ops.Prepared{Kernel: maxKernel[float64](g)}
	case ir.I64:
		return &ops.Prepared{Kernel: maxKernel[int64](g)}
	default: // u64
		return &ops.Prepared{Kernel: maxKernel[uint64](g)}
	}
}

// maxKernel returns the kernel of a type that is computed directly.
func maxKernel[T number](g *geometry) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		maxPlanes(r.Stop, g, ir.Data[T](r.Outputs[0]), placesOf(r), ir.Data[T](r.Inputs[0]), lo, hi)
		return nil
	}
	grain := g.grain()
	return func(r *ops.Run) error { return r.For(g.planes, grain, part) }
}
