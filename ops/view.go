package ops

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// PrepareView is Op.Prepare for a layer type with Memory.View set. The kernel copies input 0 to
// output 0; it runs if the two cannot share memory. It is an error if they have different numbers
// of elements.
func PrepareView(p *Preparation) (*Prepared, error) {
	in := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if in.Elements() != out.Elements() {
		return nil, faults.Errorf("input shape %v has %d elements, output shape %v has %d", in, in.Elements(), out, out.Elements())
	}
	if p.Outputs[0].Type == ir.String {
		return &Prepared{Kernel: copyStrings}, nil
	}
	return &Prepared{Kernel: copyBytes}, nil
}

func copyStrings(r *Run) error {
	parallel.Copy(r.Stop, r.Outputs[0].Strings(), r.Inputs[0].Strings())
	return nil
}

func copyBytes(r *Run) error {
	return r.For(len(r.Outputs[0].Bytes()), Grain(CopyCost), copyPart)
}

func copyPart(r *Run, lo, hi int) error {
	copy(r.Outputs[0].Bytes()[lo:hi], r.Inputs[0].Bytes()[lo:hi])
	return nil
}
