package generate

import (
	"math"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/textinput"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
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

// probeInput is an input of a probe: one of the model, or the shape of a state or of what a step
// computes.
type probeInput struct {
	name string
	// shape is nil for an input of the model. It has pastLength, stepLength and totalLength for
	// lengths that differ from step to step.
	shape []int
	t     ir.ElementType // of the input that has the shape
}

const (
	pastLength  = -1 - iota // number of tokens before the step
	stepLength              // number of tokens of the step
	totalLength             // both
)

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
	meanings := make([]meaning, len(masks))
	for i, mask := range masks {
		var err error
		if meanings[i], err = p.meaningOf(r, i, length); err != nil {
			return &ir.LayerError{Layer: mask.Layer, Err: faults.Errorf("as a mask of attention: %w", err)}
		}
	}
	for i := range r.attentions {
		a := &r.attentions[i]
		m := meanings[slices.Index(masks, a.mask)]
		a.window = m.window
		if a.slopes, err = a.perHead(m.slopes); err != nil {
			return &ir.LayerError{Layer: a.mask.Layer, Err: faults.Errorf("as a mask of attention: %w", err)}
		}
	}
	return nil
}

// meaning is what a mask does to the scores of a token: those of other tokens than itself and the
// ones before it, up to window tokens, become 0, and for each head, slope times the distance to the
// token is added, which is negative. window is 0 for all tokens, slopes is nil if nothing is added.
type meaning struct {
	window int
	slopes []float64
}

// meaningOf returns the meaning of mask number i, for texts of up to length tokens.
func (p *probe) meaningOf(r *pagedRewriter, i, length int) (meaning, error) {
	var m meaning
	short := min(length, 9) // so that sums of positions are exact
	if err := p.run(r, short-1, 1); err != nil {
		return m, err
	}
	var err error
	if m.slopes, err = p.slopes(i, short); err != nil {
		return m, err
	}
	if err := p.run(r, length-1, 1); err != nil {
		return m, err
	}
	row, err := p.row(i, m.slopes, 0, 1, length)
	if err != nil {
		return m, err
	}
	if m.window, err = windowOf(row); err != nil {
		return m, err
	}
	return m, p.check(r, i, m, length)
}

// findInputs finds what masks depend on.
func (p *probe) findInputs(r *pagedRewriter, masks []edit.Source) error {
	shapes, err := propagateStep(r.ctx, r.grown, r.registry, r.adapters)
	if err != nil {
		return err
	}
	seen := make(map[edit.Source]bool)
	for stack := slices.Clone(masks); len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		input := probeInput{name: s.Layer.Name, t: ir.I64}
		switch s.Layer.Type {
		case "Parameter":
			input.name = s.Layer.Outputs[0].Names[0]
		case "StateShape", "AppendState":
			length := pastLength
			if s.Layer.Type == "AppendState" {
				if s.Output != 1 {
					return faults.Errorf("a mask of attention depends on keys or values")
				}
				input.name, length = s.Layer.Name+":1", totalLength
			}
			state := r.stateOf(s.Layer)
			if state == nil {
				return &ir.LayerError{Layer: s.Layer, Err: faults.Errorf("no attention reads its variable")}
			}
			shape := r.builder.Fact(newRowsOf(state)).Shape
			input.shape = []int{1, int(shape.At(1).Max), length, int(shape.At(3).Max)}
		default:
			if s.Layer.Type == "ShapeOf" {
				input.shape, input.t = shapeOfStep(shapes, s.Layer)
			}
			if input.shape == nil {
				for _, in := range s.Layer.Inputs {
					stack = append(stack, edit.SourceOf(in))
				}
				continue
			}
		}
		p.inputs = append(p.inputs, input)
	}
	return r.builder.Err()
}

