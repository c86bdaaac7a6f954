package attacks

import (
	"fmt"
	"strings"
)

// quadratic have many layers, ports, names or numbers, of which one could be searched for each
// other.
var quadratic = []attack{
	{name: "Concat of one tensor", model: func(m *model) {
		m.result(m.op("Concat", "opset1", `axis="0"`, repeat(m.parameter("f32", "1"), 20_000)...))
	}, runs: read},
	{name: "many Concats of one tensor", model: func(m *model) {
		x := m.parameter("f32", "1")
		for range 100 {
			x = m.op("Concat", "opset1", `axis="0"`, repeat(x, 200)...)
			x = m.op("ReduceSum", "opset1", `keep_dims="true"`, x, m.ints(0))
		}
		m.result(x)
	}, runs: read},
	{name: "nested Concats that double", model: func(m *model) {
		x := m.parameter("f32", "?")
		for range 62 {
			x = m.op("Concat", "opset1", `axis="0"`, x, x)
		}
		m.result(x)
	}, runs: read},
	{name: "Split of many", model: func(m *model) {
		const n = 10_000
		s := m.layer("Split", "opset1", fmt.Sprintf(`num_splits="%d"`, n), "FP32", n, m.parameter("f32", fmt.Sprint(n)), m.int(0))
		var all []port
		for i := range n {
			all = append(all, port{s.layer, s.port + i})
		}
		m.result(m.op("Concat", "opset1", `axis="0"`, all...))
	}, runs: read},
	{name: "Split of many with layers between", model: func(m *model) {
		const n = 5000
		s := m.layer("Split", "opset1", fmt.Sprintf(`num_splits="%d"`, n), "FP32", n, m.parameter("f32", fmt.Sprint(n)), m.int(0))
		var all []port
		for i := range n {
			all = append(all, m.op("Relu", "opset1", "", port{s.layer, s.port + i}))
		}
		m.result(m.op("Concat", "opset1", `axis="0"`, all...))
	}, runs: read},
	{name: "many Results", model: func(m *model) {
		x := m.parameter("f32", "1")
		for range 10_000 {
			m.result(x)
		}
	}, runs: read},
	{name: "many Parameters", model: func(m *model) {
		var all []port
		for range 5000 {
			all = append(all, m.parameter("f32", "1"))
		}
		m.result(m.op("Concat", "opset1", `axis="0"`, all...))
	}, runs: append(read, run{args: "run @"}, run{args: "profile @ --runs 1"})},
	{name: "many dynamic Parameters", model: func(m *model) {
		for range 5000 {
			m.result(m.op("Relu", "opset1", "", m.parameter("f32", "?")))
		}
	}, runs: append(read, run{job: job{Until: "infer", Lengths: []int{1, 2, 3}}})},
	{name: "a long chain", model: func(m *model) {
		x := m.parameter("f32", "4,4")
		for i := range 8000 {
			x = m.op([]string{"Relu", "Exp", "Tanh", "Abs"}[i%4], "opset1", "", x)
		}
		m.result(x)
	}, runs: append(read, run{args: "run @"})},
	{name: "a chain of Transposes and Reshapes", model: func(m *model) {
		x, order, shape := m.parameter("f32", "4,5"), m.ints(1, 0), m.ints(4, 5)
		for range 3000 {
			x = m.op("Transpose", "opset1", "", x, order)
			x = m.op("Reshape", "opset1", `special_zero="false"`, x, shape)
		}
		m.result(x)
	}, runs: read},
	{name: "a chain of affine layers", model: func(m *model) {
		x, two := m.parameter("f32", "4,5"), m.float(2)
		for range 5000 {
			x = m.op("Multiply", "opset1", "", m.op("Add", "opset1", "", x, two), two)
		}
		m.result(x)
	}, runs: read},
	{name: "a tensor with many readers", model: func(m *model) {
		x := m.op("Relu", "opset1", "", m.parameter("f32", "4,5"))
		sum := x
		for range 5000 {
			sum = m.op("Add", "opset1", "", sum, m.op("Exp", "opset1", "", x))
		}
		m.result(sum)
	}, runs: read},
	{name: "many tensors that live to the end", model: func(m *model) {
		var all []port
		for i := range 5000 {
			all = append(all, m.op("Relu", "opset1", "", m.parameter("f32", fmt.Sprint(i%97+1))))
		}
		x := m.parameter("f32", "1")
		for i := range all {
			x = m.op("Add", "opset1", "", x, m.op("ReduceSum", "opset1", `keep_dims="true"`, all[len(all)-1-i], m.ints(0)))
		}
		m.result(x)
	}, runs: read},
	{name: "layers whose shapes depend on data", model: func(m *model) {
		x := m.parameter("f32", "4")
		for range 2000 {
			y := m.layer("NonZero", "opset3", `output_type="i64"`, "I64", 1, x)
			x = m.op("Reshape", "opset1", `special_zero="false"`, m.op("Convert", "opset1", `destination_type="f32"`, y), m.ints(-1))
		}
		m.result(x)
	}, runs: append(read, run{args: "run @"})},
	{name: "equal names", model: func(m *model) {
		x := m.parameter("f32", "1")
		for range 10_000 {
			x = m.named("a", "Relu", "opset1", "", "FP32", 1, "", x)
		}
		m.result(x)
	}, runs: append(reports, run{args: "info @"}, run{args: "profile @ --runs 1"})},
	{name: "equal tensor names", model: func(m *model) {
		x := m.parameter("f32", "1")
		for range 5000 {
			id := m.count
			m.named("a", "Relu", "opset1", "", "", 0, `<output><port id="1" precision="FP32" names="t,u,v"/></output>`, x)
			x = port{id, 1}
			m.result(x)
		}
	}, runs: append(reports, run{args: "info @"}, run{args: "run @"})},
	{name: "many names of a tensor", model: func(m *model) {
		id := m.count
		m.named("a", "Parameter", "opset1", `shape="1" element_type="f32"`, "", 0, `<output><port id="0" precision="FP32" names="`+names(100_000)+`"/></output>`)
		m.result(port{id, 0})
	}, runs: append(reports, run{args: "info @"}, run{args: "run @"}, run{job: job{Until: "compile"}})},
	{name: "many names × many Results", model: func(m *model) {
		id := m.count
		m.named("a", "Parameter", "opset1", `shape="1" element_type="f32"`, "", 0, `<output><port id="0" precision="FP32" names="`+names(60_000)+`"/></output>`)
		for i := range 4000 {
			m.result(port{id, 0})
			m.named(fmt.Sprintf(`r" output_names="t%d`, i), "Result", "opset1", "", "", 0, "", port{id, 0})
		}
	}, runs: append(reports, run{args: "info @"}, run{args: "run @"}, run{args: "run @ --in other=x.npy"}, run{job: job{Until: "compile"}})},
	{name: "many variables", model: func(m *model) {
		x := m.parameter("f32", "1")
		for i := range 3000 {
			id := fmt.Sprintf(`variable_id="v%d" variable_shape="1" variable_type="f32"`, i)
			x = m.op("ReadValue", "opset6", id, x)
			m.op("Assign", "opset6", id, x)
		}
		m.result(x)
	}, runs: append(read, run{args: "run @"})},
	{name: "one variable, many readers and Assigns", model: func(m *model) {
		x := m.parameter("f32", "1")
		const id = `variable_id="v" variable_shape="1" variable_type="f32"`
		for range 3000 {
			x = m.op("ReadValue", "opset6", id, x)
			m.op("Assign", "opset6", id, x)
		}
		m.result(x)
	}, runs: append(read, run{args: "run @"})},
	{name: "Assigns × a deep graph", model: func(m *model) {
		x := m.parameter("f32", "1")
		for i := range 4000 {
			x = m.op("ReadValue", "opset3", fmt.Sprintf(`variable_id="v%d"`, i), x)
		}
		for i := range 4000 {
			m.op("Assign", "opset3", fmt.Sprintf(`variable_id="v%d"`, i), x)
		}
		m.result(x)
	}, runs: read},
	{name: "If in If", model: func(m *model) {
		x := m.parameter("f32", "?")
		m.result(m.nestedIf(31, x))
	}, runs: append(read, run{args: "run @ --shape l0=[1]"})},
	{name: "If with branches of many layers", model: func(m *model) {
		x := m.parameter("f32", "1")
		for range 200 {
			x = m.ifOf(x, func(b *model, x port) port {
				for range 20 {
					x = b.op("Relu", "opset1", "", x)
				}
				return x
			})
		}
		m.result(x)
	}, runs: append(read, run{args: "run @"})},
	{name: "Loop in Loop", model: func(m *model) {
		var nest func(depth int) func(b *model) (port, port)
		nest = func(depth int) func(b *model) (port, port) {
			return func(b *model) (port, port) {
				x := b.parameter("f32", "?")
				if depth == 0 {
					return x, b.op("Relu", "opset1", "", x)
				}
				return x, b.loopOf(x, 1, nest(depth-1))
			}
		}
		m.loop(1, nest(28))
	}, runs: append(read, run{args: "run @"})},
	{name: "attributes of many numbers", model: func(m *model) {
		x := m.parameter("f32", "1,1,4,4")
		long := list("1", 400_000)
		m.result(m.op("Convolution", "opset1", `strides="`+long+`" pads_begin="0,0" pads_end="0,0" dilations="1,1"`, x, m.grow(m.float(1), 1, 1, 1, 1)))
		m.result(m.op("MaxPool", "opset1", `kernel="`+long+`" strides="1,1" pads_begin="0,0" pads_end="0,0"`, x))
		m.result(m.op("Interpolate", "opset4", `mode="nearest" shape_calculation_mode="scales" pads_begin="`+long+`" pads_end="0"`, x, m.ints(4), m.floats(1), m.ints(3)))
		s := m.ints(4, 4)
		m.result(m.op("PriorBox", "opset1", `min_size="`+long+`" max_size="`+long+`" aspect_ratio="`+long+`" offset="0.5"`, s, s))
	}, runs: append(reports, run{job: job{Until: "compile"}})},
	{name: "PriorBox of many sizes on a grid", model: func(m *model) {
		s := m.ints(4000, 4000)
		m.result(m.op("PriorBox", "opset1", `min_size="`+list("1", 100_000)+`" aspect_ratio="`+list("2", 100_000)+`" offset="0.5"`, s, s))
	}, runs: read},
	{name: "Proposal of many anchors", model: func(m *model) {
		x, y := m.parameter("f32", "1,24,100,100"), m.parameter("f32", "1,48,100,100")
		m.result(m.op("Proposal", "opset4", `base_size="16" pre_nms_topn="2147483647" post_nms_topn="2147483647" nms_thresh="1" feat_stride="1" min_size="1" ratio="`+
			list("1", 100_000)+`" scale="`+list("1", 100_000)+`"`, x, y, m.floats(100, 100, 1)))
	}, runs: read},
	{name: "an Einsum of many inputs", model: func(m *model) {
		m.result(m.op("Einsum", "opset7", `equation="`+list("a", 5000)+`->a"`, repeat(m.parameter("f32", "2"), 5000)...))
	}, runs: read},
	{name: "an Einsum of a long term", model: func(m *model) {
		m.result(m.op("Einsum", "opset7", `equation="`+strings.Repeat("abcdefghij", 50_000)+`->a"`, m.parameter("f32", "2,2")))
	}, runs: read},
	{name: "VariadicSplit of many lengths", model: func(m *model) {
		const n = 5000
		s := m.layer("VariadicSplit", "opset1", "", "FP32", n, m.parameter("f32", fmt.Sprint(n)), m.int(0), m.ints(ones(n)...))
		m.result(s)
	}, runs: read},
	{name: "StridedSlices that grow", model: func(m *model) {
		x := m.parameter("f32", "2,2")
		for range 200 {
			x = m.op("StridedSlice", "opset1", `begin_mask="1" end_mask="1" new_axis_mask="1" shrink_axis_mask="" ellipsis_mask=""`, x, m.ints(0), m.ints(0))
		}
		m.result(x)
	}, runs: read},
	{name: "Gathers that grow", model: func(m *model) {
		x, i := m.parameter("f32", "2,2"), m.parameter("i64", "2,2,2,2")
		for range 200 {
			x = m.op("Gather", "opset8", "", x, i, m.int(0))
		}
		m.result(x)
	}, runs: read},
	{name: "Tiles to 2^62", model: func(m *model) {
		x := m.parameter("f32", "1")
		for range 1000 {
			x = m.op("Tile", "opset1", "", x, m.ints(1<<20))
		}
		m.result(x)
	}, runs: read},
	{name: "a deep rt_info", model: func(m *model) {
		m.named("a", "Parameter", "opset1", `shape="1" element_type="f32"`, "FP32", 1,
			"<rt_info>"+strings.Repeat("<a>", 200)+strings.Repeat("</a>", 200)+strings.Repeat(`<attribute name="a" version="0" value="b"/>`, 20_000)+"</rt_info>")
		m.result(port{0, 0})
	}, runs: reports},
	{name: "a very deep rt_info", model: func(m *model) {
		m.named("a", "Parameter", "opset1", `shape="1" element_type="f32"`, "FP32", 1,
			"<rt_info>"+strings.Repeat("<a>", 100_000)+strings.Repeat("</a>", 100_000)+"</rt_info>")
		m.result(port{0, 0})
	}, runs: reports},
	{name: "many preprocessing steps", model: func(m *model) {
		m.named("a", "Parameter", "opset1", `shape="1,3,4,4" element_type="f32"`, "FP32", 1,
			"<pre-process>"+strings.Repeat(`<channel id="0"><mean value="1"/></channel>`, 20_000)+"</pre-process>")
		m.result(port{0, 0})
	}, runs: reports},
}

