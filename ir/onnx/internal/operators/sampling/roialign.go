package sampling

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// roiAlign pools samples of bins of regions. In version 10 the places of samples are not shifted by
// half an element.
func roiAlign(n *convert.Node) []convert.Value {
	def := "half_pixel"
	if n.Version == 10 {
		def = "output_half_pixel"
	}
	r := regions{
		shifted: n.Enum("coordinate_transformation_mode", def, "half_pixel", "output_half_pixel") == "half_pixel",
		pooled:  [2]int64{n.Int("output_height", 1), n.Int("output_width", 1)},
		ratio:   n.Int("sampling_ratio", 0),
		scale:   n.Float("spatial_scale", 1),
	}
	if n.Enum("mode", "avg", "avg", "max") == "max" {
		return []convert.Value{r.largest(n)}
	}
	aligned := "asymmetric"
	if r.shifted {
		aligned = "half_pixel_for_nn"
	}
	attributes := convert.Attributes("pooled_h", r.pooled[0], "pooled_w", r.pooled[1], "sampling_ratio", r.ratio,
		"spatial_scale", r.scale, "mode", "avg", "aligned_mode", aligned)
	return []convert.Value{n.Layer("ROIAlign", 9, attributes, n.Input(0), n.Input(1), n.Input(2))}
}

// regions are the attributes of RoiAlign. Arrays have rows first, and then columns.
type regions struct {
	shifted bool
	pooled  [2]int64
	ratio   int64
	scale   float32
}

// largest returns the largest elements of bins. Of each sample, the four elements around it count,
// each times its weight, and not their sum as in OpenVINO's ROIAlign.
func (r *regions) largest(n *convert.Node) convert.Value {
	data := n.Input(0)
	rois := n.Convert(n.Input(1), ir.F32)
	s := sampler{largest: true}
	shape := []convert.Value{n.Slice(n.ShapeOf(rois), 0, 0, 1)}
	var places [2]convert.Value
	var inside, some convert.Value
	for axis := range places {
		length := arithmetic.Length(n, data, int64(axis+2))
		span := n.Convert(length, ir.F32)
		x, count := r.samples(n, rois, axis)
		isInside := both(n, n.Layer("GreaterEqual", 1, nil, x, n.Like(x, -1)), n.Layer("LessEqual", 1, nil, x, span))
		inside, some = both(n, inside, isInside), both(n, some, n.Layer("Greater", 1, nil, count, n.Like(count, 0)))
		places[axis] = arithmetic.Clamp(n, x, n.Like(x, 0), arithmetic.Plus(n, span, -1))
		number := arithmetic.Length(n, x, int64(2+2*axis))
		shape = append(shape, n.IntValues(r.pooled[axis]), n.Unsqueeze(number, 0))
		s.axes = append(s.axes, sampledAxis{length: length})
	}
	full := n.Concat(0, shape...)
	if n.Failed() {
		return convert.Value{}
	}
	for axis := range s.axes {
		s.axes[axis].position = n.Reshape(arithmetic.Broadcast(n, places[axis], full), n.IntValues(1, -1), false)
	}
	s.data, s.first = images(n, n.Input(2), full)
	sampled := n.Reshape(s.sample(n), n.Concat(0, n.Slice(n.ShapeOf(data), 0, 1, 2), full), false)
	sampled = arithmetic.Select(n, inside, sampled, n.Like(sampled, 0))
	result := n.Layer("ReduceMax", 1, convert.Attributes("keep_dims", true), sampled, n.IntValues(3, 5))
	result = arithmetic.Select(n, some, result, n.Like(result, 0)) // a bin without samples is 0
	return n.Transpose(n.Squeeze(result, 3, 5), 1, 0, 2, 3)
}

// samples returns where the samples of all bins are along an axis, [regions, bins, samples, 1, 1]
// for the rows and [regions, 1, 1, bins, samples] for the columns, and how many samples the bins of
// each region have, [regions, 1, 1, 1, 1]. The last sample of a region with fewer than others is
// repeated.
func (r *regions) samples(n *convert.Node, rois convert.Value, axis int) (x, count convert.Value) {
	corner := func(i int64) convert.Value {
		v := arithmetic.Times(n, arithmetic.Gather(n, rois, n.IntValue(i), 1), float64(r.scale))
		if r.shifted {
			v = arithmetic.Plus(n, v, -0.5)
		}
		return n.Unsqueeze(v, 1, 2, 3, 4)
	}
	along := func(v convert.Value, place int) convert.Value {
		shape := []int64{1, 1, 1, 1, 1}
		shape[place+2*axis] = -1
		return n.Reshape(v, n.IntValues(shape...), false)
	}
	start := corner(int64(1 - axis))
	size := arithmetic.Subtract(n, corner(int64(3-axis)), start)
	if !r.shifted {
		size = arithmetic.Maximum(n, size, n.Like(size, 1))
	}
	bin := arithmetic.Times(n, size, 1/float64(r.pooled[axis]))
	count = n.Layer("Ceiling", 1, nil, bin)
	if r.ratio > 0 {
		count = arithmetic.Broadcast(n, n.Like(bin, float64(r.ratio)), n.ShapeOf(bin))
	}
	most := n.Layer("ReduceMax", 1, convert.Attributes("keep_dims", false), count, n.IntValues(0, 1, 2, 3, 4))
	one := n.Like(bin, 1)
	most = n.Convert(arithmetic.Maximum(n, most, one), ir.I64)
	divisor := arithmetic.Maximum(n, count, one)
	sample := arithmetic.Minimum(n, along(arithmetic.Range(n, most, ir.F32), 2), arithmetic.Plus(n, divisor, -1))
	part := arithmetic.Divide(n, arithmetic.Plus(n, sample, 0.5), divisor)
	bins := along(arithmetic.Range(n, n.IntValue(r.pooled[axis]), ir.F32), 1)
	return arithmetic.Add(n, start, arithmetic.Multiply(n, bin, arithmetic.Add(n, bins, part))), count
}

// both returns whether a and b hold; a can be absent.
func both(n *convert.Node, a, b convert.Value) convert.Value {
	if a.Absent() {
		return b
	}
	return n.Layer("LogicalAnd", 1, nil, a, b)
}
