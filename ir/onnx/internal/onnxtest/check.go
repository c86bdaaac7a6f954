package onnxtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
	"github.com/vinoir/vinoir/ir/onnx/internal/wire"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/onnxextension"
	"github.com/vinoir/vinoir/plugin"
)

// Suite checks the rules of a family of operators.
type Suite struct {
	t        *testing.T
	table    *convert.Table
	registry *plugin.Registry
	// Lengths, Constants and Stateful are those of convert.Options.
	Lengths   map[string]int
	Constants map[string]*ir.Tensor
	Stateful  bool
}

// NewSuite returns a Suite for rules, which may use all layer types.
func NewSuite(t *testing.T, rules []convert.Rule) *Suite {
	t.Helper()
	table, err := convert.NewTable(rules)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := plugin.NewRegistry(append(builtin.Ops(), onnxextension.Ops()...)...)
	if err != nil {
		t.Fatal(err)
	}
	return &Suite{t: t, table: table, registry: registry}
}

// Case is a model of one node, and what it must compute.
type Case struct {
	// Operator is that of the node, in a Version of its Domain.
	Operator, Domain string
	Version          int
	// Attributes has names and values: see the function Attributes.
	Attributes []any
	// Inputs and Want have what ir.TensorFrom takes, or an *ir.Tensor. A nil input is absent, and a
	// nil output is not wanted.
	Inputs, Want []any
	// Types has the types of inputs that OpenVINO does not have, by their numbers: the elements are
	// those of the type that holds them. They are inputs in all models.
	Types map[int]proto.DataType
	// MaxRel bounds the differences of floats, relative to the largest magnitude.
	MaxRel float64
	// Constants lists inputs whose values must be known: they are initializers in all models.
	Constants []int
	// Error is a part of the error, in place of Want, for a model with known shapes.
	Error string
	// Static means that the node needs known shapes.
	Static bool
}

// Limits are enough for the files of tests.
var Limits = wire.Limits{Messages: 50_000, Depth: 100}

// forms are the ways in which the inputs of a case are given to the model.
var forms = []string{"inputs", "initializers", "unknown lengths", "unknown rank"}

// Program is a model of several nodes, and what it must compute.
type Program struct {
	Version int
	Nodes   []*proto.Node
	// Inputs has what ir.TensorFrom takes, or an *ir.Tensor, for the inputs x0, x1 and so on, and
	// Want the same for the outputs of the model.
	Inputs, Want []any
	// Outputs are the names of the outputs, separated by spaces.
	Outputs string
	// Constants lists inputs whose values must be known.
	Constants []int
	// Error is a part of the error, in place of Want.
	Error string
	// Static means that the shapes of inputs must be known.
	Static bool
}

