package plan

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
)

// fusion is a layer and the elementwise layers after it, which its kernel applies to its result.
// They run as one step, at the position of the last.
type fusion struct {
	head   *ir.Layer
	op     *ops.Op     // of head
	layers []*ir.Layer // after head, including views
	stages []ops.Stage
	// operands are the other inputs of the stages. They follow those of head.
	operands []ir.Input
}

// fuse finds the fusions. That is possible before any step is made, because their shapes are static
// and only the next layer reads each of their layers.
func (p *planner) fuse() error {
	p.fusions, p.fused = map[*ir.Layer]*fusion{}, map[*ir.Layer]bool{}
	p.static = make([]answer, len(p.program.Model.Layers))
	readers := p.readers()
	for _, layer := range p.program.Model.Order {
		if err := p.stop.Err(); err != nil {
			return err
		}
		if !p.needed[layer.Index] || p.fused[layer] {
			continue
		}
		f, err := p.fusionFrom(layer, readers)
		if err != nil {
			return err
		}
		if len(f.stages) == 0 {
			continue
		}
		p.fused[f.head] = true
		for _, l := range f.layers {
			p.fused[l] = true
		}
		p.fusions[f.layers[len(f.layers)-1]] = f
	}
	return nil
}

// readers returns the reader of each layer by Layer.Index; nil unless one input of one layer reads
// output 0, and no other output is read.
func (p *planner) readers() []*ir.Layer {
	n := len(p.program.Model.Layers)
	readers, many := make([]*ir.Layer, n), make([]bool, n)
	for _, layer := range p.program.Model.Order {
		if !p.needed[layer.Index] {
			continue
		}
		for _, in := range layer.Inputs {
			if p.known(in.Source, in.SourceIndex) != nil {
				continue
			}
			i := in.Source.Index
			many[i] = many[i] || readers[i] != nil || in.SourceIndex > 0
			readers[i] = layer
		}
	}
	for i := range readers {
		if many[i] {
			readers[i] = nil
		}
	}
	return readers
}

// fusionFrom returns the longest fusion that starts with head. Without stages, there is no fusion.
func (p *planner) fusionFrom(head *ir.Layer, readers []*ir.Layer) (*fusion, error) {
	f := &fusion{head: head}
	var err error
	if f.op, err = p.env.Registry.Op(head); err != nil {
		return nil, control.AtLayer(head, err)
	}
	if !f.op.Fusion.Applies || !p.isStatic(head) || !p.isFloat32(head) || p.readsValues(f.op, head) {
		return f, nil
	}
	end := 0 // number of layers up to the last stage; the views after it need no kernel
	for at := head; p.isFloat32(at); {
		next := readers[at.Index]
		if next == nil || p.fused[next] || p.program.IsResult[next.Index] || !p.isStatic(next) {
			break
		}
		stages := len(f.stages)
		taken, err := p.extend(f, at, next)
		if err != nil {
			return nil, control.AtLayer(next, err)
		}
		if !taken {
			break
		}
		f.layers = append(f.layers, next)
		if len(f.stages) > stages {
			end = len(f.layers)
		}
		at = next
	}
	f.layers = f.layers[:end]
	return f, nil
}

// extend adds next, which reads at, to f as a stage or as a view. It reports whether that is
// possible.
func (p *planner) extend(f *fusion, at, next *ir.Layer) (bool, error) {
	op, err := p.env.Registry.Op(next)
	// before anything that looks at all inputs
	if err != nil || !op.Memory.View && op.Fusion.Stage == nil {
		return false, err
	}
	through := 0
	for i, in := range next.Inputs {
		if in.Source == at {
			through = i
		}
	}
	if p.elements(at) != p.elements(next) {
		return false, nil
	}
	if op.Memory.View {
		return through == 0 && p.isFloat32(next), nil
	}
	if op.Fusion.Stage == nil || p.readsValues(op, next) || !p.isFloat32(next) && !f.op.Fusion.Stores {
		return false, nil
	}
	preparation, operands := p.stagePreparation(f, op, next, through)
	if preparation == nil {
		return false, nil
	}
	stage, err := op.Fusion.Stage(preparation, through)
	if err != nil || stage == nil || (stage.Store == nil) != p.isFloat32(next) {
		return false, err
	}
	f.stages, f.operands = append(f.stages, *stage), append(f.operands, operands...)
	return true, nil
}

// stagePreparation returns the argument of Fusion.Stage of op for layer, and its inputs other than
// input number through. It returns nil if an input is not f32 or its shape is not static.
func (p *planner) stagePreparation(f *fusion, op *ops.Op, layer *ir.Layer, through int) (*ops.Preparation, []ir.Input) {
	preparation := p.env.Preparation(layer, p.inferred.Attributes(layer), p.stop)
	preparation.Inputs, preparation.Outputs = make([]ir.Fact, len(layer.Inputs)), p.inferred.Outputs(layer)
	preparation.Operands = make([]int, len(layer.Inputs))
	var operands []ir.Input
	for i, in := range layer.Inputs {
		fact := p.inferred.Outputs(in.Source)[in.SourceIndex]
		fact.Tensor = p.known(in.Source, in.SourceIndex)
		if fact.Type != ir.F32 || !fact.Shape.IsStatic() {
			return nil, nil
		}
		preparation.Inputs[i] = fact
		if i != through {
			preparation.Operands[i] = len(f.head.Inputs) + len(f.operands) + len(operands)
			operands = append(operands, in)
		}
	}
	preparation.Keep = p.env.Memory.Keep(p.once, layer, op, preparation.Inputs, p.stop)
	preparation.Charge = p.Charge
	return preparation, operands
}

// isStatic reports whether layer has one output, which is not constant, and the shapes of the
// output and of the inputs are static. A layer with many inputs is asked for each of them, so that
// the answer is kept.
func (p *planner) isStatic(layer *ir.Layer) bool {
	answer := &p.static[layer.Index]
	if *answer == unknown {
		*answer = no
		if p.findStatic(layer) {
			*answer = yes
		}
	}
	return *answer == yes
}

// answer is what is known about a layer.
type answer uint8

const (
	unknown answer = iota
	no
	yes
)

// findStatic is isStatic for a layer that it was not called for before.
func (p *planner) findStatic(layer *ir.Layer) bool {
	outputs := p.inferred.Outputs(layer)
	if len(outputs) != 1 || !outputs[0].Shape.IsStatic() || p.known(layer, 0) != nil {
		return false
	}
	for _, in := range layer.Inputs {
		if facts := p.inferred.Outputs(in.Source); in.SourceIndex >= len(facts) || !facts[in.SourceIndex].Shape.IsStatic() {
			return false
		}
	}
	return true
}

// isFloat32 reports whether output 0 of layer is f32.
func (p *planner) isFloat32(layer *ir.Layer) bool { return p.inferred.Outputs(layer)[0].Type == ir.F32 }

// elements returns the number of elements of output 0 of layer, whose shape is static; -1 if it is
// too large.
func (p *planner) elements(layer *ir.Layer) int {
	shape, err := p.inferred.Outputs(layer)[0].Shape.Static()
	if err != nil {
		return -1
	}
	if _, err := ir.ByteSize(ir.F32, shape); err != nil {
		return -1
	}
	return shape.Elements()
}

// readsValues reports whether the kernel is prepared for the values of an input that is not
// constant.
func (p *planner) readsValues(op *ops.Op, layer *ir.Layer) bool {
	for _, i := range op.Values {
		if i < len(layer.Inputs) && p.known(layer.Inputs[i].Source, layer.Inputs[i].SourceIndex) == nil {
			return true
		}
	}
	return false
}
