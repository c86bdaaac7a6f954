package generate

import (
	"math"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/textinput"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/plugin"
)

// maxProbed is the length up to which masks are computed.
const maxProbed = 1 << 18

// defaultScale is that of an attention with keys of n numbers.
func defaultScale(n int) float64 { return 1 / math.Sqrt(float64(n)) }

// probe computes the masks of attentions for texts of one's choice. What a mask means is learned
// from its values, not from the layers that make it, of which there are many kinds.
type probe struct {
	request *plugin.InferRequest
	inputs  []probeInput
}

// probeInput is an input of a probe: one of the model, or the shape of a state.
type probeInput struct {
	name         string
	state        *ir.Layer // nil for an input of the model
	appended     bool      // the shape is that behind the new rows
	heads, width int
}

// findWindows sets the window of each attention, from its mask for texts of up to length tokens.
func (r *pagedRewriter) findWindows(length int) error {
	length = min(length, maxProbed)
	p := &probe{}
	var masks []edit.Source
	for i := range r.attentions {
		if mask := r.attentions[i].mask; !slices.Contains(masks, mask) {
			masks = append(masks, mask)
		}
	}
	if err := p.findInputs(r, masks); err != nil {
		return err
	}
	names, outputs := make([]string, len(p.inputs)), make([]string, len(masks))
	for i := range names {
		names[i] = p.inputs[i].name
	}
	for i, mask := range masks {
		outputs[i] = mask.Layer.Name + ":" + strconv.Itoa(mask.Output)
	}
	part, err := edit.Extract(r.ctx, r.grown, r.registry, names, outputs)
	if err != nil {
		return faults.Errorf("masks of attention: %w", err)
	}
	compiled, err := r.core.CompileModel(r.ctx, part, plugin.CompileOptions{InferenceNumThreads: 1})
	if err != nil {
		return faults.Errorf("masks of attention: %w", err)
	}
	defer compiled.Close()
	p.request = compiled.NewInferRequest()
	windows := make([]int, len(masks))
	for i, mask := range masks {
		if err := p.run(r, length-1, 1); err != nil {
			return err
		}
		row, err := p.row(i, 0, 1, length)
		if err == nil {
			windows[i], err = windowOf(row)
		}
		if err == nil {
			err = p.check(r, i, windows[i], length)
		}
		if err != nil {
			return &ir.LayerError{Layer: mask.Layer, Err: faults.Errorf("as a mask of attention: %w", err)}
		}
	}
	for i := range r.attentions {
		a := &r.attentions[i]
		a.window = windows[slices.Index(masks, a.mask)]
	}
	return nil
}

// findInputs finds what masks depend on.
func (p *probe) findInputs(r *pagedRewriter, masks []edit.Source) error {
	seen := make(map[edit.Source]bool)
	for stack := slices.Clone(masks); len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		input := probeInput{name: s.Layer.Name}
		switch s.Layer.Type {
		case "Parameter":
			input.name = s.Layer.Outputs[0].Names[0]
		case "StateShape", "AppendState":
			if s.Layer.Type == "AppendState" {
				if s.Output != 1 {
					return faults.Errorf("a mask of attention depends on keys or values")
				}
				input.name, input.appended = s.Layer.Name+":1", true
			}
			if input.state = r.stateOf(s.Layer); input.state == nil {
				return &ir.LayerError{Layer: s.Layer, Err: faults.Errorf("no attention reads its variable")}
			}
			shape := r.builder.Fact(newRowsOf(input.state)).Shape
			input.heads, input.width = int(shape.At(1).Max), int(shape.At(3).Max)
		default:
			for _, in := range s.Layer.Inputs {
				stack = append(stack, edit.SourceOf(in))
			}
			continue
		}
		p.inputs = append(p.inputs, input)
	}
	return r.builder.Err()
}

// stateOf returns the AppendState of the variable of layer; nil if there is none.
func (r *pagedRewriter) stateOf(layer *ir.Layer) *ir.Layer {
	for i := range r.attentions {
		for _, state := range []*ir.Layer{r.attentions[i].keys, r.attentions[i].values} {
			if variableID(state) == variableID(layer) {
				return state
			}
		}
	}
	return nil
}