// names returns n different names, separated by commas.
func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "t%d,", i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// ifOf adds an If whose branches both are body.
func (m *model) ifOf(x port, body func(b *model, x port) port) port {
	then := &model{bin: m.bin, zeros: m.zeros}
	parameter := then.parameter("f32", "?")
	then.result(body(then, parameter))
	condition := then.bin
	m.bin, m.zeros = condition, then.zeros
	var more strings.Builder
	for _, branch := range []string{"then", "else"} {
		fmt.Fprintf(&more, `<%[1]s_port_map><input external_port_id="1" internal_layer_id="0"/><output external_port_id="2" internal_layer_id="%[2]d"/></%[1]s_port_map>`, branch, then.count-1)
		fmt.Fprintf(&more, `<%[1]s_body>%[2]s</%[1]s_body>`, branch, then.graph())
	}
	return m.named(fmt.Sprintf("if%d", m.count), "If", "opset8", "", "FP32", 1, more.String(), m.parameter("boolean", "1"), x)
}

// nestedIf adds an If in an If to a depth. Only the first branch of each has the next, so that the
// file is not exponential.
func (m *model) nestedIf(depth int, x port) port {
	then := &model{bin: m.bin, zeros: m.zeros}
	parameter, condition := then.parameter("f32", "?"), then.parameter("boolean", "1")
	value := parameter
	if depth > 1 {
		value = then.nestedIfOn(depth-1, condition, parameter)
	}
	then.result(then.op("Relu", "opset1", "", value))
	m.bin, m.zeros = then.bin, then.zeros
	return m.addIf(then, m.parameter("boolean", "1"), x)
}