// CheckProgram checks a program, with inputs of known and of unknown lengths.
func (s *Suite) CheckProgram(name string, p Program) {
	s.t.Helper()
	for form := 0; form <= 2; form += 2 {
		if form > 0 && (p.Static || p.Error != "") {
			break
		}
		s.t.Run(name+"/"+forms[form], func(t *testing.T) {
			g := &proto.Graph{Name: "test", Nodes: p.Nodes}
			var given []*ir.Tensor
			for i, input := range p.Inputs {
				name, tensor := fmt.Sprintf("x%d", i), tensorOf(t, input)
				if slices.Contains(p.Constants, i) {
					g.Initializers = append(g.Initializers, TensorOf(name, tensor))
					continue
				}
				given = append(given, tensor)
				g.Inputs = append(g.Inputs, &proto.ValueInfo{Name: name, Type: typeIn(tensor, form)})
			}
			for output := range strings.FieldsSeq(p.Outputs) {
				g.Outputs = append(g.Outputs, &proto.ValueInfo{Name: output})
			}
			outputs, err := s.Infer(t, Model(p.Version, g), given...)
			if p.Error != "" {
				if err == nil || !strings.Contains(err.Error(), p.Error) {
					t.Fatalf("the error is %v, want one with %q", err, p.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(outputs) != len(p.Want) {
				t.Fatalf("the model has %d outputs, want %d", len(outputs), len(p.Want))
			}
			for i, want := range p.Want {
				if err := conformance.Compare(outputs[i], tensorOf(t, want), 0); err != nil {
					t.Fatalf("output %d: %v", i, err)
				}
			}
		})
	}
}

// Check checks a case, with inputs of the model and with initializers, and with inputs whose shapes
// are not known. Each must compute the same.
func (s *Suite) Check(c Case) {
	s.t.Helper()
	for i, form := range forms {
		if i >= 2 && (c.Static || c.Error != "") {
			break
		}
		s.t.Run(fmt.Sprintf("%s-%d/%s", c.Operator, c.Version, form), func(t *testing.T) {
			outputs, err := s.run(t, &c, i)
			if c.Error != "" {
				if err == nil || !strings.Contains(err.Error(), c.Error) {
					t.Fatalf("the error is %v, want one with %q", err, c.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for k, want := range c.Want {
				if want == nil {
					continue
				}
				if err := conformance.Compare(outputs[0], tensorOf(t, want), c.MaxRel); err != nil {
					t.Fatalf("output %d: %v", k, err)
				}
				outputs = outputs[1:]
			}
		})
	}
}

// run runs the node of a case in a form.
func (s *Suite) run(t *testing.T, c *Case, form int) ([]*ir.Tensor, error) {
	g := &proto.Graph{Name: "test"}
	node := &proto.Node{Name: "node", Domain: c.Domain, Operator: c.Operator, Attributes: Attributes(c.Attributes...)}
	var given []*ir.Tensor
	for i, input := range c.Inputs {
		if input == nil {
			node.Inputs = append(node.Inputs, "")
			continue
		}
		name, tensor := fmt.Sprintf("x%d", i), tensorOf(t, input)
		node.Inputs = append(node.Inputs, name)
		constant := form == 1
		for _, k := range c.Constants {
			constant = constant || k == i
		}
		narrow, isNarrow := c.Types[i]
		if constant && !isNarrow {
			g.Initializers = append(g.Initializers, TensorOf(name, tensor))
			continue
		}
		given = append(given, tensor)
		t := typeIn(tensor, form)
		if isNarrow {
			t.ElementType = narrow
		}
		g.Inputs = append(g.Inputs, &proto.ValueInfo{Name: name, Type: t})
	}
	for i, want := range orOne(c.Want) {
		name := fmt.Sprintf("y%d", i)
		if want == nil && c.Error == "" {
			name = ""
		}
		if node.Outputs = append(node.Outputs, name); name != "" {
			g.Outputs = append(g.Outputs, &proto.ValueInfo{Name: name})
		}
	}
	g.Nodes = []*proto.Node{node}
	m := &proto.Model{IRVersion: 8, Graph: g, Imports: []proto.Import{{Domain: c.Domain, Version: int64(c.Version)}}}
	return s.Infer(t, m, given...)
}

// orOne returns list, or a list of one element if it is empty.
func orOne(list []any) []any {
	if len(list) == 0 {
		return []any{nil}
	}
	return list
}

// typeIn returns the type of an input in a form.
func typeIn(tensor *ir.Tensor, form int) *proto.Type {
	var lengths []any
	for axis, length := range tensor.Shape() {
		if form == 2 {
			lengths = append(lengths, fmt.Sprintf("n%d", axis))
		} else {
			lengths = append(lengths, length)
		}
	}
	t := TensorType(tensor.ElementType(), lengths...)
	if form == 3 {
		t.Shape = nil
	}
	return t
}

// Convert converts a model.
func (s *Suite) Convert(t *testing.T, m *proto.Model) (*ir.Model, error) {
	p, err := proto.Parse(Encode(m), Limits)
	if err != nil {
		return nil, err
	}
	return convert.Model(t.Context(), p, convert.Options{
		Table: s.table, Rules: infer.Rules(s.registry), Lengths: s.Lengths, Constants: s.Constants, Stateful: s.Stateful, Nodes: 10_000, Depth: 8,
		Tensors: &tensors.Loader{TensorBytes: 1 << 20, Bytes: 1 << 20},
	})
}

// Infer converts, compiles and runs a model with inputs. What is written of the model must compute
// the same.
func (s *Suite) Infer(t *testing.T, m *proto.Model, inputs ...*ir.Tensor) ([]*ir.Tensor, error) {
	model, err := s.Convert(t, m)
	if err != nil {
		return nil, err
	}
	outputs, err := s.runModel(t, model, inputs)
	if err != nil {
		return nil, err
	}
	written, err := conformance.Written(t.Context(), model, s.registry)
	if err != nil {
		return nil, err
	}
	again, err := s.runModel(t, written, inputs)
	if err != nil {
		return nil, fmt.Errorf("what was written: %w", err)
	}
	for i := range outputs {
		if err := conformance.Compare(again[i], outputs[i], 0); err != nil {
			return nil, fmt.Errorf("output %d of what was written: %w", i, err)
		}
	}
	return outputs, nil
}

// runModel compiles and runs a model with inputs.
func (s *Suite) runModel(t *testing.T, model *ir.Model, inputs []*ir.Tensor) ([]*ir.Tensor, error) {
	request, err := s.compile(t, model)
	if err != nil {
		return nil, err
	}
	return step(t, request, inputs)
}

// InferSteps runs a model with inputs several times, as one text that goes on, and returns the last
// outputs.
func (s *Suite) InferSteps(t *testing.T, m *ir.Model, steps ...[]any) (outputs []*ir.Tensor) {
	t.Helper()
	request, err := s.compile(t, m)
	for _, inputs := range steps {
		var tensors []*ir.Tensor
		for _, input := range inputs {
			tensors = append(tensors, tensorOf(t, input))
		}
		if err == nil {
			outputs, err = step(t, request, tensors)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return outputs
}

// compile returns a request for a model.
func (s *Suite) compile(t *testing.T, m *ir.Model) (*plugin.InferRequest, error) {
	compiled, err := plugin.NewCore(s.registry, plugin.Options{}).CompileModel(t.Context(), m, plugin.CompileOptions{InferenceNumThreads: 1})
	if err != nil {
		return nil, err
	}
	t.Cleanup(compiled.Close)
	return compiled.NewInferRequest(), nil
}

// step runs a request, and returns its outputs.
func step(t *testing.T, request *plugin.InferRequest, inputs []*ir.Tensor) ([]*ir.Tensor, error) {
	for i, input := range inputs {
		if err := request.SetInput(i, input); err != nil {
			return nil, err
		}
	}
	if err := request.Infer(t.Context()); err != nil {
		return nil, err
	}
	return request.CopyOutputs(t.Context())
}

// tensorOf returns value as a tensor.
func tensorOf(t *testing.T, value any) *ir.Tensor {
	if tensor, ok := value.(*ir.Tensor); ok {
		return tensor
	}
	tensor, err := ir.TensorFrom(value)
	if err != nil {
		t.Fatal(err)
	}
	return tensor
}
