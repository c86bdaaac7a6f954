package validate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/reshape"
	"github.com/vinoir/vinoir/ir/validate"
)

func TestValidate(t *testing.T) {
	x := irtest.Parameter("x", "2,3")
	x.Outputs = []ir.Output{{DeclaredType: ir.F32, Declared: ir.StaticShape(2, 3)}}
	sum := irtest.Layer("sum", "Sum", x, x)
	sum.Inputs[1].Declared = ir.StaticShape(2)
	sum.Outputs = []ir.Output{{DeclaredType: ir.F16, Declared: ir.ShapeOf(ir.Dim(2), ir.Dim(4))}}
	odd := irtest.Layer("odd", "Odd", sum)
	m := irtest.Model(x, sum, odd)

	r := irtest.Validate(t, m, irtest.SumRules())
	var got []string
	for i := range r.Findings {
		got = append(got, r.Findings[i].String())
	}
	assert.Equal(t, []string{
		`2: warning: layer 1 "sum" (Sum, opset1): input 1 is [2] in the file, inferred [2,3] [stale-input-shape]`,
		`2: warning: layer 1 "sum" (Sum, opset1): output 0 is [2,4] in the file, inferred [2,3] [stale-shape]`,
		`2: warning: layer 1 "sum" (Sum, opset1): output 0 is f16 in the file, inferred f32 [stale-type]`,
		`3: error: layer 2 "odd" (Odd, opset1): no rule for Odd [unsupported-layer]`,
	}, got)
	assert.Equal(t, 1, r.Errors())

	m, err := reshape.Inputs(t.Context(), m, irtest.SumRules(), map[string]ir.PartialShape{"x": ir.StaticShape(5)})
	require.NoError(t, err)
	r = irtest.Validate(t, m, irtest.SumRules())
	require.Len(t, r.Findings, 2, "the dims in the file are not compared with a reshaped model")
	assert.Equal(t, validate.RuleType, r.Findings[0].Rule)
	assert.Equal(t, validate.RuleUnsupported, r.Findings[1].Rule)
}

func TestValidateIntervals(t *testing.T) {
	for _, c := range []struct {
		shape    string
		declared ir.PartialShape
		findings int
	}{
		{"2,?", ir.ShapeOf(ir.Dim(2), ir.AnyDim), 0},
		{"2,1..3", ir.ShapeOf(ir.Dim(2), ir.AnyDim), 0},
		{"2,3", ir.ShapeOf(ir.AnyDim, ir.Dim(3)), 1}, // the file is less precise than inference
		{"2,1..3", ir.StaticShape(2, 4), 1},
		{"2,1..3", ir.StaticShape(2, 3), 1}, // the file is more precise than inference
		{"...", ir.StaticShape(2, 3), 0},
	} {
		x := irtest.Parameter("x", c.shape)
		x.Outputs = []ir.Output{{DeclaredType: ir.F32, Declared: c.declared}}
		m := irtest.Model(x)
		findings := irtest.Validate(t, m, irtest.SumRules()).Findings
		assert.Len(t, findings, c.findings, "%s as %v", c.shape, c.declared)
		for _, f := range findings {
			vague := c.declared.At(0).IsDynamic()
			assert.Equal(t, vague, f.Severity == validate.SeverityNote, "%s as %v", c.shape, c.declared)
			assert.Equal(t, vague, f.Rule == validate.RuleVagueShape, "%s as %v", c.shape, c.declared)
		}
	}
}

// TestValidateBody has a stale and a faulty layer in a body that is inferred twice.
func TestValidateBody(t *testing.T) {
	body, sum := irtest.Body("9")
	sum.Outputs[0].Declared = ir.StaticShape(7)
	odd := irtest.Layer("odd", "Odd", sum)
	odd.Index, odd.ID, odd.Line, odd.Opset = 2, 2, 3, "opset1"
	odd.Outputs = []ir.Output{{DeclaredType: ir.F16, Declared: ir.StaticShape(4)}}
	body.Layers = append(body.Layers, odd)
	body.Order = body.Layers
	body.Results[0] = odd
	x := irtest.Parameter("x", "2")
	loop := irtest.Layer("loop", "Loop", x)
	loop.Outputs = []ir.Output{{DeclaredType: ir.F16, Declared: ir.StaticShape(4)}}
	irtest.AddBody(loop, body)

	r := irtest.Validate(t, irtest.Model(x, loop), irtest.BodyRules(irtest.Twice))
	var got []string
	for i := range r.Findings {
		got = append(got, r.Findings[i].String())
	}
	assert.Equal(t, []string{
		`2: warning: layer 1 "sum" (Sum, opset1) in body 0 of layer 1 "loop" (Loop, opset1): output 0 is [7] in the file, inferred [?,2] [stale-shape]`,
		`3: error: layer 2 "odd" (Odd, opset1) in body 0 of layer 1 "loop" (Loop, opset1): no rule for Odd [unsupported-layer]`,
	}, got, "layers that depend on the faulty layer use the declared outputs")
	require.Len(t, r.Shapes.Errors(), 1)
	assert.Equal(t, odd, r.Shapes.Errors()[0].Layer)

	// An error in an earlier iteration than the last one is also reported.
	stop := irtest.BodyRules(nil)
	stop["Loop"].Infer = func(in *infer.Inference) error {
		if _, err := in.Body(0, in.Inputs); err != nil {
			return err
		}
		return fmt.Errorf("stop")
	}
	outer, _ := irtest.Body("2")
	outer.Layers = append(outer.Layers, loop)
	loop.Index, loop.Inputs[0].Source = 2, outer.Layers[1]
	outer.Order, outer.Results = outer.Layers, []*ir.Layer{loop}
	assert.Equal(t, 2, irtest.Validate(t, outer, stop).Errors())
}
