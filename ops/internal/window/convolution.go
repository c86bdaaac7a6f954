package window

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// ConvolutionType returns the element type of a convolution of data and filters.
func ConvolutionType(data, filters ir.ElementType) (ir.ElementType, error) {
	t, ok := ir.MergeElementTypes(data, filters)
	if !ok {
		return t, faults.Errorf("data is %v, filters is %v", data, filters)
	}
	return t, check.Number("data", t)
}

// SpatialAxes returns the number of spatial axes of a convolution, or -1 if it is unknown. It
// is taken from the first of these that is known: the rank of data, the rank of filters, which
// have lead axes before the spatial ones, more, unless that is negative, and the attributes. It
// returns an error if they contradict each other.
func (w *Attributes) SpatialAxes(data, filters ir.PartialShape, lead, more int) (int, error) {
	var n int
	switch {
	case data.RankKnown():
		if n = data.Rank() - 2; n < 1 || n > 3 {
			return n, faults.Errorf("data has shape %v, filters %v: a rank of data from 3 to 5 is needed", data, filters)
		}
		if filters.RankKnown() && filters.Rank() != n+lead {
			return n, faults.Errorf("data has shape %v, filters has shape %v: the ranks differ", data, filters)
		}
	case filters.RankKnown():
		if n = filters.Rank() - lead; n < 0 {
			return n, faults.Errorf("filters has shape %v: a rank of at least %d is needed", filters, lead)
		}
	case more >= 0:
		n = more
	default:
		n = w.Rank()
	}
	if n < 0 {
		return n, nil
	}
	return n, w.Check(n)
}

// spatial returns dimension i of the last n dimensions of a shape.
func spatial(s ir.PartialShape, i, n int) ir.Dimension { return s.At(s.Rank() - n + i) }

// Convolve returns the shape of the output of a convolution with n spatial axes. channels is
// the number of its channels.
func (w *Attributes) Convolve(data, filters ir.PartialShape, n int, channels ir.Dimension) (ir.PartialShape, error) {
	dims := append(make([]ir.Dimension, 0, n+2), data.At(0), channels)
	for i := range n {
		d := spatial(data, i, n)
		if w.same() {
			dims = append(dims, ceilDim(d, At(w.Strides, i, 1)))
			continue
		}
		d, err := w.Output(i, d, spatial(filters, i, n))
		if err != nil {
			return ir.PartialShape{}, err
		}
		dims = append(dims, d)
	}
	return ir.ShapeOf(dims...), nil
}

// Spread returns the lengths of the spatial axes of the output of a transposed convolution with
// n spatial axes. more, if not nil, is added to the length of each axis. The padding of
// auto_pad is not included, because it depends on the output shape.
func (w *Attributes) Spread(data, filters ir.PartialShape, n int, more []int64) []ir.Dimension {
	dims := make([]ir.Dimension, n)
	for i := range dims {
		steps := spatial(data, i, n).Sub(ir.Dim(1)).Mul(ir.Dim(At(w.Strides, i, 1)))
		pads := w.pad(w.PadsBegin, i) + w.pad(w.PadsEnd, i)
		dims[i] = Pad(steps.Add(w.extent(i, spatial(filters, i, n))), At(more, i, 0)-pads)
	}
	return dims
}

// Pad returns d changed by n. As in OpenVINO, a static length that would become negative is
// unknown.
func Pad(d ir.Dimension, n int64) ir.Dimension {
	if n == 0 {
		return d
	}
	padded := ir.DimRange(max(d.Min+n, 0), d.Max+n)
	if d.IsStatic() && (padded.Max < 0 || padded.Max == ir.Unbounded) {
		return ir.AnyDim
	}
	if d.Max == ir.Unbounded || padded.Max < 0 {
		padded.Max = ir.Unbounded
	}
	return padded
}

// Groups merges the number of groups of a convolution with the number that follows from the
// channels of data. Each group of filters has perGroup input channels.
func Groups(groups, perGroup, channels ir.Dimension) (ir.Dimension, error) {
	if perGroup.IsDynamic() {
		return groups, nil
	}
	fit, ok := ir.Dimension{}, perGroup.Min > 0
	if ok {
		fit, ok = channels.Div(perGroup.Min)
	}
	if ok {
		fit, ok = fit.Merge(groups)
	}
	if !ok {
		return fit, faults.Errorf("data has %v channels, filters takes %v in each of %v groups", channels, perGroup, groups)
	}
	return fit, nil
}

// ceilDim returns the lengths of d divided by n, rounded up.
func ceilDim(d ir.Dimension, n int64) ir.Dimension {
	q := ir.DimRange(ceil(d.Min, n), ir.Unbounded)
	if d.Max != ir.Unbounded {
		q.Max = ceil(d.Max, n)
	}
	return q
}

// Grain returns the number of output planes that are worth another thread. Each is computed
// from the given number of input channels.
func (v *Volume) Grain(channels int) int {
	work := float64(v.Output()) * float64(channels)
	for i := range v {
		work *= float64(v[i].Kernel)
	}
	return ops.Grain(work / 2)
}
