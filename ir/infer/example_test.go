package infer_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
)

// The rules come from a registry: plugin.NewRegistry(builtin.Ops()...).
func ExamplePropagate() {
	m, rules := exampletest.Reshape()
	shapes, err := infer.Propagate(context.Background(), m, rules, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, layer := range m.Order {
		for _, fact := range shapes.Outputs(layer) {
			fmt.Println(layer.Name, fact.Type, fact.Shape)
		}
	}
	// Output:
	// x f32 [1,3,4]
	// target i64 [2]
	// flat f32 [1,12]
	// y f32 [1,12]
}

// Another shape of an input is tried without changing the model.
func ExamplePropagate_parameters() {
	m, rules := exampletest.Reshape()
	batch := ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(ir.AnyDim, ir.Dim(3), ir.Dim(4))}
	shapes, err := infer.Propagate(context.Background(), m, rules, map[*ir.Layer]ir.Fact{m.Parameters[0]: batch})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(shapes.Outputs(m.Results[0])[0].Shape)
	// Output: [1,?]
}

// Without the weights, the target of the Reshape is not known, and the dims in the file are
// assumed.
func ExamplePropagateWith() {
	_, rules := exampletest.Reshape()
	xml := strings.Replace(irtest.ReshapeXML, "<dim>5</dim>", "<dim>12</dim>", 1)
	m, err := irxml.Read([]byte(xml), nil, irxml.ReadOptions{NoBin: true})
	if err != nil {
		log.Fatal(err)
	}
	shapes, err := infer.PropagateWith(context.Background(), m, rules, infer.Options{AssumeDeclared: true})
	if err != nil {
		log.Fatal(err)
	}
	flat, result := m.Layers[2], m.Results[0]
	fmt.Println(shapes.Outputs(flat)[0].Shape, shapes.Assumed(flat), shapes.Tentative(result))
	// Output: [1,12] true true
}

// Shapes has what is known of each layer.
func ExampleShapes() {
	m, rules := exampletest.Reshape()
	shapes, err := infer.Propagate(context.Background(), m, rules, nil)
	if err != nil {
		log.Fatal(err)
	}
	flat := m.Layers[2]
	for _, fact := range shapes.Inputs(flat) {
		fmt.Println(fact.Type, fact.Shape, fact.Known())
	}
	fmt.Println(shapes.Outputs(flat)[0].Shape)
	fmt.Println(shapes.Complete(), shapes.Unknown(flat), shapes.Assumed(flat), shapes.Tentative(flat), shapes.Contradiction(flat))
	fmt.Println(len(shapes.Errors()), len(shapes.Notes()), shapes.Attributes(flat) != nil, shapes.Body(flat, 0))
	layers := 0
	for _, of := range shapes.AllLayers(m) {
		if of == shapes { // not in a body
			layers++
		}
	}
	fmt.Println(layers)
	// Output:
	// f32 [1,3,4] false
	// i64 [2] true
	// [1,12]
	// true false false false <nil>
	// 0 0 true <nil>
	// 4
}

// Rules for one layer type.
type rules map[string]*infer.Rule

func (r rules) Rule(layer *ir.Layer) (*infer.Rule, error) {
	if rule := r[layer.Type]; rule != nil {
		return rule, nil
	}
	return nil, fmt.Errorf("there is no rule for %s", layer.Type)
}

// A program can infer layers by rules of its own.
func ExampleRules() {
	m, _ := exampletest.Reshape()
	var own infer.Rules = rules{"Parameter": {Type: "Parameter", Infer: func(in *infer.Inference) error {
		in.Outputs[0] = ir.Fact{Type: ir.F32, Shape: ir.ShapeOfRank(3)}
		return nil
	}}}
	shapes, err := infer.Propagate(context.Background(), m, own, nil)
	fmt.Println(shapes.Outputs(m.Parameters[0])[0].Shape)
	fmt.Println(len(shapes.Errors()), err != nil)
	// Output:
	// [?,?,?]
	// 3 true
}

// A rule is run for a layer that is not in a model.
func ExampleRule_Run() {
	m, registry := exampletest.Reshape()
	flat := m.Layers[2]
	rule, err := registry.Rule(flat)
	if err != nil {
		log.Fatal(err)
	}
	attributes, err := rule.Attributes(ir.AttributesOf(flat))
	if err != nil {
		log.Fatal(err)
	}
	target, err := ir.TensorFrom([]int64{2, -1})
	if err != nil {
		log.Fatal(err)
	}
	in := &infer.Inference{
		Layer: flat, Attributes: attributes, Outputs: make([]ir.Fact, 1), Context: infer.ContextOf(context.Background(), flat, registry),
		Inputs: []ir.Fact{{Type: ir.F32, Shape: ir.StaticShape(6, 4)}, {Type: ir.I64, Shape: ir.StaticShape(2), Tensor: target}},
	}
	if err := rule.Run(in); err != nil {
		log.Fatal(err)
	}
	fmt.Println(in.Outputs[0].Shape)
	// Output: [2,12]
}

func ExampleContextOf() {
	m, rules := exampletest.Reshape()
	c := infer.ContextOf(context.Background(), m.Layers[2], rules)
	fmt.Println(c.Body == nil) // a Reshape has none
	// Output: true
}

func ExampleArity() {
	inputs := infer.Arity{Min: 2, Max: -1}
	fmt.Println(inputs, inputs.Check(2), inputs.Check(1))
	// Output: at least 2 <nil> 1 inputs are connected, expected at least 2
}

// A program that builds a model from its innermost body on infers each graph when it is complete.
func ExampleKeepBodies() {
	m, rules := exampletest.Reshape()
	rules = infer.KeepBodies(rules)
	shapes, err := infer.Propagate(context.Background(), m, rules, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(shapes.Outputs(m.Results[0])[0].Shape)
	// Output: [1,12]
}
