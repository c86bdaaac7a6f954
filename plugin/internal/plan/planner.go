package plan

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// planner makes a plan.
type planner struct {
	*Plan
	env      *graph.Environment
	program  *graph.Program
	stop     parallel.Stop
	inferred *infer.Shapes
	needed   []bool                // by Layer.Index
	read     [][]bool              // which outputs are read, by Layer.Index; nil if none is
	outputs  [][]int               // values of the outputs of each layer, by Layer.Index
	fusions  map[*ir.Layer]*fusion // by their last layer
	fused    map[*ir.Layer]bool    // the layers in fusions
	static   []answer              // results of isStatic, by Layer.Index
	once     *memory.OnceStore     // for values that are constant only in this plan
}

// newPlan infers all shapes of a program from the shapes of its inputs, which can have open
// lengths, and prepares every layer. If ctx is done earlier, it returns the error of ctx. accept,
// if it is not nil, is called with the steps before any kernel is prepared. If it returns false,
// the error is errRefused.
func newPlan(ctx context.Context, program *graph.Program, inputs []ir.Fact, accept func(*Plan) bool) (*Plan, error) {
	made, err := makePlan(ctx, program, inputs, accept)
	return made, control.Stopped(ctx, err)
}

// errRefused is the error of newPlan for a plan that was not accepted.
var errRefused = errors.New("the plan is refused")

// makePlan is newPlan. It returns parallel.ErrStopped if ctx is done.
func makePlan(ctx context.Context, program *graph.Program, inputs []ir.Fact, accept func(*Plan) bool) (made *Plan, err error) {
	env, model := program.Env, program.Model
	inferred, err := infer.PropagateWith(ctx, model, env.Registry, infer.Options{
		Parameters: program.Parameters(inputs), Earlier: program.Inferred, BodiesLater: true,
	})
	if err != nil {
		return nil, err
	}
	n := len(model.Layers)
	p := &planner{
		Plan: &Plan{Reasons: env.Reasons}, env: env, program: program, inferred: inferred, stop: control.StopOf(ctx),
		needed: make([]bool, n), read: make([][]bool, n), outputs: make([][]int, n),
	}
	p.Init(env.Memory.Caches)
	p.once = memory.NewOnceStore(&p.Ledger)
	defer func() {
		if made == nil {
			p.Close()
		}
	}()
	p.Inputs = inputs
	p.mark()
	for i, layer := range model.Parameters {
		v := p.addValue(value{Kind: OfCaller, ElementType: inputs[i].Type})
		p.Values[v].Shape = nil // unknown, if a length is open
		if inputs[i].Shape.IsStatic() {
			if p.Values[v].Shape, err = inputs[i].Shape.Static(); err != nil {
				return nil, control.AtLayer(layer, err)
			}
		}
		p.outputs[layer.Index] = []int{v}
		p.Params = append(p.Params, v)
	}
	if env.Fuse {
		if err := p.fuse(); err != nil {
			return nil, err
		}
	}
	for _, layer := range model.Order {
		if err := p.stop.Err(); err != nil {
			return nil, err
		}
		if !p.needed[layer.Index] || p.outputs[layer.Index] != nil {
			continue
		}
		if p.fused[layer] {
			if err := p.addFusion(layer); err != nil {
				return nil, err
			}
			continue
		}
		if err := p.add(layer); err != nil {
			return nil, control.AtLayer(layer, err)
		}
	}
	if accept != nil && !accept(p.Plan) {
		return nil, errRefused
	}
	for _, layer := range model.Results {
		p.Results = append(p.Results, p.outputs[layer.Index][0])
	}
	p.lifetimes()
	p.shareInPlace()
	p.groupResults()
	if err := p.checkNeed(); err != nil {
		return nil, err
	}
	if err := p.prepareSteps(); err != nil {
		return nil, err
	}
	env.Memory.Buffers.Drop()
	if err := p.place(env.Memory.Limits.MaxTotalBytes); err != nil {
		return nil, err
	}
	if err := p.checkMemory(); err != nil {
		return nil, err
	}
	if err := p.stop.Err(); err != nil {
		return nil, err
	}
	p.Size = p.Used()
	p.bytes += int64(len(p.Values))*valueBytes + int64(len(p.Steps))*stepBytes
	return p.Plan, nil
}

// valueBytes and stepBytes are about what a value and a step with its kernel take, in bytes.
const (
	valueBytes = 16 * wordBytes
	stepBytes  = 96 * wordBytes
	wordBytes  = bits.UintSize / 8 // most of it is pointers and lengths
)

// known returns the value of an output if it is known for the shapes of this plan; nil otherwise.
// Without constant folding, only Constants are known.
func (p *planner) known(layer *ir.Layer, output int) *ir.Tensor {
	if layer.Constant != nil {
		return layer.Constant
	}
	if !p.env.Fold || len(layer.Inputs) == 0 {
		return nil
	}
	outputs := p.inferred.Outputs(layer)
	if output >= len(outputs) {
		return nil
	}
	return outputs[output].Constant()
}

