package regionyolo

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// columns is the number of positions of a plane that are computed at a time.
const columns = 1 << 10

// regions describes the regions of an image, and the planes of positions that they consist of.
type regions struct {
	count           int // regions of an image
	coords, classes int
	plane           int // positions
	blocks          int // of columns in a plane
	data, out       int // elements of an image in data and in the output
	softmax         bool
}

// prepare returns a kernel whose items are blocks of columns of all planes of a region. The last
// item of an image copies the planes that belong to no region.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	shape := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	count := at.num
	if !at.doSoftmax {
		count = int64(len(at.mask))
	}
	if need := count * (at.coords + at.classes + 1); need > int64(shape[1]) {
		return nil, faults.Errorf("data %v has %d channels, %d regions of %d coords, a confidence and %d classes have %d", shape, shape[1], count, at.coords, at.classes, need)
	}
	if out.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	g := &regions{count: int(count), coords: int(at.coords), classes: int(at.classes), plane: shape[2] * shape[3], softmax: at.doSoftmax}
	g.blocks = (g.plane + columns - 1) / columns
	g.data, g.out = shape[1]*g.plane, out.Elements()/shape[0]
	items := shape[0] * (g.count*g.blocks + 1)
	return floats.Kernel(p, 1, items, 1, itemsOf(g, sigmoid32(), divide32()), itemsOf(g, sigmoid[float64], divide[float64])), nil
}

func itemsOf[T float32 | float64](g *regions, sigmoid func(out, x []T), divide func(out, a, b []T)) floats.Func[T] {
	loops := normalize.LoopsOf[T]()
	return func(stop parallel.Stop, out, data, _ []T, lo, hi int) {
		for ; lo < hi; lo++ {
			n, item := lo/(g.count*g.blocks+1), lo%(g.count*g.blocks+1)
			size := (g.coords + g.classes + 1) * g.plane
			if item == g.count*g.blocks {
				parallel.Copy(stop, out[n*g.out:][:g.out][g.count*size:], data[n*g.data:][g.count*size:])
				continue
			}
			region, first := item/g.blocks*size, item%g.blocks*columns
			b := block[T]{
				regions: g, meter: stop.Meter(), n: min(columns, g.plane-first),
				out: out[n*g.out+region+first:], data: data[n*g.data+region+first:],
			}
			b.compute(loops, sigmoid, divide)
		}
	}
}

// block is n positions of all planes of a region.
type block[T float32 | float64] struct {
	*regions
	meter     parallel.Meter
	n         int
	out, data []T
}

// row returns the positions of plane e in the output and in data.
func (b *block[T]) row(e int) (out, data []T) {
	return b.out[e*b.plane:][:b.n], b.data[e*b.plane:][:b.n]
}

func (b *block[T]) compute(loops *normalize.Loops[T], sigmoid func(out, x []T), divide func(out, a, b []T)) {
	for e := range b.coords {
		if b.meter.Spent(b.n + 8) {
			return
		}
		if out, data := b.row(e); e < 2 {
			sigmoid(out, data)
		} else {
			copy(out, data)
		}
	}
	if b.softmax && b.classes > 0 {
		b.softmaxOf(loops, divide)
	}
	// The confidence comes after softmax, which uses its row.
	for e := b.coords; e <= b.coords+b.classes && (e == b.coords || !b.softmax); e++ {
		if b.meter.Spent(8*b.n + 8) {
			return
		}
		sigmoid(b.row(e))
	}
}

// softmaxOf computes softmax over the classes. The row of the last class first holds the maximum of
// all classes, and the row of the confidence the sum.
func (b *block[T]) softmaxOf(loops *normalize.Loops[T], divide func(out, a, b []T)) {
	first, last := b.coords+1, b.coords+b.classes
	sum, _ := b.row(b.coords)
	most, lastData := b.row(last)
	copy(most, lastData)
	for e := first; e < last; e++ {
		if b.meter.Spent(b.n/2 + 8) {
			return
		}
		_, data := b.row(e)
		loops.Maximum(most, most, data)
	}
	clear(sum)
	for e := first; e <= last; e++ {
		if b.meter.Spent(4*b.n + 8) {
			return
		}
		out, data := b.row(e)
		loops.Subtract(out, data, most) // out is most in the last row
		loops.Exp(out, out)
		loops.Add(sum, sum, out)
	}
	for e := first; e <= last; e++ {
		if b.meter.Spent(b.n + 8) {
			return
		}
		out, _ := b.row(e)
		divide(out, out, sum)
	}
}

// sigmoid32 returns the logistic function for float32, in vector code if there is some.
func sigmoid32() func(out, x []float32) {
	if f := vmath.Unary(vmath.Sigmoid); f != nil {
		return f
	}
	return sigmoid[float32]
}

func sigmoid[T float32 | float64](out, x []T) {
	for i := range out {
		out[i] = T(1 / (1 + math.Exp(-float64(x[i]))))
	}
}

// divide32 returns the quotient of float32, in vector code if there is some.
func divide32() func(out, a, b []float32) {
	if f := vmath.Binary(vmath.Divide, vmath.Rows); f != nil {
		return f
	}
	return divide[float32]
}

func divide[T float32 | float64](out, a, b []T) {
	for i := range out {
		out[i] = a[i] / b[i]
	}
}