// run computes the masks of a step of count tokens behind past others.
func (p *probe) run(r *pagedRewriter, past, count int) error {
	for i := range p.inputs {
		t, err := p.inputs[i].value(past, count)
		if err == nil {
			err = p.request.SetInput(i, t)
		}
		if err != nil {
			return faults.Errorf("masks of attention: %w", err)
		}
	}
	if err := p.request.Infer(r.ctx); err != nil {
		return faults.Errorf("masks of attention: %w", err)
	}
	return nil
}

// value returns the value of an input for a text without padding.
func (p *probeInput) value(past, count int) (*ir.Tensor, error) {
	if p.state != nil {
		if p.appended {
			past += count
		}
		return ir.TensorFrom([]int64{1, int64(p.heads), int64(past), int64(p.width)}, 4)
	}
	n, first := count, 0
	switch p.name {
	case textinput.Beams:
		return ir.TensorFrom([]int32{0}, 1)
	case textinput.Mask:
		n = past + count
	case textinput.Positions:
		first = past
	case textinput.IDs:
	default:
		return nil, faults.Errorf("they depend on input %q", p.name)
	}
	values := make([]int64, n)
	for i := range values {
		switch p.name {
		case textinput.Mask:
			values[i] = 1
		case textinput.Positions:
			values[i] = int64(first + i)
		}
	}
	return ir.TensorFrom(values, 1, n)
}

// row returns which of the tokens of a text row number k of mask number i lets it see: that of a
// step of count tokens, after which there are length.
func (p *probe) row(i, k, count, length int) ([]bool, error) {
	mask := p.request.Output(i)
	shape := mask.Shape()
	rank := len(shape)
	at := func(axis, n int) (int, bool) { // the length of an axis from the end
		if axis > rank {
			return 1, true
		}
		m := shape[rank-axis]
		return m, m == n || m == 1
	}
	columns, ok := at(1, length)
	rows, ok2 := at(2, count)
	if !ok || !ok2 || shape.Elements() == 0 {
		return nil, faults.Errorf("its shape is %v for %d tokens of %d", shape, count, length)
	}
	value := mask.Values()
	seen := make([]bool, length)
	for head := range shape.Elements() / (rows * columns) {
		for column := range seen {
			v := value((head*rows+min(k, rows-1))*columns + min(column, columns-1))
			const hidden = -1e4 // exponentials of this are 0 beside others, in all types
			sees := v == 0
			if mask.ElementType() == ir.Boolean {
				sees = v != 0
			} else if v != 0 && !(v <= hidden) {
				return nil, faults.Errorf("it adds %v to a score, not 0 or the lowest number", v)
			}
			if head > 0 && sees != seen[column] {
				return nil, faults.Errorf("it differs from head to head")
			}
			seen[column] = sees
		}
	}
	return seen, nil
}

// windowOf returns the number of last tokens that a row lets a token see; 0 if it sees all.
func windowOf(row []bool) (int, error) {
	first := slices.Index(row, true)
	if first < 0 || slices.Contains(row[first:], false) {
		return 0, faults.Errorf("token %d does not see the tokens up to it, or the last of them", len(row)-1)
	}
	if first == 0 {
		return 0, nil
	}
	return len(row) - first, nil
}

// check compares the rows of mask number i, for some lengths, with a window.
func (p *probe) check(r *pagedRewriter, i, window, length int) error {
	for _, step := range [][2]int{{0, 9}, {5, 3}, {max(window-1, 0), 3}, {window, 1}} {
		past, count := step[0], step[1]
		if past+count > length {
			continue
		}
		if err := p.run(r, past, count); err != nil {
			return err
		}
		for k := range count {
			row, err := p.row(i, k, count, past+count)
			if err != nil {
				return err
			}
			for column, sees := range row {
				if want := column <= past+k && (window == 0 || column > past+k-window); sees != want {
					return faults.Errorf("token %d sees token %d: %v, which is not that of a window of %d tokens", past+k, column, sees, window)
				}
			}
		}
	}
	return nil
}
