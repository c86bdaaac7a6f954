package ir

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bodyModel returns a body of one Parameter and the Sum of it with itself, and the
// Sum.
func bodyModel(shape string) (*Model, *Layer) {
	inner := testParameter("inner", shape)
	sum := testLayer("sum", "Sum", inner, inner)
	body := testModel(inner, sum)
	body.Results = []*Layer{sum}
	return body, sum
}

// addBody makes body the only one of owner.
func addBody(owner *Layer, body *Model) {
	owner.Bodies = []Body{{Model: body}}
	for _, layer := range body.Layers {
		layer.Owner = owner
	}
}

// bodyRules are sumRules with a Loop, which infers its body from each of the facts
// that steps returns, and returns what the last gave.
func bodyRules(steps func(in *Inference) []Fact) testRules {
	rules := maps.Clone(sumRules)
	rules["Loop"] = &Rule{MinInputs: 1, MaxInputs: 1, Infer: func(in *Inference) error {
		for _, fact := range steps(in) {
			facts, err := in.Body(0, []Fact{fact})
			if err != nil {
				return err
			}
			in.Outputs[0] = facts[0]
		}
		return nil
	}}
	return rules
}

func once(in *Inference) []Fact { return in.Inputs }

func twice(in *Inference) []Fact {
	return []Fact{in.Inputs[0], {Type: F32, Shape: ShapeOf(append([]Dimension{AnyDim}, in.Inputs[0].Shape.Dims()...)...)}}
}

func TestPropagateBody(t *testing.T) {
	body, sum := bodyModel("9")
	x := testParameter("x", "1,2")
	loop := testLayer("loop", "Loop", x)
	addBody(loop, body)
	m := testModel(x, loop)

	s, err := Propagate(m, bodyRules(once), nil)
	require.NoError(t, err)
	assert.Equal(t, "[1,2]", s.Outputs(loop)[0].Shape.String())
	assert.Equal(t, "[1,2]", s.Body(loop, 0).Outputs(sum)[0].Shape.String())
	assert.Nil(t, s.Body(loop, 1))
	assert.Nil(t, s.Body(x, 0))

	s, err = Propagate(m, bodyRules(twice), nil)
	require.NoError(t, err)
	assert.Equal(t, "[?,1,2]", s.Body(loop, 0).Outputs(sum)[0].Shape.String(), "the last iteration counts")

	rules := bodyRules(once)
	rules["Loop"].Infer = func(in *Inference) error {
		_, err := in.Body(0, nil)
		return err
	}
	s, err = Propagate(m, rules, nil)
	require.NoError(t, err)
	assert.Equal(t, "[9]", s.Body(loop, 0).Outputs(sum)[0].Shape.String(), "as declared")

	rules["Loop"].Infer = func(in *Inference) error {
		_, err := in.Body(0, make([]Fact, 2))
		return err
	}
	_, err = Propagate(m, rules, nil)
	assert.ErrorContains(t, err, `layer 1 "loop" (Loop, opset1): body 0 has 1 Parameters, 2 values are given`)
}

