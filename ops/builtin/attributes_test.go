package builtin

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/plugin"
)

// TestRequiredAttributes validates layers without attributes that the specification requires. As in
// OpenVINO, the layers can be inferred. The report has a note for each missing attribute.
func TestRequiredAttributes(t *testing.T) {
	registry, err := plugin.NewRegistry(all()...)
	require.NoError(t, err)
	for _, c := range []struct {
		layerType, opset, data string
		inputs                 int
		missing                []string
	}{
		{"Concat", "opset1", ``, 1, []string{"axis"}},
		{"AvgPool", "opset1", `kernel="1" strides="1"`, 1, []string{"pads_begin", "pads_end", "exclude-pad"}},
		{"AvgPool", "opset14", `kernel="1" strides="1" auto_pad="valid" exclude-pad="true"`, 1, nil},
		{"MaxPool", "opset8", `kernel="1" strides="1" pads_begin="0"`, 1, []string{"pads_end"}},
		{"Convolution", "opset1", ``, 2, []string{"dilations", "strides", "pads_begin", "pads_end"}},
		{"Convolution", "opset1", `dilations="1" strides="1" auto_pad="same_upper"`, 2, nil},
		{"GatherElements", "opset6", ``, 2, []string{"axis"}},
		{"DepthToSpace", "opset1", `block_size="1"`, 1, []string{"mode"}},
		{"SpaceToDepth", "opset1", `block_size="1" mode="depth_first"`, 1, nil},
		{"Clamp", "opset1", ``, 1, []string{"min", "max"}},
		{"Einsum", "opset7", `equation="abc,abc"`, 2, nil},
		{"FakeQuantize", "opset1", ``, 5, []string{"levels"}},
		{"MVN", "opset1", ``, 1, []string{"across_channels", "eps", "normalize_variance"}},
		{"MVN", "opset5", `reduction_axes="1" eps="1" normalize_variance="true"`, 1, nil},
		{"SoftMax", "opset8", ``, 1, nil},
	} {
		parameters, edges, ports := "", "", ""
		for i := range c.inputs {
			parameters += fmt.Sprintf(`<layer id="%d" name="p%d" type="Parameter" version="opset1"><data element_type="i32" shape="1,1,1"/><output><port id="0" precision="I32"><dim>1</dim><dim>1</dim><dim>1</dim></port></output></layer>`, i, i)
			edges += fmt.Sprintf(`<edge from-layer="%d" from-port="0" to-layer="8" to-port="%d"/>`, i, i)
			ports += fmt.Sprintf(`<port id="%d" precision="I32"><dim>1</dim><dim>1</dim><dim>1</dim></port>`, i)
		}
		xml := `<net name="m" version="11"><layers>` + parameters +
			`<layer id="8" name="l" type="` + c.layerType + `" version="` + c.opset + `"><data ` + c.data + `/><input>` + ports + `</input><output><port id="7" precision="I32"><dim>1</dim><dim>1</dim><dim>1</dim></port></output></layer>` +
			`<layer id="9" name="y" type="Result" version="opset1"><input><port id="0" precision="I32"><dim>1</dim><dim>1</dim><dim>1</dim></port></input></layer></layers><edges>` + edges +
			`<edge from-layer="8" from-port="7" to-layer="9" to-port="0"/></edges></net>`
		if c.layerType == "AvgPool" {
			xml = strings.NewReplacer("i32", "f32", "I32", "FP32").Replace(xml)
		}
		m, err := irxml.Read([]byte(xml), nil, irxml.ReadOptions{})
		require.NoError(t, err)
		report := irtest.Validate(t, m, registry)
		require.Zero(t, report.Errors(), "%+v: %v", c, report.Findings)
		var missing []string
		for i := range report.Findings {
			if found := regexp.MustCompile(`attribute (\S+): missing`).FindStringSubmatch(report.Findings[i].String()); found != nil {
				missing = append(missing, found[1])
			}
		}
		assert.ElementsMatch(t, c.missing, missing, "%s %s", c.layerType, c.data)
	}
}

// TestAttributes_invalid gives each number or list of numbers of each layer type a text that is
// none.
func TestAttributes_invalid(t *testing.T) {
	tested := 0
	for _, op := range all() {
		for _, info := range ir.DescribeAttributes(op.Attributes) {
			switch info.Kind {
			case "int", "float", "ints", "floats":
			default:
				continue
			}
			tested++
			layer := &ir.Layer{Type: op.Type, Data: []ir.Attribute{{Name: info.Name, Value: "x"}}}
			_, err := op.Attributes(ir.AttributesOf(layer))
			// perhaps of one that is missing
			assert.ErrorContains(t, err, "attribute ", "%v: %s", &op, info.Name)
		}
	}
	assert.Greater(t, tested, 100)
}