// nestedIfOn is nestedIf in a body.
func (m *model) nestedIfOn(depth int, condition, x port) port {
	then := &model{bin: m.bin, zeros: m.zeros}
	parameter, inner := then.parameter("f32", "?"), then.parameter("boolean", "1")
	value := parameter
	if depth > 1 {
		value = then.nestedIfOn(depth-1, inner, parameter)
	}
	then.result(then.op("Relu", "opset1", "", value))
	m.bin, m.zeros = then.bin, then.zeros
	return m.addIf(then, condition, x)
}

// addIf adds an If with the branches then and an Exp. Branches have the Parameters x and condition.
func (m *model) addIf(then *model, condition, x port) port {
	other := &model{}
	parameter := other.parameter("f32", "?")
	other.parameter("boolean", "1")
	other.result(other.op("Exp", "opset1", "", parameter))
	var more strings.Builder
	for branch, body := range map[string]*model{"then": then, "else": other} {
		fmt.Fprintf(&more, `<%[1]s_port_map><input external_port_id="1" internal_layer_id="0"/><input external_port_id="0" internal_layer_id="1"/>`+
			`<output external_port_id="2" internal_layer_id="%[2]d"/></%[1]s_port_map>`, branch, body.count-1)
		fmt.Fprintf(&more, `<%[1]s_body>%[2]s</%[1]s_body>`, branch, body.graph())
	}
	return m.named(fmt.Sprintf("if%d", m.count), "If", "opset8", "", "FP32", 1, more.String(), condition, x)
}

