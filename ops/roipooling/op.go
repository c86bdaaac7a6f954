// Package roipooling computes the layers that pool regions of an image to one size.
//
//	output[r,c,y,x] = max, mean or interpolation of the elements of data in bin y, x of rois[r]
//
// Versions:
//   - ROIPooling-2.
//   - PSROIPooling-1, position-sensitive: each bin has channels of its own.
//   - DeformablePSROIPooling-1: a third input moves the bins.
//
// Inputs: data [N,C,H,W]; rois [R,5], each with the number of its image in the batch and a box; for
// DeformablePSROIPooling optionally offsets [R,2*classes,part_size,part_size]. ROIPooling requires
// one floating-point type for data and rois. PSROIPooling accepts two floating-point types,
// DeformablePSROIPooling any types.
//
// Output, of the type of data: [R,C,pooled_h,pooled_w] of ROIPooling, and
// [R,output_dim,group_size,group_size] of the others.
//
// The kernels compute data of f32, f64, f16 and bf16, and rois and offsets of these types or, for
// DeformablePSROIPooling, of integers of 8 to 64 bits. The 16-bit types are computed in float32 and
// rounded once.
//
// Attributes of ROIPooling: pooled_h and pooled_w, or both as output_roi or output_size;
// spatial_scale; method, max (the default) or bilinear.
//
// Attributes of PSROIPooling: output_dim, group_size and spatial_scale; mode, average or bilinear;
// spatial_bins_x and spatial_bins_y for bilinear.
//
// Attributes of DeformablePSROIPooling: output_dim and spatial_scale; group_size, spatial_bins_x,
// spatial_bins_y, trans_std and part_size, 1 by default; mode.
//
// Corners of boxes are rounded, halves away from 0, except in the bilinear modes of ROIPooling and
// PSROIPooling, where they are fractions of the image. As in OpenVINO, the image -1 ends the list:
// that region and those after it are 0; the fraction of the number of an image is dropped; bins and
// samples outside of the image are 0; and NaN in data counts for max only as the first element of a
// bin. Coordinates that are NaN give 0 with max and average, and NaN with interpolation.
//
// Errors: a scale that is not positive; channels of PSROIPooling that are not output_dim times the
// bins; a number of an image that is neither -1 nor in the batch; and for DeformablePSROIPooling a
// mode other than bilinear_deformable, fewer channels than output_dim times the bins, spatial bins
// that are not 1 to 65536, and offsets of another shape, or whose classes do not divide output_dim.
//
// Specification: OpenVINO operation set, detection, ROIPooling-1, which files have in opset2,
// PSROIPooling-1 and DeformablePSROIPooling-1.
package roipooling

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "DeformablePSROIPooling", Version: 1,
		Inputs:     ops.Between(2, 3),
		Types:      sampling.Reals,
		PortTypes:  []ops.PortTypes{{Port: 1, Types: sampling.Numbers}, {Port: 2, Types: sampling.Numbers}},
		Attributes: parseDeformable,
		Infer:      inferDeformable,
		Prepare:    prepareDeformable,
	},
	{
		Type: "PSROIPooling", Version: 1,
		Inputs:     ops.Exactly(2),
		Types:      sampling.Reals,
		PortTypes:  []ops.PortTypes{{Port: 1, Types: sampling.Numbers}},
		Attributes: parsePositions,
		Infer:      inferPositions,
		Prepare:    preparePositions,
	},
	{
		Type: "ROIPooling", Version: 2,
		Inputs:     ops.Exactly(2),
		Types:      sampling.Reals,
		Attributes: parse,
		Infer:      infer,
		Prepare:    prepare,
	},
}

// maxSize bounds numbers whose products are computed.
const maxSize = 1 << 30

// size reads an attribute that is a positive number.
func size(a *ir.Attributes, name string, def int64) int64 {
	n := a.Int(name, def)
	if n < 1 || n > maxSize {
		a.Fail(name, "%d is outside [1,%d]", n, maxSize)
	}
	return n
}

// scale reads spatial_scale, which must be a positive normal number in float32, as in OpenVINO.
func scale(a *ir.Attributes) float64 {
	a.Expect("spatial_scale")
	s := a.Float("spatial_scale", 0)
	if f := float64(float32(s)); !(f >= 0x1p-126 && f <= math.MaxFloat32) {
		a.Fail("spatial_scale", "%v is not a positive number", s)
	}
	return s
}

// exact is like Enum, but the letter case must match.
func exact(a *ir.Attributes, name, def string, members ...string) string {
	m := a.Enum(name, def, members...)
	if s := a.String(name, m); s != m {
		a.Fail(name, "%q is not written %s", s, m)
	}
	return m
}

type attributes struct {
	pooled       [2]int64 // h and w
	spatialScale float64
	method       string
}

func parse(a *ir.Attributes) (any, error) {
	at := &attributes{spatialScale: scale(a), method: exact(a, "method", "max", "max", "bilinear")}
	// OpenVINO reads output_size first, then output_roi, then pooled_h and pooled_w.
	for _, name := range []string{"output_size", "output_roi"} {
		if list := a.Ints(name); len(list) == 2 {
			at.pooled = [2]int64(list)
		} else if _, ok := a.Lookup(name); ok {
			a.Fail(name, "%d elements, expected pooled_h and pooled_w", len(list))
		}
	}
	for i, name := range []string{"pooled_h", "pooled_w"} {
		at.pooled[i] = size(a, name, at.pooled[i])
	}
	return at, a.Err()
}

// positions are the attributes of PSROIPooling, the position-sensitive pooling.
type positions struct {
	outputDim, groupSize       int64
	spatialScale               float64
	mode                       string
	spatialBinsX, spatialBinsY int64
}

func parsePositions(a *ir.Attributes) (any, error) {
	a.Expect("mode")
	at := &positions{
		outputDim: size(a, "output_dim", 0), groupSize: size(a, "group_size", 0), spatialScale: scale(a),
		mode: exact(a, "mode", "", "average", "bilinear"),
	}
	switch at.mode {
	case "":
		a.Fail("mode", "missing, expected average or bilinear")
	case "bilinear":
		at.spatialBinsX, at.spatialBinsY = size(a, "spatial_bins_x", 0), size(a, "spatial_bins_y", 0)
	default:
		at.spatialBinsX, at.spatialBinsY = a.Int("spatial_bins_x", 0), a.Int("spatial_bins_y", 0)
	}
	return at, a.Err()
}

// deformable are the attributes of DeformablePSROIPooling.
type deformable struct {
	outputDim, groupSize       int64
	spatialScale, transStd     float64
	mode                       string
	spatialBinsX, spatialBinsY int64
	partSize                   int64
}

func parseDeformable(a *ir.Attributes) (any, error) {
	a.Expect("spatial_scale")
	return &deformable{
		outputDim: size(a, "output_dim", 0), groupSize: size(a, "group_size", 1),
		spatialScale: a.Float("spatial_scale", 0), transStd: a.Float("trans_std", 1),
		// OpenVINO accepts any mode.
		mode:         a.String("mode", "bilinear_deformable"),
		spatialBinsX: a.Int("spatial_bins_x", 1), spatialBinsY: a.Int("spatial_bins_y", 1),
		partSize: a.Int("part_size", 1),
	}, a.Err()
}
