package generate

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/textinput"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// MaxPositions returns the number of tokens of prompt and answer that m has positions for, if its
// positions are rows of a table; 0 if they have no end. A longer prompt is an error, and an answer
// ends there.
func (m *Model) MaxPositions() int { return m.maxPositions }

// newTokens returns the greatest number of tokens that follow a prompt of the given length. The
// last one needs no position.
func (m *Model) newTokens(config *Config, prompt int) (int, error) {
	n, err := config.newTokens(prompt)
	if err == nil && m.maxPositions > 0 {
		n = min(n, m.maxPositions-prompt+1)
	}
	return n, err
}

// checkLength returns an error if text number i, of n tokens, has more than there are positions.
func (m *Model) checkLength(i, n int) error {
	if m.maxPositions > 0 && n > m.maxPositions {
		return faults.Errorf("prompt %d has %d tokens, and the model %d positions", i, n, m.maxPositions)
	}
	return nil
}

// countPositions returns the number of positions that m has: the number of rows of the smallest
// table that is read at position_ids, less what is added to these before. It returns 0 if there is
// no such table, as in models that compute with the positions.
func countPositions(m *ir.Model, shapes *infer.Shapes) int {
	count := 0
	for _, layer := range m.Layers {
		if layer.Type != "Gather" || len(layer.Inputs) != 3 {
			continue
		}
		inputs := shapes.Inputs(layer)
		table, axis := inputs[0].Shape, valueOf(&inputs[2])
		first, isPosition := positionOffset(layer.Inputs[1], shapes)
		if !isPosition || axis == nil || *axis != 0 || table.Rank() < 1 || !table.At(0).IsStatic() {
			continue
		}
		if n := int(table.At(0).Min - first); n > 0 && (count == 0 || n < count) {
			count = n
		}
	}
	return count
}

// positionOffset returns what is added to position_ids before in reads them. It returns false if in
// reads something else.
func positionOffset(in ir.Input, shapes *infer.Shapes) (offset int64, ok bool) {
	for {
		layer, next := in.Source, 0
		switch layer.Type {
		case "Parameter":
			return offset, layer.Name == textinput.Positions || slices.Contains(layer.Outputs[0].Names, textinput.Positions)
		case "Convert", "Reshape", "Squeeze", "Unsqueeze":
		case "Add":
			inputs := shapes.Inputs(layer)
			added := valueOf(&inputs[1])
			if added == nil {
				next, added = 1, valueOf(&inputs[0])
			}
			if added == nil {
				return 0, false
			}
			offset += *added
		default:
			return 0, false
		}
		in = layer.Inputs[next]
	}
}

// valueOf returns the value of a constant integer; nil if fact is something else.
func valueOf(fact *ir.Fact) *int64 {
	if fact.Tensor == nil || fact.Tensor.Len() != 1 {
		return nil
	}
	values, err := fact.Tensor.Ints()
	if err != nil {
		return nil
	}
	return &values[0]
}