// TestValidateBody has a stale and a faulty layer in a body that is inferred twice.
func TestValidateBody(t *testing.T) {
	body, sum := bodyModel("9")
	sum.Outputs[0].Declared = StaticShape(7)
	odd := testLayer("odd", "Odd", sum)
	odd.Index, odd.ID, odd.Line, odd.Opset = 2, 2, 3, "opset1"
	odd.Outputs = []Output{{DeclaredType: F16, Declared: StaticShape(4)}}
	body.Layers = append(body.Layers, odd)
	body.Order = body.Layers
	body.Results[0] = odd
	x := testParameter("x", "2")
	loop := testLayer("loop", "Loop", x)
	loop.Outputs = []Output{{DeclaredType: F16, Declared: StaticShape(4)}}
	addBody(loop, body)

	r := Validate(testModel(x, loop), bodyRules(twice), nil)
	var got []string
	for i := range r.Findings {
		got = append(got, r.Findings[i].String())
	}
	assert.Equal(t, []string{
		`2: warning: layer 1 "sum" (Sum, opset1) in body 0 of layer 1 "loop" (Loop, opset1): output 0 is [7] in the file, inferred [?,2] [stale-shape]`,
		`3: error: layer 2 "odd" (Odd, opset1) in body 0 of layer 1 "loop" (Loop, opset1): no rule for Odd [unsupported-layer]`,
	}, got, "what depends on the layer at fault goes by what the file declares")
	require.Len(t, r.Shapes.Errors(), 1)
	assert.Equal(t, odd, r.Shapes.Errors()[0].Layer)

	// An error of an iteration before the last is one of the layer all the same.
	stop := bodyRules(nil)
	stop["Loop"].Infer = func(in *Inference) error {
		if _, err := in.Body(0, in.Inputs); err != nil {
			return err
		}
		return fmt.Errorf("stop")
	}
	outer, _ := bodyModel("2")
	outer.Layers = append(outer.Layers, loop)
	loop.Index, loop.Inputs[0].Source = 2, outer.Layers[1]
	outer.Order, outer.Results = outer.Layers, []*Layer{loop}
	assert.Equal(t, 2, Validate(outer, stop, nil).Errors())
}

// TestPropagateNestedBodies nests bodies that would be inferred twice as often at
// each level.
func TestPropagateNestedBodies(t *testing.T) {
	runs := 0
	count := func(steps func(in *Inference) []Fact) testRules {
		runs = 0
		rules := bodyRules(steps)
		sum := *rules["Sum"]
		infer := sum.Infer
		sum.Infer = func(in *Inference) error { runs++; return infer(in) }
		rules["Sum"] = &sum
		return rules
	}
	const depth = 32
	body, _ := bodyModel("1")
	for range depth {
		x := testParameter("x", "1")
		loop := testLayer("loop", "Loop", x)
		addBody(loop, body)
		body = testModel(x, loop)
		body.Results = []*Layer{loop}
	}
	// The same facts twice are inferred once.
	_, err := Propagate(body, count(func(in *Inference) []Fact { return []Fact{in.Inputs[0], in.Inputs[0]} }), nil)
	require.NoError(t, err)
	assert.Equal(t, 1, runs)

	// Facts that converge cost little.
	_, err = Propagate(body, count(func(in *Inference) []Fact {
		return []Fact{in.Inputs[0], {Type: F32, Shape: ShapeOfRank(1)}}
	}), nil)
	require.NoError(t, err)
	assert.Equal(t, 2, runs)

	// Facts that grow without end are refused in good time.
	grow := func(in *Inference, d Dimension) Fact {
		return Fact{Type: F32, Shape: ShapeOf(append([]Dimension{d}, in.Inputs[0].Shape.Dims()...)...)}
	}
	_, err = Propagate(body, count(func(in *Inference) []Fact {
		return []Fact{grow(in, Dim(1)), grow(in, Dim(2))}
	}), nil)
	require.ErrorContains(t, err, "body 0: inferred 64 times from different shapes, which change without end")
	assert.LessOrEqual(t, runs, maxBodyRuns)
}

func TestLayerStringInBodies(t *testing.T) {
	l := &Layer{ID: 5, Name: "x", Type: "Relu", Opset: "opset1"}
	for i := range 6 {
		l = &Layer{ID: uint64(i), Name: "n", Type: "If", Opset: "opset8", Owner: l, OwnerBody: i % 2}
	}
	assert.Equal(t, `layer 5 "n" (If, opset8) in body 1 of layer 4 "n" (If, opset8) in body 0 of layer 3 "n" (If, opset8)`+
		` in body 1 of layer 2 "n" (If, opset8) in body 0 of layer 1 "n" (If, opset8), which is in a body too`, l.String())
}