// mark finds the layers that have to run: the Results and sinks, and what they read that is not
// constant, directly or indirectly.
func (p *planner) mark() {
	for _, list := range [][]*ir.Layer{p.program.Model.Results, p.program.Model.Sinks} {
		for _, layer := range list {
			p.needed[layer.Index] = true
		}
	}
	for _, layer := range slices.Backward(p.program.Model.Order) {
		if !p.needed[layer.Index] {
			continue
		}
		for _, in := range layer.Inputs {
			if p.known(in.Source, in.SourceIndex) == nil {
				p.needed[in.Source.Index] = true
				p.markRead(in)
			}
		}
	}
}

// markRead records that the source of in is read.
func (p *planner) markRead(in ir.Input) {
	read := &p.read[in.Source.Index]
	if *read == nil {
		*read = make([]bool, len(in.Source.Outputs))
	}
	if in.SourceIndex < len(*read) {
		(*read)[in.SourceIndex] = true
	}
}

// unread reports which of the n outputs of layer have no reader.
func (p *planner) unread(layer *ir.Layer, n int) []bool {
	unread := make([]bool, n)
	for i := range unread {
		read := p.read[layer.Index]
		unread[i] = i >= len(read) || !read[i]
	}
	return unread
}

// addValue adds v to the plan and returns its number.
func (p *planner) addValue(v value) int {
	v.owner, v.first, v.Last = len(p.Values), -1, -1
	if v.Shape == nil && v.Kind != InSlot {
		v.Shape = ir.Shape{} // a scalar; nil means an unknown shape
	}
	p.Values = append(p.Values, v)
	return len(p.Values) - 1
}

// input returns the value that an input of a layer reads.
func (p *planner) input(in ir.Input) (int, error) {
	if t := p.known(in.Source, in.SourceIndex); t != nil {
		if in.Source.Constant == nil {
			p.bytes += int64(len(t.Bytes()))
		}
		return p.addValue(value{Kind: OfModel, ElementType: t.ElementType(), Shape: t.Shape(), Tensor: t}), nil
	}
	outputs := p.outputs[in.Source.Index]
	if in.SourceIndex >= len(outputs) {
		return 0, faults.Errorf("output %d of layer %q is read, it has %d", in.SourceIndex, in.Source.Name, len(outputs))
	}
	p.shorten(outputs[in.SourceIndex])
	return outputs[in.SourceIndex], nil
}

// add adds the values of the outputs of layer, and a step unless no memory has to be written.
func (p *planner) add(layer *ir.Layer) error {
	op, err := p.env.Registry.Op(layer)
	if err != nil {
		return err
	}
	s := Step{Layer: layer, op: op}
	if s.Inputs, err = p.valuesOf(layer.Inputs); err != nil {
		return err
	}
	isResult := p.program.IsResult[layer.Index]
	dynamic := false
	for _, fact := range p.inferred.Outputs(layer) {
		v, err := p.output(fact)
		if err != nil {
			return err
		}
		dynamic = dynamic || p.Values[v].IsDynamic()
		s.Outputs = append(s.Outputs, v)
	}
	for _, v := range s.Inputs {
		dynamic = dynamic || p.Values[v].IsDynamic()
	}
	p.outputs[layer.Index] = s.Outputs
	if view, err := p.view(&s, isResult, dynamic); err != nil || view {
		return err
	}
	for _, v := range s.Outputs {
		dynamic = dynamic || p.Values[p.Owner(v)].Kind == InSlot
	}
	if !dynamic && (p.pieces(&s) || p.joins(&s)) {
		return nil
	}
	if dynamic || p.readsValues(op, layer) {
		s.Dynamic = p.newDynamicLayer(&s)
	}
	p.Steps = append(p.Steps, s)
	return nil
}

// addFusion adds the step of a fusion if layer is its last layer.
func (p *planner) addFusion(layer *ir.Layer) error {
	f := p.fusions[layer]
	if f == nil {
		return nil
	}
	s := Step{Layer: f.head, op: f.op, Fused: f.layers, stages: f.stages}
	var err error
	if s.Inputs, err = p.valuesOf(slices.Concat(f.head.Inputs, f.operands)); err != nil {
		return control.AtLayer(layer, err)
	}
	v, err := p.output(p.inferred.Outputs(layer)[0])
	if err != nil {
		return control.AtLayer(layer, err)
	}
	s.Outputs = []int{v}
	p.outputs[layer.Index] = s.Outputs
	p.Steps = append(p.Steps, s)
	return nil
}

// valuesOf returns the values that the inputs in list read.
func (p *planner) valuesOf(list []ir.Input) ([]int, error) {
	values := make([]int, len(list))
	for i, in := range list {
		var err error
		if values[i], err = p.input(in); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// output adds a value for an output with the given fact.
func (p *planner) output(fact ir.Fact) (int, error) {
	v := value{Kind: InSlot, ElementType: fact.Type}
	if fact.Shape.IsStatic() && fact.Type != ir.Dynamic {
		var err error
		v.Kind = inArena
		if v.Shape, err = fact.Shape.Static(); err != nil {
			return 0, err
		}
		if v.Size, err = p.env.Memory.Limits.SizeOf(v.ElementType, v.Shape); err != nil {
			return 0, err
		}
	}
	return p.addValue(v), nil
}