// explained have layers whose dims depend on much.
var explained = []attack{
	{name: "explain a ladder", model: func(m *model) {
		x := m.parameter("f32", "2,3")
		shape := m.layer("ShapeOf", "opset3", `output_type="i64"`, "I64", 1, x)
		for range 60 {
			shape = m.layer("Add", "opset1", "", "I64", 1, shape, shape)
			shape = m.layer("Divide", "opset1", "", "I64", 1, shape, m.ints(2, 2))
		}
		m.named("end", "Broadcast", "opset3", `mode="numpy"`, "FP32", 1, "", x, shape)
		m.result(port{m.count - 1, 2})
	}, runs: explainEnd},
	{name: "explain many inputs", model: func(m *model) {
		var all []port
		for range 2000 {
			all = append(all, m.parameter("f32", "2,3"))
		}
		m.named("end", "Concat", "opset1", `axis="0"`, "FP32", 1, "", all...)
		m.result(port{m.count - 1, len(all)})
	}, runs: explainEnd},
	{name: "explain a long chain", model: func(m *model) {
		x := m.parameter("f32", list("2", 60))
		for range 3000 {
			x = m.op("Relu", "opset1", "", x)
		}
		m.named("end", "Relu", "opset1", "", "FP32", 1, "", x)
		m.result(port{m.count - 1, 1})
	}, runs: explainEnd},
	{name: "explain many outputs", model: func(m *model) {
		const n = 3000
		m.named("end", "Split", "opset1", fmt.Sprintf(`num_splits="%d"`, n), "FP32", n, "", m.parameter("f32", fmt.Sprint(n)), m.int(0))
		m.result(port{m.count - 1, 2})
	}, runs: explainEnd},
	{name: "explain many layers of one name", model: func(m *model) {
		x := m.parameter("f32", list("?", 60))
		for range 3000 {
			m.named("end", "Relu", "opset1", "", "FP32", 1, "", x)
			m.result(port{m.count - 1, 1})
		}
	}, runs: explainEnd},
	{name: "explain a long name", model: func(m *model) {
		x := m.named(strings.Repeat("A", 200_000), "Parameter", "opset1", `shape="`+list("2", 60)+`" element_type="f32"`, "FP32", 1, "")
		for range 100 {
			x = m.op("Add", "opset1", "", x, x)
		}
		m.named("end", "Relu", "opset1", "", "FP32", 1, "", x)
		m.result(port{m.count - 1, 1})
	}, runs: explainEnd},
	{name: "explain Adds of two inputs", model: func(m *model) {
		x, y := m.parameter("f32", list("?", 20)), m.parameter("f32", list("?", 20))
		for range 400 {
			x, y = m.op("Add", "opset1", "", x, y), m.op("Multiply", "opset1", "", y, x)
		}
		m.named("end", "Add", "opset1", "", "FP32", 1, "", x, y)
		m.result(port{m.count - 1, 2})
	}, runs: explainEnd},
	{name: "explain a Loop", model: func(m *model) {
		last := m.parameter("f32", "1")
		for range 50 {
			last = m.loopOf(last, 1<<30, func(b *model) (port, port) {
				x := b.parameter("f32", "?")
				return x, b.op("Concat", "opset1", `axis="0"`, x, x)
			})
		}
		m.named("end", "Relu", "opset1", "", "FP32", 1, "", last)
		m.result(port{m.count - 1, 1})
	}, runs: explainEnd},
}

