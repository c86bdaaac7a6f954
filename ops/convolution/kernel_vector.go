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

// vector returns the kernel for windows that are whole images. It multiplies the filters by each
// image, without packing.
func vector(p *ops.Preparation, g *geometry) *ops.Prepared {
	depth, channels := g.inChannels*g.taps(), g.groups*g.outChannels
	finish := p.Finish()
	part := func(r *ops.Run, lo, hi int) error {
		in, out, filters := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Outputs[0]), ir.Data[float32](r.Inputs[1])
		for n := range g.batch {
			for first := lo; first < hi; {
				group := first / g.outChannels
				end := min(hi, (group+1)*g.outChannels)
				image := in[(n*g.groups+group)*depth:][:depth]
				line := out[n*channels:][:channels]
				gemm.Row(r.Stop, line, image, gemm.Matrix[float32]{Data: filters, RowStride: 1, ColStride: depth}, first, end)
				if finish != nil {
					finish(r, line[first:end], n*channels+first)
				}
				first = end
			}
		}
		return nil
	}
	grain := ops.Grain(ops.MultiplyCost * float64(depth) * float64(g.batch))
	return &ops.Prepared{
		Kernel:    func(r *ops.Run) error { return r.For(channels, grain, part) },
		Algorithm: "matrix-vector",
	}
}
