package ir_test

import (
	"fmt"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// reshapeXML is a model of a Reshape to a target that pins the batch. Its file says
// that the last length is 5.
const reshapeXML = `<net name="n" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1">
<data shape="1,3,4" element_type="f32"/>
<output><port id="0" precision="FP32" names="image"><dim>1</dim><dim>3</dim><dim>4</dim></port></output>
</layer>
<layer id="1" name="target" type="Const" version="opset1">
<data element_type="i64" shape="2" offset="0" size="16"/>
<output><port id="0" precision="I64"><dim>2</dim></port></output>
</layer>
<layer id="2" name="flat" type="Reshape" version="opset1">
<data special_zero="true"/>
<input><port id="0"><dim>1</dim><dim>3</dim><dim>4</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="FP32"><dim>1</dim><dim>5</dim></port></output>
</layer>
<layer id="3" name="y" type="Result" version="opset1">
<input><port id="0"><dim>1</dim><dim>12</dim></port></input>
</layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges>
</net>
`

// reshapeBin holds the target, [1,-1].
var reshapeBin = []byte("\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff")

func openReshape() (*ir.Model, ir.Rules) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		panic(err)
	}
	m, err := ir.Read([]byte(reshapeXML), reshapeBin, ir.ReadOptions{})
	if err != nil {
		panic(err)
	}
	return m, registry
}

// What the file says and what is true.
func ExampleValidate() {
	m, rules := openReshape()
	report := ir.Validate(m, rules, nil)
	for _, f := range report.Findings {
		fmt.Println(f.Line, f.Severity, f.Rule, f.Layer.Name, f.Port, f.Declared, f.Inferred)
	}
	// Output: 11 warning stale-shape flat 0 [1,5] [1,12]
}

// The shapes of all layers with another shape of an input.
func ExampleModel_Reshape() {
	m, rules := openReshape()
	m, err := m.Reshape(rules, map[string]ir.PartialShape{
		"image": ir.ShapeOf(ir.Dim(1), ir.DimRange(1, 8), ir.Dim(4)),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	shapes, err := ir.Propagate(m, rules, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, layer := range m.Order {
		for _, fact := range shapes.Outputs(layer) {
			fmt.Println(layer.Name, fact.Type, fact.Shape)
		}
	}
	// Output:
	// x f32 [1,1..8,4]
	// target i64 [2]
	// flat f32 [1,4..32]
	// y f32 [1,4..32]
}

// Why the batch of the Reshape is 1, whatever comes in.
func ExampleExplain() {
	m, rules := openReshape()
	shapes, err := ir.Propagate(m, rules, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	explanation, err := ir.Explain(m, rules, shapes, m.Results[0], 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(explanation)
	// Output:
	// layer 3 "y" (Result, opset1): output 0: f32[1,12]
	//   dim 0 = 1
	//     dim 0 = 1 of layer 2 "flat" (Reshape, opset1)
	//       value 0 = 1 of Constant "target" at bin offset 0, 16 bytes, which holds i64[2] = [1,-1]
	//   dim 1 = 12
	//     dim 1 = 12 of layer 2 "flat" (Reshape, opset1)
	//       dim 0 = 1 of input "x"
	//       dim 1 = 3 of input "x"
	//       dim 2 = 4 of input "x"
	//       value 0 = 1 of Constant "target" at bin offset 0, 16 bytes, which holds i64[2] = [1,-1]
	//       value 1 = -1 of Constant "target" at bin offset 0, 16 bytes, which holds i64[2] = [1,-1]
}

// The file put right, all else untouched.
func ExampleReport_FixPorts() {
	m, rules := openReshape()
	report := ir.Validate(m, rules, nil)
	fixed, ports, err := report.FixPorts(m, []byte(reshapeXML))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ports, string(fixed) == strings.ReplaceAll(reshapeXML, "<dim>5</dim>", "<dim>12</dim>"))
	// Output: 1 true
}
