package validate_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
)

// reshaped multiplies a Reshape of x by weights. The dims of the Reshape depend on a Constant.
const reshaped = `<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,3,8" element_type="f32"/><output><port id="0" precision="FP32"><dim>1</dim><dim>3</dim><dim>8</dim></port></output></layer>
<layer id="1" name="target" type="Const" version="opset1"><data element_type="i64" shape="2" offset="0" size="16"/><output><port id="0" precision="I64"><dim>2</dim></port></output></layer>
<layer id="2" name="flat" type="Reshape" version="opset1"><data special_zero="false"/><input><port id="0"><dim>1</dim><dim>3</dim><dim>8</dim></port><port id="1"><dim>2</dim></port></input><output><port id="2" precision="FP32"><dim>1</dim><dim>24</dim></port></output></layer>
<layer id="3" name="weights" type="Const" version="opset1"><data element_type="f32" shape="24,5" offset="16" size="480"/><output><port id="0" precision="FP32"><dim>24</dim><dim>5</dim></port></output></layer>
<layer id="4" name="y" type="MatMul" version="opset1"><data transpose_a="false" transpose_b="false"/><input><port id="0"><dim>1</dim><dim>24</dim></port><port id="1"><dim>24</dim><dim>5</dim></port></input><output><port id="2" precision="FP32"><dim>1</dim><dim>5</dim></port></output></layer>
<layer id="5" name="result" type="Result" version="opset1"><input><port id="0"><dim>1</dim><dim>5</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/><edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="4" to-port="0"/><edge from-layer="3" from-port="0" to-layer="4" to-port="1"/>
<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>
</edges></net>`

func TestModelWith_assumeDeclared(t *testing.T) {
	const flat, product = `<port id="2" precision="FP32"><dim>1</dim><dim>24</dim></port>`, `<port id="2" precision="FP32"><dim>1</dim><dim>5</dim></port>`
	for name, c := range map[string]struct {
		from, to string
		want     []string // of each finding: layer, rule and start of the message
		output   string   // the inferred shape of y
	}{
		"right":    {"", "", nil, "[1,5]"},
		"vague":    {flat, strings.Replace(flat, "24", "-1", 1), nil, "[1,5]"},
		"no dims":  {flat, `<port id="2" precision="FP32"/>`, []string{"flat stale-shape output 0 is [] in the file, inferred [?,?]"}, "[1,5]"},
		"elements": {flat, strings.Replace(flat, "24", "25", 1), []string{"flat contradiction output 0 is [1,25] in the file, which has 25 elements; input 0 is [1,3,8], which has 24"}, "[1,5]"},
		"behind":   {product, strings.Replace(product, "5", "6", 1), []string{"y contradiction output 0 is [1,6] in the file, [1,5] follows from dims in the file before it"}, "[1,5]"},
		"weights": {`shape="24,5" offset="16" size="480"/><output><port id="0" precision="FP32"><dim>24`,
			`shape="23,5" offset="16" size="460"/><output><port id="0" precision="FP32"><dim>23`,
			[]string{"y contradiction ", "y stale-input-shape input 1 is [24,5] in the file, inferred [23,5]"}, "[1,5]"},
		"before": {`<port id="0" precision="FP32"><dim>1</dim><dim>3</dim><dim>8</dim></port></output></layer>`, `<port id="0" precision="FP32"><dim>1</dim><dim>3</dim><dim>9</dim></port></output></layer>`,
			[]string{"x stale-shape output 0 is [1,3,9] in the file, inferred [1,3,8]"}, "[1,5]"},
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, c.from == "" || strings.Count(reshaped, c.from) == 1)
			text := strings.Replace(reshaped, c.from, c.to, 1)
			m, err := irxml.ReadFrom(strings.NewReader(text), nil, irxml.ReadOptions{NoBin: true})
			require.NoError(t, err)
			report, err := validate.ModelWith(t.Context(), m, optest.Registry(t, builtin.Ops()), validate.Options{AssumeDeclared: true})
			require.NoError(t, err)
			require.Len(t, report.Findings, len(c.want), "%v", report.Findings)
			for i, f := range report.Findings {
				assert.Contains(t, f.Layer.Name+" "+f.Rule+" "+f.Message, c.want[i])
				assert.Equal(t, validate.SeverityWarning, f.Severity)
			}
			y := m.Results[0].Inputs[0].Source
			assert.Equal(t, c.output, report.Shapes.Outputs(y)[0].Shape.String())
			for i := range report.Findings {
				assert.Equal(t, report.Findings[i].Rule != validate.RuleContradiction, report.Findings[i].Fixable())
			}
		})
	}
}

// TestModelWith_wrongDims changes a dim of one output in the file of each model at a time, where
// the dim depends on the .bin and where not.
func TestModelWith_wrongDims(t *testing.T) {
	root := optest.Corpus(t)
	paths, err := filepath.Glob(filepath.Join(root, "zoo", "*", "model.xml"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	registry := optest.Registry(t, builtin.Ops())
	for _, path := range paths {
		m, err := irxml.ReadFile(path, irxml.ReadOptions{NoBin: true})
		require.NoError(t, err)
		for i := 0; i < len(m.Order); i += 41 {
			layer := m.Order[i]
			if len(layer.Outputs) == 0 {
				continue
			}
			out := &layer.Outputs[0]
			right := out.Declared
			axis := slices.IndexFunc(right.Dims(), ir.Dimension.IsStatic)
			if axis < 0 {
				continue
			}
			out.Declared = right.With(axis, ir.Dim(12345))
			report, err := validate.ModelWith(t.Context(), m, registry, validate.Options{AssumeDeclared: true})
			require.NoError(t, err)
			assert.Positive(t, report.Count(validate.SeverityWarning), "%s: %v", path, layer)
			assert.Zero(t, report.Errors(), "%s: %v", path, layer)
			out.Declared = right
		}
	}
}
