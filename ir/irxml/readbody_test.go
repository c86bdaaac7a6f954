package irxml_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

const (
	bodyLayers = `<layers>
<layer id="0" name="bx" type="Parameter" version="opset1"><data shape="1,2" element_type="f32"/><output><port id="0" precision="FP32"/></output></layer>
<layer id="1" name="br" type="ReLU" version="opset1"><input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>
<layer id="2" name="by" type="Result" version="opset1"><input><port id="0"/></input></layer>
<layer id="5" name="bn" type="Parameter" version="opset1"><data shape="" element_type="i64"/><output><port id="0" precision="I64"/></output></layer>
<layer id="6" name="bc" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
<edge from-layer="5" from-port="0" to-layer="6" to-port="0"/></edges>`
	slicedMap  = `<input external_port_id="0" internal_layer_id="0" axis="1" start="-1" end="0" stride="-1"/><output external_port_id="9" internal_layer_id="2" axis="1"/>`
	bodyHeader = `<net name="n" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,2" element_type="f32"/><output><port id="0" precision="FP32"/></output></layer>
`
	bodyFooter = `
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>`
)

// withBody returns a model with a layer of type t that has one input and the given content.
func withBody(t, content string) []byte {
	return []byte(bodyHeader + fmt.Sprintf(`<layer id="1" name="sub" type=%q version="opset8">%s
<input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>`, t, content) + bodyFooter)
}

func readBody(t *testing.T, layerType, content string) *ir.Layer {
	m, err := irxml.Read(withBody(layerType, content), nil, irxml.ReadOptions{})
	require.NoError(t, err)
	assert.Empty(t, m.Sinks)
	return m.Layers[1]
}

func TestReadTensorIterator(t *testing.T) {
	layer := readBody(t, "TensorIterator", "<port_map>"+slicedMap+"</port_map><body>"+bodyLayers+"</body>")
	require.Len(t, layer.Bodies, 1)
	body := layer.Bodies[0]
	assert.Equal(t, "bx bn br(bx) by(br) bc(bn)", graphText(body.Model))
	bx, by := body.Model.Parameters[0], body.Model.Results[0]
	assert.Equal(t, []ir.BodyPort{{External: 0, Internal: bx, Sliced: true, Axis: 1, Start: -1, End: 0, Stride: -1, PartSize: 1}}, body.Inputs)
	assert.Equal(t, []ir.BodyPort{{External: 0, Internal: by, Sliced: true, Axis: 1, Start: 0, End: -1, Stride: 1, PartSize: 1}}, body.Outputs)
	assert.Empty(t, body.BackEdges)
}

func TestReadLoop(t *testing.T) {
	layer := readBody(t, "Loop", `<port_map>
<input external_port_id="-1" internal_layer_id="5" purpose="current_iteration"/>
<input external_port_id="0" internal_layer_id="0"/>
<output external_port_id="77" internal_layer_id="2" axis="0"/><output external_port_id="5" internal_layer_id="2"/>
<output external_port_id="-1" internal_layer_id="6" purpose="execution_condition"/>
</port_map><back_edges><edge from-layer="2" to-layer="0"/><edge from-layer="6" to-layer="0"/><edge from-layer="99" to-layer="6"/><edge from-layer="2" to-layer="98"/></back_edges>
<body>`+bodyLayers+"</body>")
	body := layer.Bodies[0]
	m := body.Model
	require.Len(t, body.Inputs, 2)
	assert.Equal(t, "current_iteration", body.Inputs[0].Purpose)
	assert.Equal(t, -1, body.Inputs[0].External)
	assert.Same(t, m.Parameters[1], body.Inputs[0].Internal)
	assert.Equal(t, 0, body.Inputs[1].External)
	require.Len(t, body.Outputs, 3)
	assert.Equal(t, "execution_condition", body.Outputs[0].Purpose)
	assert.Equal(t, -1, body.Outputs[0].External)
	assert.False(t, body.Outputs[1].Sliced, "outputs are in the order of external_port_id: 5, 77")
	assert.Equal(t, 0, body.Outputs[1].External)
	assert.True(t, body.Outputs[2].Sliced)
	assert.Equal(t, 1, body.Outputs[2].External)
	assert.Equal(t, []ir.BackEdge{{From: m.Results[0], To: m.Parameters[0]}}, body.BackEdges)
}

