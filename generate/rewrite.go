package generate

import (
	"context"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// rowsInput is the name of the input that rewrite adds.
const rowsInput = "vinoir_logits_rows"

// rewrite returns a copy of m, a language model, that computes its output number logits only for
// some positions of the tokens: those in a new input, i64[?], which can be negative to count from
// the end. The product with the vocabulary is much of what a prompt costs, and only the last
// position is needed. The logits of the copy are f32, and it has the products of adapters, whose
// alphas are an input: one for all rows, or one for each.
//
// The product is found through elementwise layers that treat all positions alike. If there is none,
// the copy computes the logits of all positions, and selected is false.
func rewrite(ctx context.Context, m *ir.Model, rules infer.Rules, logits int, adapters []*Adapter, each bool) (changed *ir.Model, selected bool, err error) {
	b := edit.Change(ctx, m, rules)
	result := b.Layers()[m.Results[logits].Index]
	if s := edit.SourceOf(result.Inputs[0]); b.Fact(s).Type != ir.F32 {
		b.InsertAfter(s, func(s edit.Source) edit.Source {
			return b.Layer("Convert", 1, edit.Attributes("destination_type", "f32"), s)
		})
	}
	head := (&headFinder{builder: b}).find(result)
	var rows edit.Source
	if head != nil {
		rows = b.Parameter(rowsInput, ir.I64, ir.ShapeOf(ir.AnyDim))
		b.Connect(head, 0, gather(b, edit.SourceOf(head.Inputs[0]), rows, 1))
		selected = true
	}
	if len(adapters) > 0 {
		if err := addAdapters(b, adapters, each, head, rows); err != nil {
			return nil, false, err
		}
	}
	changed, err = b.Model()
	return changed, selected, err
}

// headFinder finds the product of the hidden states and the vocabulary.
type headFinder struct {
	builder *edit.Builder
	readers map[edit.Source]int
}

// find returns the MatMul that result depends on, and that reads the hidden states of all positions
// as input 0; nil if there is none.
func (f *headFinder) find(result *ir.Layer) *ir.Layer {
	f.readers = make(map[edit.Source]int)
	for _, layer := range f.builder.Layers() {
		for _, in := range layer.Inputs {
			f.readers[edit.SourceOf(in)]++
		}
	}
	s := edit.SourceOf(result.Inputs[0])
	for {
		if f.readers[s] != 1 || f.builder.Fact(s).Shape.Rank() != 3 {
			return nil
		}
		layer, next := s.Layer, 0
		switch layer.Type {
		case "MatMul":
			if f.isHead(layer) {
				return layer
			}
			return nil
		case "Convert", "Tanh", "Clamp":
		case "Add", "Subtract", "Multiply", "Divide":
			if !f.isAlike(edit.SourceOf(layer.Inputs[1])) {
				if next = 1; !f.isAlike(edit.SourceOf(layer.Inputs[0])) {
					return nil
				}
			}
		default:
			return nil
		}
		s = edit.SourceOf(layer.Inputs[next])
	}
}

// isHead reports whether layer, a MatMul, multiplies rows of hidden states by a constant.
func (f *headFinder) isHead(layer *ir.Layer) bool {
	hidden, weights := edit.SourceOf(layer.Inputs[0]), edit.SourceOf(layer.Inputs[1])
	return !ir.AttributesOf(layer).Bool("transpose_a", false) && f.builder.Fact(hidden).Shape.Rank() == 3 &&
		f.builder.Fact(weights).Shape.Rank() == 2 && f.isConstant(weights.Layer)
}

// isAlike reports whether s is constant and has the same elements for all positions.
func (f *headFinder) isAlike(s edit.Source) bool {
	shape := f.builder.Fact(s).Shape
	if !shape.RankKnown() || shape.Rank() > 3 || !f.isConstant(s.Layer) {
		return false
	}
	return shape.Rank() < 2 || shape.At(shape.Rank()-2) == ir.Dim(1)
}

// isConstant reports whether layer depends on Constants only.
func (f *headFinder) isConstant(layer *ir.Layer) bool {
	stack, seen := []*ir.Layer{layer}, make(map[*ir.Layer]bool)
	for len(stack) > 0 {
		layer, stack = stack[len(stack)-1], stack[:len(stack)-1]
		if layer.Type != "Constant" && len(layer.Inputs) == 0 || layer.Type == "ReadValue" {
			return false
		}
		for _, in := range layer.Inputs {
			if !seen[in.Source] {
				seen[in.Source] = true
				stack = append(stack, in.Source)
			}
		}
	}
	return true
}

// appendAxes returns the axis along which each variable of m grows with the tokens, by its name:
// that of the Concat that appends to the value that was read, perhaps in another order of the
// sequences. It returns nil unless all variables are of this kind: then the values of the last
// tokens cannot be removed.
func appendAxes(m *ir.Model, shapes *infer.Shapes) map[string]int {
	axes := make(map[string]int)
	for _, sink := range m.Sinks {
		if sink.Type != "Assign" {
			return nil
		}
		concat := sink.Inputs[0].Source
		if concat.Type != "Concat" || len(concat.Inputs) != 2 {
			return nil
		}
		read := concat.Inputs[0].Source
		if read.Type == "Gather" {
			read = read.Inputs[0].Source
		}
		id, shape := variableID(sink), shapes.Outputs(concat)[0].Shape
		if read.Type != "ReadValue" || variableID(read) != id || !shape.RankKnown() {
			return nil
		}
		axis := int(ir.AttributesOf(concat).Int("axis", 0))
		if axis < 0 {
			axis += shape.Rank()
		}
		if axis <= 0 || axis >= shape.Rank() {
			return nil
		}
		axes[id] = axis
	}
	return axes
}

func variableID(layer *ir.Layer) string {
	return ir.AttributesOf(layer).String("variable_id", "")
}

// outputNamed returns the index of the output with the given name; 0 if there is none.
func outputNamed(m *ir.Model, name string) int {
	return max(slices.IndexFunc(m.Results, func(r *ir.Layer) bool { return slices.Contains(r.OutputNames, name) }), 0)
}
