package extractimagepatches

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	image, out := in.Inputs[0].Shape, &in.Outputs[0]
	if err := check.Rank("image", image, 4); err != nil {
		return err
	}
	out.Type, out.Shape = in.Inputs[0].Type, ir.ShapeOfRank(4)
	if !image.RankKnown() {
		return nil
	}
	out.Shape = ir.ShapeOf(
		image.At(0), image.At(1).Mul(ir.Dim(at.sizes[0])).Mul(ir.Dim(at.sizes[1])),
		at.places(0, image.At(2)), at.places(1, image.At(3)),
	)
	return nil
}

// places returns the number of windows along the rows, if i is 0, or the columns, if i is 1, of an
// image with d of them.
func (at *attributes) places(i int, d ir.Dimension) ir.Dimension {
	// The elements from the first to the last that a window touches.
	extent := (at.sizes[i]-1)*at.rates[i] + 1
	if at.autoPad != "valid" {
		extent = 1
	}
	count := func(n int64) int64 {
		if n < extent {
			return 0
		}
		return (n-extent)/at.strides[i] + 1
	}
	places := ir.DimRange(count(d.Min), ir.Unbounded)
	if d.Max != ir.Unbounded {
		places.Max = count(d.Max)
	}
	return places
}