func TestReadIf(t *testing.T) {
	port := func(id int) string {
		return fmt.Sprintf(`<input external_port_id="0" internal_layer_id="0"/><output external_port_id="%d" internal_layer_id="2"/>`, id)
	}
	layer := readBody(t, "If", "<else_port_map>"+port(9)+"</else_port_map><then_port_map>"+port(2)+"</then_port_map><else_body>"+
		strings.ReplaceAll(bodyLayers, `"br"`, `"else"`)+"</else_body><then_body>"+bodyLayers+"</then_body>")
	require.Len(t, layer.Bodies, 2)
	assert.Equal(t, "br", layer.Bodies[0].Model.Layers[1].Name, "then comes first")
	assert.Equal(t, "else", layer.Bodies[1].Model.Layers[1].Name)
	assert.Equal(t, 0, layer.Bodies[1].Outputs[0].External)
}

// TestReadBodyRepeatedPorts checks that the first of several entries with the same
// external_port_id counts.
func TestReadBodyRepeatedPorts(t *testing.T) {
	layer := readBody(t, "TensorIterator", `<port_map><input external_port_id="0" internal_layer_id="5"/><input external_port_id="0" internal_layer_id="0"/>
<output external_port_id="4" internal_layer_id="6"/><output external_port_id="4" internal_layer_id="2"/></port_map><body>`+bodyLayers+"</body>")
	body := layer.Bodies[0]
	assert.Equal(t, []ir.BodyPort{{Internal: body.Model.Parameters[1], End: -1, Stride: 1, PartSize: 1}}, body.Inputs)
	assert.Equal(t, []ir.BodyPort{{Internal: body.Model.Results[1], End: -1, Stride: 1, PartSize: 1}}, body.Outputs)
}

func TestReadBodyOfAnotherType(t *testing.T) {
	layer := readBody(t, "Relu", "<body><layers><layer/></layers></body>")
	assert.Empty(t, layer.Bodies, "only some types have bodies, what others hold is ignored")
}

func TestReadBodyRefuses(t *testing.T) {
	const body = "<body>" + bodyLayers + "</body>"
	ports := func(old, new string) string {
		return "<port_map>" + strings.Replace(slicedMap, old, new, 1) + "</port_map>" + body
	}
	for name, c := range map[string]struct{ layerType, content, message string }{
		"no body":                {"TensorIterator", "<port_map/>", "line 3: layer 1 \"sub\" (TensorIterator, opset8): the TensorIterator has no body"},
		"no else":                {"If", "<then_body>" + bodyLayers + "</then_body>", "the If has no else_body"},
		"empty body of a Loop":   {"Loop", "<port_map/><body/>", "the body has neither a Parameter nor a Result"},
		"input out of range":     {"TensorIterator", ports(`external_port_id="0"`, `external_port_id="1"`), "body takes input 1, the layer has 1"},
		"input far out of range": {"TensorIterator", ports(`external_port_id="0"`, `external_port_id="4294967296"`), "external_port_id 4294967296 is no position of an input"},
		"sliced from nowhere":    {"TensorIterator", ports(`external_port_id="0"`, `external_port_id="-1"`), "a sliced body input has axis 1 and external_port_id -1"},
		"negative axis":          {"TensorIterator", ports(`axis="1"`, `axis="-1"`), "a sliced body input has axis -1"},
		"no such layer":          {"TensorIterator", ports(`internal_layer_id="0"`, `internal_layer_id="44"`), "the body has no Parameter of id 44"},
		"no Parameter":           {"TensorIterator", ports(`internal_layer_id="0"`, `internal_layer_id="1"`), "the body has no Parameter of id 1"},
		"no Result":              {"TensorIterator", ports(`internal_layer_id="2"`, `internal_layer_id="1"`), "the body has no Result of id 1"},
		"no external id":         {"TensorIterator", ports(`external_port_id="0" `, ``), "<input> has no attribute external_port_id"},
		"no internal id":         {"TensorIterator", ports(`internal_layer_id="0" `, ``), "<input> has no attribute internal_layer_id"},
		"stride word":            {"TensorIterator", ports(`stride="-1"`, `stride="x"`), `attribute stride of <input>: "x" is not a 64-bit whole number`},
		"stride 0":               {"TensorIterator", ports(`stride="-1"`, `stride="0"`), "<input> has stride 0 and part_size 1"},
		"part_size 0":            {"TensorIterator", ports(`stride="-1"`, `part_size="0"`), "<input> has stride 1 and part_size 0"},
		"back edge from nowhere": {"Loop", `<port_map><input external_port_id="0" internal_layer_id="0"/></port_map><back_edges><edge from-layer="1" to-layer="0"/></back_edges>` + body, "the body has no Result of id 1"},
		"back edge attribute":    {"Loop", `<port_map/><back_edges><edge from-layer="1"/></back_edges>` + body, "<edge> has no attribute to-layer"},
		"error in the body":      {"TensorIterator", "<port_map/><body>" + strings.Replace(bodyLayers, `from-layer="5"`, `from-layer="55"`, 1) + "</body>", "layer 6 \"bc\" (Result, opset1) in body 0 of layer 1 \"sub\" (TensorIterator, opset8): an edge comes from layer 55"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := irxml.Read(withBody(c.layerType, c.content), nil, irxml.ReadOptions{})
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.message)
		})
	}
}