// shapeOfStep returns the shape that a ShapeOf returns in a step, and its type; nil if it depends
// on more than the number of tokens.
func shapeOfStep(shapes *infer.Shapes, layer *ir.Layer) ([]int, ir.ElementType) {
	in := layer.Inputs[0]
	dims, err := shapes.Outputs(in.Source)[in.SourceIndex].Shape.Static()
	if err != nil || slices.ContainsFunc(dims, func(n int) bool { return n > anyRows }) {
		return nil, ir.Dynamic
	}
	shape := slices.Clone([]int(dims))
	for i, n := range shape {
		if n == anyRows {
			shape[i] = stepLength
		}
	}
	return shape, shapes.Outputs(layer)[0].Type
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
	if p.shape != nil {
		t, err := ir.NewTensor(p.t, len(p.shape))
		if err != nil {
			return nil, err
		}
		for i, n := range p.shape {
			if n < 0 {
				n = map[int]int{pastLength: past, stepLength: count, totalLength: past + count}[n]
			}
			t.SetValue(i, float64(n))
		}
		return t, nil
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

// maskValues are the values of a mask for a row of a step, for each head and token.
type maskValues struct {
	heads int
	at    func(head, column int) float64
	// boolean says that the values are 1 for what a token sees, and not added to scores.
	boolean bool
}

// values returns the values of mask number i for row k of a step of count tokens, after which there
// are length.
func (p *probe) values(i, k, count, length int) (maskValues, error) {
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
		return maskValues{}, faults.Errorf("its shape is %v for %d tokens of %d", shape, count, length)
	}
	value := mask.Values()
	return maskValues{
		heads: shape.Elements() / (rows * columns), boolean: mask.ElementType() == ir.Boolean,
		at: func(head, column int) float64 {
			return value((head*rows+min(k, rows-1))*columns + min(column, columns-1))
		},
	}, nil
}

// hidden is added to scores whose exponentials must be 0 beside others, in all types.
const hidden = -1e4

// slopes returns the slope of each head in mask number i, for a step of one token after which there
// are length; nil if none has one.
func (p *probe) slopes(i, length int) ([]float64, error) {
	v, err := p.values(i, 0, 1, length)
	if err != nil || v.boolean {
		return nil, err
	}
	slopes := make([]float64, v.heads)
	for head := range slopes {
		own, first := v.at(head, length-1), length-2
		for first > 0 && v.at(head, first-1) > hidden {
			first--
		}
		if first >= 0 && v.at(head, first) > hidden {
			slopes[head] = (own - v.at(head, first)) / float64(length-1-first)
		}
	}
	if !slices.ContainsFunc(slopes, func(s float64) bool { return s != 0 }) {
		return nil, nil
	}
	return slopes, nil
}

// row returns which of the tokens of a text row number k of mask number i, whose heads have slopes,
// lets it see: that of a step of count tokens, after which there are length.
func (p *probe) row(i int, slopes []float64, k, count, length int) ([]bool, error) {
	v, err := p.values(i, k, count, length)
	if err != nil {
		return nil, err
	}
	seen, self := make([]bool, length), length-count+k
	for head := range v.heads {
		slope, own := 0.0, 0.0 // with a slope, any number may be added to all scores of a row
		if slopes != nil {
			slope, own = slopes[min(head, len(slopes)-1)], v.at(head, self)
		}
		for column := range seen {
			value := v.at(head, column)
			expected := own + slope*float64(column-self)
			sees := math.Abs(value-expected) <= 1e-6*(math.Abs(own)+math.Abs(expected))
			switch {
			case v.boolean:
				sees = value != 0
			case !sees && !(value <= hidden && value < expected+hidden/2):
				return nil, faults.Errorf("it adds %v to a score, not %v or the lowest number", value, expected)
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

// check compares the rows of mask number i, for some lengths, with a meaning.
func (p *probe) check(r *pagedRewriter, i int, m meaning, length int) error {
	window := m.window
	for _, step := range [][2]int{{0, 9}, {5, 3}, {max(window-1, 0), 3}, {window, 1}} {
		past, count := step[0], step[1]
		if past+count > length {
			continue
		}
		if err := p.run(r, past, count); err != nil {
			return err
		}
		for k := range count {
			row, err := p.row(i, m.slopes, k, count, past+count)
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