var explainEnd = []run{{args: "validate @ --explain end"}, {args: "validate @ --explain end --json"}}

// printed have control characters elsewhere, and long texts that are printed often.
var printed = []attack{
	{name: "control characters in an opset", model: func(m *model) { escapes(m, "n", "Relu", "opset1"+escape) }, runs: printing},
	{name: "control characters in attributes and variables", model: func(m *model) {
		x := m.parameter("f32", "2")
		m.result(m.op("Softmax", "opset8", `axis="1`+escape+`" a="`+escape+`"`, x))
		m.result(m.op("ReadValue", "opset3", `variable_id="`+escape+`"`, x))
		m.result(m.op("Convert", "opset1", `destination_type="`+escape+`"`, x))
	}, runs: printing},
	{name: "control characters in a shape", model: func(m *model) { m.result(m.parameter("f32", "2"+escape)) }, runs: printing},
	{name: "control characters in an enum", model: func(m *model) {
		m.result(m.op("Pad", "opset1", `pad_mode="`+escape+`"`, m.parameter("f32", "2"), m.ints(0), m.ints(0)))
	}, runs: printing},
	{name: "control characters in an element type", model: func(m *model) {
		m.result(m.layer("Parameter", "opset1", `shape="2" element_type="`+escape+`"`, "FP32", 1))
	}, runs: printing},
	{name: "control characters in a precision", model: func(m *model) {
		m.result(m.layer("Relu", "opset1", "", escape, 1, m.parameter("f32", "2")))
	}, runs: printing},
	{name: "control characters in a body", model: func(m *model) {
		m.loop(1, func(b *model) (port, port) {
			x := b.parameter("f32", "1")
			return x, b.named(escape, "Foo"+escape, escape, "", "FP32", 1, "", x)
		})
	}, runs: printing},
	{name: "control characters in an id", model: func(m *model) {
		fmt.Fprintf(&m.layers, `<layer id="%s" name="a" type="Relu" version="opset1"/>`, escape)
	}, runs: printing},
	{name: "control characters in elements", model: func(m *model) {
		fmt.Fprintf(&m.layers, "<layer id=\"0\" name=\"a\" type=\"Relu\" version=\"opset1\"><\x9b\u202e/></layer><\u009b\u202ea b\u009b='1'>")
	}, runs: printing},
	{name: "control characters in an equation and a comparison", model: func(m *model) {
		x := m.parameter("f32", "2")
		m.result(m.op("Einsum", "opset7", `equation="`+escape+`"`, x, x))
		m.result(m.op("RNNCell", "opset3", `hidden_size="1" activations="`+escape+`"`, x, x, x, x, x))
	}, runs: printing},
	{name: "a long type × many layers", model: func(m *model) {
		kind := strings.Repeat("A", 200)
		for range 3000 {
			m.result(m.op(kind, "opset1", "", m.parameter("f32", "1")))
		}
	}, runs: append(reports, run{job: job{Until: "compile"}})},
	{name: "a long name × many inputs", model: func(m *model) {
		x := m.named(strings.Repeat("A", 300_000), "Parameter", "opset1", `shape="1" element_type="f32"`, "FP32", 1, "")
		for range 3000 {
			m.result(m.op("MatMul", "opset1", "", x, m.op("Foo", "opset1", "", x)))
		}
	}, runs: append(reports, run{args: "info @"}, run{args: "run @"}, run{args: "profile @ --runs 1"})},
	{name: "a long name × many findings in a body", model: func(m *model) {
		inner := &model{}
		x := inner.parameter("f32", "8000")
		inner.stale("s", 3000, x, inner.int(0))
		m.bin = inner.bin
		p := m.parameter("f32", "8000")
		more := fmt.Sprintf(`<port_map><input external_port_id="0" internal_layer_id="0"/><output external_port_id="1" internal_layer_id="%d"/></port_map><body>%s</body>`,
			inner.count-1, inner.graph())
		m.result(m.named(strings.Repeat("A", 300_000), "TensorIterator", "opset1", "", "FP32", 1, more, p))
	}, runs: reports},
	{name: "a long attribute in an error × layers", model: func(m *model) {
		x := m.parameter("f32", "2")
		for range 3 {
			m.result(m.op("Pad", "opset1", `pad_mode="`+strings.Repeat("A", 500_000)+`"`, x, m.ints(0), m.ints(0)))
		}
	}, runs: reports},
	{name: "findings of long shapes", model: func(m *model) {
		x := m.parameter("f32", list("123456789", 60))
		for range 2000 {
			id := m.count
			m.named("a", "Relu", "opset1", "", "", 0, `<output><port id="1" precision="FP32"><dim>1</dim></port></output>`, x)
			x = port{id, 1}
		}
		m.result(x)
	}, runs: reports},
	{name: "a long tensor name", model: func(m *model) {
		id := m.count
		m.named("a", "Parameter", "opset1", `shape="1" element_type="f32"`, "", 0, `<output><port id="0" precision="FP32" names="`+strings.Repeat("A", 1_000_000)+`"/></output>`)
		for range 100 {
			m.result(port{id, 0})
		}
	}, runs: append(reports, run{args: "info @"}, run{args: "info @ --json"}, run{args: "run @"}, run{args: "run @ --json"})},
}

