package irtest

// ReshapeXML is a model of a Reshape to a constant target with batch 1. The file wrongly
// declares that the last length is 5.
const ReshapeXML = `<net name="n" version="11">
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

// ReshapeBin is the .bin of ReshapeXML: the target, [1,-1].
var ReshapeBin = []byte("\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff")
