package batchnorm

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestShapes(t *testing.T) {
	var cases []layertest.ShapeCase
	for _, c := range []layertest.ShapeCase{ // of version 5
		{Inputs: []string{"f32[2,3,4]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"}, Want: "f32[2,3,4]"},
		{Inputs: []string{"f32[?,?,?]", "f32[3]", "f32[?]", "f32[...]", "f32[1..4]"}, Want: "f32[?,3,?]"},
		{Inputs: []string{"f16[?,2..5]", "f16[1..3]", "f16[?]", "f16[?]", "f16[?]"}, Want: "f16[?,2..3]"},
		{Inputs: []string{"f32[...]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"}, Want: "f32[...]"},
		{Inputs: []string{"dynamic[2,3]", "bf16[3]", "dynamic[3]", "bf16[3]", "bf16[3]"}, Want: "bf16[2,3]"},
		{Inputs: []string{"f32[0,3]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"}, Want: "f32[0,3]"},
		{Inputs: []string{"f32[2,3]", "f32[4]", "f32[4]", "f32[4]", "f32[4]"}, Error: "data has shape [2,3], whose axis 1 is not the length of the vectors, [4]"},
		{Inputs: []string{"f32[3]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"}, Error: "data has shape [3], which has no axis of channels"},
		{Inputs: []string{"f32[2,3]", "f32[3]", "f32[3]", "f32[4]", "f32[3]"}, Error: "input 3 has shape [4], not that of a vector like the others, [3]"},
		{Inputs: []string{"f32[2,3]", "f32[3]", "f32[3]", "f32[3]", "f16[3]"}, Error: "input 4 is f16, another is f32"},
		{Inputs: []string{"i32[2,3]", "i32[3]", "i32[3]", "i32[3]", "i32[3]"}, Error: "the inputs are i32, not of a floating-point type"},
	} {
		five, one := c, c
		five.Version, one.Version = 5, 1
		one.Inputs = []string{c.Inputs[1], c.Inputs[2], c.Inputs[0], c.Inputs[3], c.Inputs[4]}
		cases = append(cases, five, one)
	}
	layertest.Shapes(t, Ops, append(cases,
		layertest.ShapeCase{Version: 5, Inputs: []string{"f32[2,3]", "f32[3,1]", "f32[3]", "f32[3]", "f32[3]"}, Error: "input 1 has shape [3,1], not that of a vector like the others, [?]"},
	))
}

func TestAttributes(t *testing.T) {
	for value, want := range map[string]string{
		"-1":  "attribute epsilon: -1 is negative or no number",
		"nan": "attribute epsilon: NaN is negative or no number",
	} {
		_, err := Ops[1].Attributes(ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{{Name: "epsilon", Value: value}}}))
		assert.EqualError(t, err, want)
	}
}