// nestedBodies returns a model with nested bodies.
func nestedBodies(depth int) []byte {
	open := `<layers><layer id="1" name="i" type="TensorIterator" version="opset1"><body>`
	return []byte(`<net version="11">` + strings.Repeat(open, depth) + strings.Repeat(`</body></layer></layers>`, depth) + `</net>`)
}

func TestReadBodyDepth(t *testing.T) {
	_, err := irxml.Read(nestedBodies(32), nil, irxml.ReadOptions{})
	require.NoError(t, err)
	_, err = irxml.Read(nestedBodies(33), nil, irxml.ReadOptions{})
	assert.ErrorContains(t, err, "bodies nest deeper than 32 levels")
	_, err = irxml.Read(nestedBodies(100_000), nil, irxml.ReadOptions{})
	assert.ErrorContains(t, err, "bodies nest deeper than 32 levels")
	_, err = irxml.Read(nestedBodies(100), nil, irxml.ReadOptions{Limits: irxml.Limits{Bodies: 1000}})
	assert.ErrorContains(t, err, "elements nest deeper than 256 levels")
}

func TestReadVariables(t *testing.T) {
	content := func(id string) string {
		return `<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1" element_type="f32"/><output><port id="0" precision="FP32"/></output></layer>
<layer id="1" name="write" type="Assign" version="opset6"><data variable_id="v"/><input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>
<layer id="3" name="read" type="ReadValue" version="opset6"><data variable_id="` + id + `"/><input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="3" from-port="1" to-layer="2" to-port="0"/></edges>`
	}
	m, err := irxml.Read([]byte(`<net version="11">`+content("v")+`</net>`), nil, irxml.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "x read(x) write(x) y(read)", graphText(m), "the Assign comes after the ReadValue, without an edge")
	require.Len(t, m.Sinks, 1)
	assert.Equal(t, "write", m.Sinks[0].Name)

	_, err = irxml.Read([]byte(`<net version="11">`+content("w")+`</net>`), nil, irxml.ReadOptions{})
	assert.ErrorContains(t, err, `layer 1 "write" (Assign, opset6): no ReadValue has the variable_id "v"`)

	m, err = irxml.Read(withBody("TensorIterator", "<body>"+content("v")+"</body>"), nil, irxml.ReadOptions{})
	require.NoError(t, err)
	require.Len(t, m.Sinks, 1, "a layer with an Assign in its body")
	assert.Equal(t, "sub", m.Sinks[0].Name)
}
