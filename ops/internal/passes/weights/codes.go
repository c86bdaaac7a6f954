package weights

import (
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
)

// Codes are integers of up to 8 bits that are data of a product: not rounded floats, but the
// numbers that a model has rounded itself, by limits that it has found when it runs.
type Codes struct {
	Input ir.Input
	// Zero is what is subtracted from the conversion of Input. It has no Source if nothing is.
	Zero ir.Input
}

// FindCodes matches Convert(codes) and Convert(codes) - Convert(zero), in any type. The conversion
// of the zero points can have another shape than they have.
func (e *Editor) FindCodes(in ir.Input) (c Codes, ok bool) {
	if subtract := rewrite.Producer(in, "Subtract"); subtract != nil && rewrite.IsNumpy(subtract) {
		in, c.Zero = subtract.Inputs[0], subtract.Inputs[1]
		from := c.Zero
		if moved := rewrite.Producer(from, "Reshape", "Unsqueeze"); moved != nil {
			from = moved.Inputs[0]
		}
		if _, ok := e.code(from); !ok {
			return c, false
		}
	}
	c.Input, ok = e.code(in)
	return c, ok
}

// code returns the integers of up to 8 bits that in converts.
func (e *Editor) code(in ir.Input) (code ir.Input, ok bool) {
	convert := rewrite.Producer(in, "Convert")
	if convert == nil {
		return in, false
	}
	t := e.Fact(convert.Inputs[0]).Type
	return convert.Inputs[0], t.IsInteger() && t.Bits() <= 8
}
