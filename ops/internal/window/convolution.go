package window

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// ConvolutionType returns the element type of a convolution of data and filters.
func ConvolutionType(data, filters ir.ElementType) (ir.ElementType, error) {
	t, ok := ir.MergeElementTypes(data, filters)
	if !ok {
		return t, fmt.Errorf("data is %v, filters is %v", data, filters)
	}
	return t, check.Number("data", t)
}

// SpatialAxes returns the number of spatial axes of a convolution whose filters
// have lead axes before those of the kernel: as many as data has, or filters, or
// more, the output shape, or the attributes; -1 where none tells. It is an error
// where they contradict each other. A negative more tells nothing.
func (w *Attributes) SpatialAxes(data, filters ir.PartialShape, lead, more int) (int, error) {
	var n int
	switch {
	case data.RankKnown():
		if n = data.Rank() - 2; n < 1 || n > 3 {
			return n, fmt.Errorf("data has shape %v, filters %v: a rank of data from 3 to 5 is needed", data, filters)
		}
		if filters.RankKnown() && filters.Rank() != n+lead {
			return n, fmt.Errorf("data has shape %v, filters has shape %v: the ranks differ", data, filters)
		}
	case filters.RankKnown():
		if n = filters.Rank() - lead; n < 0 {
			return n, fmt.Errorf("filters has shape %v: a rank of at least %d is needed", filters, lead)
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

// spatial returns dimension i of the last n of a shape.
func spatial(s ir.PartialShape, i, n int) ir.Dimension { return s.At(s.Rank() - n + i) }

// Convolve returns the shape of a convolution with n spatial axes.
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

// Spread returns the lengths of the spatial axes that a convolution would make
// data's of, longer by more at the end of each; auto_pad that aims at an output
// shape, which is not known here, does not pad.
func (w *Attributes) Spread(data, filters ir.PartialShape, n int, more []int64) []ir.Dimension {
	dims := make([]ir.Dimension, n)
	for i := range dims {
		steps := spatial(data, i, n).Sub(ir.Dim(1)).Mul(ir.Dim(At(w.Strides, i, 1)))
		pads := w.pad(w.PadsBegin, i) + w.pad(w.PadsEnd, i)
		dims[i] = Pad(steps.Add(w.extent(i, spatial(filters, i, n))), At(more, i, 0)-pads)
	}
	return dims
}

// Pad returns the lengths of d changed by n. OpenVINO takes a length that would be
// negative for one that is not known.
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

// Groups returns the number of groups of a convolution in groups, of filters of
// perGroup input channels each, for data of the given channels.
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
		return fit, fmt.Errorf("data has %v channels, filters takes %v in each of %v groups", channels, perGroup, groups)
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

// minPart is the number of multiplications that are worth a thread.
const minPart = 1 << 15

// Grain returns the number of output planes, each of so many input channels, that
// are worth a thread.
func (v *Volume) Grain(channels int) int {
	work := float64(v.Output()) * float64(channels)
	for i := range v {
		work *= float64(v[i].Kernel)
	}
	return int(minPart/max(work, 1)) + 1
}