// allocated have inputs and outputs that the command could allocate.
var allocated = []attack{
	{name: "many large Parameters", model: func(m *model) {
		for range 64 {
			shapeOf(m, "f32", "1000000000")
		}
	}, runs: fill},
	{name: "a large Parameter of f64", model: func(m *model) { shapeOf(m, "f64", "4611686018427387904") }, runs: fill},
	{name: "a large Parameter of strings", model: func(m *model) { shapeOf(m, "string", "10000000000") }, runs: fill},
	{name: "a Parameter whose elements overflow", model: func(m *model) { shapeOf(m, "f32", "4294967296,4294967296,4") }, runs: fill},
	{name: "an empty Parameter of large lengths", model: func(m *model) { shapeOf(m, "f32", "0,9223372036854775807,4") }, runs: fill},
	{name: "a Parameter of --shape", model: func(m *model) { shapeOf(m, "f32", "?") }, runs: []run{
		{args: "run @ --shape l0=[1000000000000]"}, {args: "benchmark @ --shape l0=[9223372036854775807] --seconds 0"}, {args: "validate @ --shape l0=[9223372036854775807]"}}},
	{name: "an output of 60 GB", model: func(m *model) { m.result(m.grow(m.parameter("f32", "1"), 15_000_000_000)) }, runs: fill},
}
