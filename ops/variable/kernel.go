package variable

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// find returns the index of a variable in Run.Variables.
func find(p *ops.Preparation, id string) (int, error) {
	i, ok := p.Variables[id]
	if !ok {
		return 0, faults.Errorf("there is no variable %q outside of a model", id)
	}
	return i, nil
}

func prepareAssign(p *ops.Preparation) (*ops.Prepared, error) {
	i, err := find(p, idOf(p.Attributes))
	if err != nil {
		return nil, err
	}
	unread := len(p.Unread) > 0 && p.Unread[0]
	return ops.Only(func(r *ops.Run) error {
		if err := r.Variables[i].Assign(r.Stop, r.Inputs[0]); err != nil || unread {
			return err
		}
		r.Copy(r.Outputs[0], r.Inputs[0])
		return nil
	}, nil)
}

// reader is the kernel of ReadValue.
type reader struct {
	variable int // index in Run.Variables
	output   ir.Fact
	// zeros is the shape of the output if the variable has neither a value nor an init_value.
	zeros []int
}

func prepareRead(p *ops.Preparation) (*ops.Prepared, error) {
	i, err := find(p, idOf(p.Attributes))
	if err != nil {
		return nil, err
	}
	k := &reader{variable: i, output: p.Outputs[0]}
	if shape := k.output.Shape; shape.RankKnown() {
		k.zeros = make([]int, shape.Rank())
		for i := range k.zeros {
			if d := shape.At(i); d.IsStatic() {
				k.zeros[i] = int(d.Min)
			}
		}
	}
	return ops.Only(k.run, nil)
}

func (k *reader) run(r *ops.Run) error {
	from, err := r.Variables[k.variable].Value()
	if err != nil {
		return err
	}
	if from == nil && len(r.Inputs) > 0 {
		from = r.Inputs[0]
	}
	if from == nil {
		if err := r.SetShape(0, k.zeros...); err != nil {
			return err
		}
		parallel.Clear(r.Stop, r.Outputs[0].Bytes())
		parallel.Clear(r.Stop, r.Outputs[0].Strings())
		return nil
	}
	// If the layer declares no shape, the output has the shape of the input. The value may have
	// been assigned when the input had another shape.
	if k.output.Type != from.ElementType() || k.output.Shape.IsStatic() && !slices.Equal(r.Outputs[0].Shape(), from.Shape()) {
		return faults.Errorf("the value is %v%v, the layer returns %v%v", from.ElementType(), from.Shape(), k.output.Type, k.output.Shape)
	}
	if err := r.SetShape(0, from.Shape()...); err != nil {
		return err
	}
	r.Copy(r.Outputs[0], from)
	return nil
}
