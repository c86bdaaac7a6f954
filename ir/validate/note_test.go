package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
)

// notedXML is a clean model: an input, a Const, their sum.
const notedXML = `<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data element_type="f32" shape="2"/><output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="c" type="Const" version="opset1"><data element_type="f32" shape="2" offset="0" size="8"/><output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="sum" type="Sum" version="opset1"><data mode="fast" keep="true"/><input><port id="0" precision="FP32"><dim>2</dim></port><port id="1" precision="FP32"><dim>2</dim></port></input><output><port id="2" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="3" name="y" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges></net>`

// notedRules are the rules of notedXML: Sum requires the attribute mode and has the attribute
// keep.
type notedRules struct{}

func (notedRules) Rule(layer *ir.Layer) (*infer.Rule, error) {
	like := func(in *infer.Inference) error {
		in.Outputs[0] = ir.Fact{Type: ir.F32, Shape: ir.StaticShape(2)}
		return nil
	}
	rule := &infer.Rule{Infer: like, Inputs: infer.Arity{Max: -1}}
	if strings.EqualFold(layer.Type, "Sum") {
		rule.Type = "Sum"
		rule.Attributes = func(a *ir.Attributes) (any, error) {
			a.Expect("mode")
			a.Enum("mode", "fast", "fast", "exact")
			a.Bool("keep", false)
			return nil, a.Err()
		}
	}
	return rule, nil
}

// TestUnusedBin has a .bin that is longer than the constants.
func TestUnusedBin(t *testing.T) {
	for _, c := range []struct {
		bytes int
		want  []string
	}{
		{8, nil}, {8 + 4096, nil},
		{8 + 4097, []string{"the constants end at byte 8, the .bin has 4105: it may belong to another model"}},
	} {
		xml := strings.Replace(notedXML, `mode="fast" keep="true"`, `mode="fast"`, 1)
		m, err := irxml.Read([]byte(xml), make([]byte, c.bytes), irxml.ReadOptions{})
		require.NoError(t, err)
		report, err := validate.Model(t.Context(), m, notedRules{}, nil)
		require.NoError(t, err)
		var got []string
		for _, f := range report.Findings {
			assert.Equal(t, validate.RuleUnusedBin, f.Rule, f.Message)
			assert.Equal(t, validate.SeverityWarning, f.Severity)
			got = append(got, f.Message)
		}
		assert.Equal(t, c.want, got)
	}
}

// TestNotesAreBounded has more unused layers and unknown attributes than the limit of notes.
func TestNotesAreBounded(t *testing.T) {
	unused := strings.Repeat(`<edge from-layer="0" from-port="0" to-layer="9" to-port="0"/>`, 5000)
	m, err := irxml.Read([]byte(strings.Replace(notedXML, "</edges>", unused+"</edges>", 1)), make([]byte, 16), irxml.ReadOptions{})
	require.NoError(t, err)
	require.Len(t, m.Notes, 1001)
	assert.Equal(t, ir.Note{Text: "there are more notes, which are not reported"}, m.Notes[1000])

	sum := *m.Layers[2]
	sum.Data = append(sum.Data, ir.Attribute{Name: "axis"})
	many := &ir.Model{}
	for i := range 5000 {
		layer := sum
		layer.Index, layer.Inputs = i, nil
		many.Layers = append(many.Layers, &layer)
	}
	many.Order = many.Layers
	assert.Len(t, irtest.Validate(t, many, notedRules{}).Findings, 1001)
}

func TestValidate_tolerated(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"clean":              {"", "", ""},
		"letter case":        {`"fast"`, `"Fast"`, `4: warning: layer 2 "sum" (Sum, opset1): attribute mode: "Fast" is not in lower case [tolerated]`},
		"no truth value":     {`"true"`, `"maybe"`, `4: warning: layer 2 "sum" (Sum, opset1): attribute keep: "maybe" is neither true nor false: false is taken [tolerated]`},
		"missing attribute":  {`mode="fast"`, ``, `4: warning: layer 2 "sum" (Sum, opset1): attribute mode: missing [tolerated]`},
		"optional attribute": {`keep="true"`, ``, ``},
		"other attribute":    {`keep=`, `keep="1" axis=`, `4: warning: layer 2 "sum" (Sum, opset1): attribute axis: Sum has none of that name [tolerated]`},
		"type":               {`type="Sum"`, `type="sum"`, `4: warning: layer 2 "sum" (sum, opset1): the layer type Sum is written sum [tolerated]`},
		"long constant":      {`size="8"`, `size="12"`, `3: warning: layer 1 "c" (Constant, opset1): f32[2] needs 8 bytes, the Constant has 12 [tolerated]`},
		"empty constant":     {`shape="2" offset="0" size="8"`, `shape="0" offset="0" size="1"`, ``},
		"edge to nowhere":    {`</edges>`, `<edge from-layer="0" from-port="0" to-layer="9" to-port="0"/></edges>`, `10: warning: an edge leads to a layer that does not exist [tolerated]`},
		"no Result":          {`type="Result"`, `type="Other"`, `0: warning: the model has no Result [tolerated]`},
		"unused layer":       {`</layers>`, `<layer id="4" name="z" type="Sum" version="opset1"/></layers>`, `6: warning: layer 4 "z" (Sum, opset1): no output of the model depends on the layer [tolerated]`},
		"text behind":        {`</net>`, "</net>\nmore", `10: warning: text outside of the root element [tolerated]`},
	} {
		t.Run(name, func(t *testing.T) {
			xml := strings.Replace(notedXML, c.old, c.new, 1)
			m, err := irxml.Read([]byte(xml), make([]byte, 16), irxml.ReadOptions{})
			require.NoError(t, err)
			report := irtest.Validate(t, m, notedRules{})
			assert.Zero(t, report.Errors())
			var got []string
			for i := range report.Findings {
				got = append(got, report.Findings[i].String())
			}
			if c.want == "" {
				assert.Empty(t, got)
				return
			}
			assert.Contains(t, got, c.want)
		})
	}
}
