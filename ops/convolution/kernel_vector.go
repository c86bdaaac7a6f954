package convolution

import (
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// fewImages is the largest batch that reads the filters again for each image. For a larger batch, a
// matrix of windows is faster.
const fewImages = 4

// isVector reports whether each window is a whole image and there are at most fewImages images.
func (g *geometry) isVector() bool {
	for i := range g.axes {
		a := &g.axes[i]
		if a.Output != 1 || a.Kernel != a.Input || a.PadBegin != 0 || a.Kernel > 1 && a.Dilation != 1 {
			return false
		}
	}
	return g.batch <= fewImages
}

// vector computes windows that are whole images. It multiplies the filters by each image, without
// packing.
type vector struct {
	*geometry
	depth, channels int // elements of a filter, and channels of the output
	finish          func(r *ops.Run, x []float32, at int)
}

// newVector returns the kernel for windows that are whole images.
func newVector(p *ops.Preparation, g *geometry) *ops.Prepared {
	v := &vector{g, g.inChannels * g.taps(), g.groups * g.outChannels, p.Finish()}
	grain, part := ops.Grain(ops.MultiplyCost*float64(v.depth)*float64(g.batch)), ops.Part(v.part)
	return &ops.Prepared{
		Kernel:    func(r *ops.Run) error { return r.For(v.channels, grain, part) },
		Algorithm: "matrix-vector",
	}
}

// part computes channels lo to hi-1 of all images.
func (v *vector) part(r *ops.Run, lo, hi int) error {
	in, out, filters := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Outputs[0]), ir.Data[float32](r.Inputs[1])
	for n := range v.batch {
		for first := lo; first < hi; {
			group := first / v.outChannels
			end := min(hi, (group+1)*v.outChannels)
			image := in[(n*v.groups+group)*v.depth:][:v.depth]
			line := out[n*v.channels:][:v.channels]
			gemm.Row(r.Stop, line, image, gemm.Matrix[float32]{Data: filters, RowStride: 1, ColStride: v.depth}, first, end)
			if v.finish != nil {
				v.finish(r, line[first:end], n*v.channels+first)
			}
			first = end
		}
	}
	return nil
}
