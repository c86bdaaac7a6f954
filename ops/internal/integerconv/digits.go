package integerconv

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

const (
	exactBits = 24 // integers of more bits may be no float32
	maxDigits = 4  // more are hardly faster than integers
	// grain is the number of elements, and filterGrain that of filters, which are worth another
	// thread.
	grain       = 1 << 14
	filterGrain = 16
)

// digits computes a convolution in float32, digit by digit.
type digits struct {
	geometry    *Geometry
	layer       *widened.Layer
	elementType ir.ElementType
	data        int // number of elements of data
	output      int
	sum         float32           // largestFilter of constant filters, negative for others
	rest        ops.Area[float32] // what is left of data from the digit on
	variables   ops.Area[uint32]
	parts       [5]ops.Part
}

// The variables of a run, of 4 bytes each.
const (
	largestDatum = iota // bits of the largest element of data, without its sign
	// bits of the largest sum of the filters of an output channel, without signs
	largestFilter
	digitBits
	digit // the number of the digit
	variables
)

func newDigits(g *Geometry, layer *widened.Layer, p *ops.Preparation, sum float32) (*digits, error) {
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	d := &digits{geometry: g, layer: layer, elementType: p.Outputs[0].Type, data: p.InputShape(0).Elements(), output: output.Elements(), sum: sum}
	d.rest, d.variables = ops.AreaOf[float32](&layer.Scratch, d.data), ops.AreaOf[uint32](&layer.Scratch, variables)
	d.parts = [5]ops.Part{d.measureData, d.measureFilters, d.keep, d.split, d.add}
	return d, nil
}

// run computes a layer. It returns false if data or filters are too large.
func (d *digits) run(r *ops.Run) (bool, error) {
	if err := d.layer.Load(r); err != nil {
		return false, err
	}
	v := d.variables.In(r)
	clear(v)
	if err := r.For(d.data, grain, d.parts[0]); err != nil {
		return false, err
	}
	if d.sum >= 0 {
		v[largestFilter] = math.Float32bits(d.sum)
	} else if err := r.For(d.geometry.Groups*d.geometry.OutChannels, filterGrain, d.parts[1]); err != nil {
		return false, err
	}
	datum, filter := width(v[largestDatum]), width(v[largestFilter])
	v[digitBits] = uint32(max(exactBits-filter, 0))
	switch {
	case datum+filter <= exactBits:
		if err := d.layer.Compute(r); err != nil {
			return false, err
		}
		return true, r.For(d.output, grain, d.parts[4])
	case datum > exactBits || v[digitBits] == 0 || datum > maxDigits*int(v[digitBits]):
		return false, nil
	}
	if err := r.For(d.data, grain, d.parts[2]); err != nil {
		return false, err
	}
	for ; int(v[digit]*v[digitBits]) < datum; v[digit]++ {
		if err := r.For(d.data, grain, d.parts[3]); err != nil {
			return false, err
		}
		if err := d.layer.Compute(r); err != nil {
			return false, err
		}
		if err := r.For(d.output, grain, d.parts[4]); err != nil {
			return false, err
		}
	}
	return true, nil
}

// input returns data or, if they are not constant, filters, as the layer reads them.
func (d *digits) input(r *ops.Run, i int) []float32 { return cast.Bytes[float32](d.layer.Input(r, i)) }

// width returns the number of bits of the integers up to the float32 with the given bits, which is
// not negative.
func width(b uint32) int {
	v := math.Float32frombits(b)
	if v >= 1<<30 {
		return 31
	}
	return bits.Len32(uint32(math.Ceil(float64(v))))
}

// raise raises a variable to v, which is not negative: the bits of such float32 are in the order of
// the numbers.
func raise(variable *uint32, v float32) {
	for b := math.Float32bits(v); ; {
		old := atomic.LoadUint32(variable)
		if old >= b || atomic.CompareAndSwapUint32(variable, old, b) {
			return
		}
	}
}

// measureData finds the largest element of data.
func (d *digits) measureData(r *ops.Run, lo, hi int) error {
	largest := float32(0)
	for _, v := range d.input(r, 0)[lo:hi] {
		largest = max(largest, v, -v)
	}
	raise(&d.variables.In(r)[largestDatum], largest)
	return nil
}

// measureFilters finds the largest sum of the filters of an output channel.
func (d *digits) measureFilters(r *ops.Run, lo, hi int) error {
	raise(&d.variables.In(r)[largestFilter], d.geometry.largestSum(r.Stop, d.input(r, 1), lo, hi))
	return nil
}

// largestSum returns the largest sum of the filters, without signs, of the output channels lo to
// hi-1. It is rounded up.
func (g *Geometry) largestSum(stop parallel.Stop, filters []float32, lo, hi int) float32 {
	kernel := g.Axes[0].Kernel * g.Axes[1].Kernel * g.Axes[2].Kernel
	meter := stop.Meter()
	largest := 0.0
	for o := lo; o < hi; o++ {
		first, apart := g.filters(o)
		sum := 0.0
		for c := range g.InChannels {
			if meter.Spent(kernel) {
				return 0
			}
			for _, v := range filters[(first+c*apart)*kernel:][:kernel] {
				sum += math.Abs(float64(v))
			}
		}
		largest = max(largest, sum)
	}
	return math.Nextafter32(float32(largest), math.MaxFloat32)
}

// keep copies data to what is left.
func (d *digits) keep(r *ops.Run, lo, hi int) error {
	copy(d.rest.In(r)[lo:hi], d.input(r, 0)[lo:hi])
	return nil
}

// split takes the lowest digit off what is left of data, as the data of the layer. It has the sign
// of the element.
func (d *digits) split(r *ops.Run, lo, hi int) error {
	base := float32(uint32(1) << d.variables.In(r)[digitBits])
	left, data := d.rest.In(r)[lo:hi], d.input(r, 0)[lo:hi]
	for i, v := range left {
		left[i] = float32(int32(v / base))
		data[i] = v - left[i]*base
	}
	return nil
}

// add adds the convolution of a digit to the output; that of the first one replaces it.
func (d *digits) add(r *ops.Run, lo, hi int) error {
	v := d.variables.In(r)
	shift, keep := v[digit]*v[digitBits], uint64(0)
	if v[digit] > 0 {
		keep = math.MaxUint64
	}
	sums := cast.Bytes[float32](d.layer.Output(r))[lo:hi]
	out := r.Outputs[0].Bytes()
	switch d.elementType.Size() {
	case 1:
		add(out[lo:], sums, shift, keep)
	case 2:
		add(cast.Bytes[uint16](out)[lo:], sums, shift, keep)
	case 4:
		add(cast.Bytes[uint32](out)[lo:], sums, shift, keep)
	default:
		add(cast.Bytes[uint64](out)[lo:], sums, shift, keep)
	}
	return nil
}

// add sets out to out, if keep has all bits, plus sums*2^shift.
func add[T uint8 | uint16 | uint32 | uint64](out []T, sums []float32, shift uint32, keep uint64) {
	for i, v := range sums {
		out[i] = out[i]&T(keep) + T(int64(v)<<shift)
	}
}
