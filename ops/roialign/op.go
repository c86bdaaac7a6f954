// Package roialign computes ROIAlign and ROIAlignRotated, which pool regions of an image to one
// size. Samples lie between the elements of the image.
//
//	output[r,c,y,x] = mean or max of samples of data[batch_indices[r],c] in bin y, x of rois[r]
//
// A sample is interpolated bilinearly. It is that of the nearest position in the image if it is at
// most one element beyond, and 0 if it is further away. With sampling_ratio 0, a bin has a sample
// for each element that it covers along an axis.
//
// Versions: ROIAlign-3; ROIAlign-9, with aligned_mode; ROIAlignRotated-15, whose regions are
// rotated by an angle.
//
// Inputs: data [N,C,H,W] and rois [R,4], or [R,5] with the angle, of one floating-point type;
// batch_indices [R] of an integer type.
//
// Output: [R,C,pooled_h,pooled_w] of the type of data.
//
// The kernel computes f32, f64, f16 and bf16, and batch_indices of 8 to 64 bits. The 16-bit types
// are computed in float32 and rounded once.
//
// Attributes:
//   - pooled_h, pooled_w, sampling_ratio and spatial_scale: no defaults.
//   - mode of ROIAlign: avg or max, no default.
//   - aligned_mode of ROIAlign-9: asymmetric (the default), in which a region has at least the size
//     of an element of the image, half_pixel_for_nn or half_pixel.
//   - clockwise_mode of ROIAlignRotated: no default.
//
// As in OpenVINO, mode max returns 0 where no sample is greater, a negative sampling_ratio takes no
// samples, and a bin without samples is 0. In OpenVINO's CPU plugin, the batch index -1 ends the
// list: that region and those after it are 0. A region whose coordinates are not finite is NaN
// where no position follows from them.
//
// Errors: rois with another number of coordinates, numbers of regions that differ between rois and
// batch_indices, a sampling_ratio above 65536, and a batch index that is neither -1 nor that of an
// image.
//
// Specification: OpenVINO operation set, detection, ROIAlign-3, ROIAlign-9 and ROIAlignRotated-15.
package roialign

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	align("ROIAlign", 3),
	align("ROIAlign", 9),
	align("ROIAlignRotated", 15),
}

func align(name string, version int) ops.Op {
	return ops.Op{
		Type: name, Version: version,
		Inputs:     ops.Exactly(3),
		Types:      sampling.Reals,
		PortTypes:  []ops.PortTypes{{Port: 2, Types: sampling.Integers}},
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, version) },
		Infer:      infer,
		Prepare:    prepare,
	}
}

type attributes struct {
	pooledH, pooledW, samplingRatio int64
	spatialScale                    float64
	mode, alignedMode               string
	rotated, clockwise              bool
}

func parse(a *ir.Attributes, version int) (any, error) {
	for _, name := range []string{"pooled_h", "pooled_w", "sampling_ratio", "spatial_scale"} {
		a.Expect(name)
	}
	at := &attributes{
		pooledH: a.Int("pooled_h", 0), pooledW: a.Int("pooled_w", 0), samplingRatio: a.Int("sampling_ratio", 0),
		spatialScale: a.Float("spatial_scale", 0),
		alignedMode:  "asymmetric",
	}
	if version >= 15 {
		a.Expect("clockwise_mode")
		at.rotated, at.clockwise = true, a.Bool("clockwise_mode", false)
		return at, a.Err()
	}
	a.Expect("mode")
	at.mode = a.Enum("mode", "avg", "avg", "max")
	if version >= 9 {
		at.alignedMode = a.Enum("aligned_mode", "asymmetric", "asymmetric", "half_pixel_for_nn", "half_pixel")
	}
	return at, a.Err()
}

// coordinates returns the number of coordinates of a region.
func (at *attributes) coordinates() int64 {
	if at.rotated {
		return 5
	}
	return 4
}
