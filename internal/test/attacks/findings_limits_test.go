package attacks

import (
	"fmt"
	"math"
	"strings"

	"github.com/vinoir/vinoir/plugin"
)

// limitFindings are findings about limits of memory, deadlines and faults of a model that were
// called faults of ours. Their files are in a folder of the corpus beside that of the others.
var limitFindings = []attack{
	{name: "01 cuts of an iteration", files: []string{"../attacks2/01_iteration_memory/cuts.xml"},
		model: func(m *model) { m.iterate("TensorIterator", 60, 4_000_000) }, runs: inferSmall},
	{name: "01 states of an iteration", files: []string{"../attacks2/01_iteration_memory/states.xml"},
		model: func(m *model) { m.iterate("Loop", 60, 4_000_000) }, runs: inferSmall},

	{name: "02 copies of outputs", files: []string{"../attacks2/02_output_copies/copies.xml"}, model: func(m *model) {
		x := m.grow(m.parameter("f32", "1"), 4_000_000)
		for range 100 {
			m.result(x)
		}
	}, runs: []run{{seconds: 3, bytes: 320 << 20, job: job{Until: "outputs", Limits: small}}}},

	{name: "03 an iteration that never runs", files: []string{"../attacks2/03_zero_trips/loop.xml"},
		model: func(m *model) {
			m.loop(0, func(b *model) (parameter, result port) {
				parameter = b.parameter("f32", "?")
				return parameter, b.op("Relu", "opset1", "", parameter)
			})
		}, runs: []run{{args: "run @ --fill zeros"}}},

	{name: "04 Inverse of small matrices", files: []string{"../attacks2/04_late_inverse/inverse.xml"}, model: func(m *model) {
		m.result(m.op("Inverse", "opset14", `adjoint="false"`, m.grow(m.parameter("f32", "1,1,1"), 100_000_000, 1, 1)))
	}, runs: interrupt},
	{name: "04 Reduce of integers", model: func(m *model) {
		x := m.layer("Broadcast", "opset3", `mode="numpy"`, "I32", 1, m.parameter("i32", "1"), m.ints(100_000_000, 2))
		m.result(m.layer("ReduceProd", "opset1", `keep_dims="false"`, "I32", 1, x, m.ints(1)))
	}, runs: interrupt},
	{name: "04 ROIPooling of one channel", model: func(m *model) {
		x := m.parameter("f32", "1")
		m.result(m.op("ROIPooling", "opset2", `pooled_h="1" pooled_w="1" spatial_scale="1" method="max"`,
			m.grow(x, 2, 1, 4, 4), m.grow(x, 50_000_000, 5)))
	}, runs: interrupt},

	{name: "05 names of an input", files: []string{"../attacks2/05_names_of_inputs/names.xml"}, model: func(m *model) {
		var names []string
		for i := range 60_000 {
			names = append(names, fmt.Sprintf("n%06d", i))
		}
		x := m.named("x", "Parameter", "opset1", `shape="1" element_type="f32"`, "", 0,
			`<output><port id="0" precision="FP32" names="`+strings.Join(names, ",")+`"/></output>`)
		m.result(x)
	}, runs: []run{{args: "run @ --in-dir ."}, {args: "run @ --expect ."}}},

	{name: "06 a fault that only folding finds", files: []string{"../attacks2/06_bug_in_pass/fold_axes.xml"}, model: func(m *model) {
		axes := m.layer("Range", "opset4", `output_type="i64"`, "I64", 1, m.int(-32768), m.int(32767), m.int(1))
		m.result(m.op("ReduceMax", "opset1", `keep_dims="true"`, m.parameter("f32", "2,3,4"), axes))
	}, runs: []run{{args: "validate @"}, {args: "run @"}}},
	{name: "06 a target that only folding finds", model: func(m *model) {
		target := m.layer("Range", "opset4", `output_type="i64"`, "I64", 1, m.int(2), m.int(600), m.int(1))
		m.result(m.op("Broadcast", "opset3", `mode="numpy"`, m.parameter("f32", "7"), target))
	}, runs: []run{{args: "validate @"}, {args: "run @"}}},
	{name: "06 a norm without an end", model: func(m *model) { m.norms(math.Inf(1)) }, runs: []run{{args: "run @"}}},
	{name: "06 a norm of no number", model: func(m *model) { m.norms(math.NaN()) }, runs: []run{{args: "run @"}}},
	{name: "06 a norm of a negative number", model: func(m *model) { m.norms(-1) }, runs: []run{{args: "run @"}}},

	{name: "07 bodies of Ifs", files: []string{"../attacks2/07_bodies_of_ifs/ifs.xml"}, model: func(m *model) {
		x, condition := m.parameter("f32", "1"), m.parameter("boolean", "1")
		for range 30 {
			then := &model{bin: m.bin, zeros: m.zeros}
			parameter := then.parameter("f32", "?")
			then.parameter("boolean", "1")
			large := then.op("Sin", "opset1", "", then.grow(parameter, 4_000_000))
			then.result(then.op("ReduceSum", "opset1", `keep_dims="true"`, large, then.ints(0)))
			m.bin, m.zeros = then.bin, then.zeros
			m.result(m.addIf(then, condition, x))
		}
	}, runs: []run{{seconds: 3, args: "run @ --max-model-memory 100M"},
		{seconds: 3, job: job{Until: "infer", Limits: plugin.Options{MaxModelBytes: 100 << 20}}}}},
}

// small are limits that the attacks on memory exceed many times.
var small = plugin.Options{MaxTotalBytes: 200 << 20}

var inferSmall = []run{{seconds: 3, bytes: 320 << 20, job: job{Until: "infer", Limits: small}}}

// iterate adds a TensorIterator that cuts a tensor of n elements several times, or a Loop of as
// many states that begin with it and stay as they are.
func (m *model) iterate(kind string, times int, n int64) {
	var inputs []port
	cut, opset := ` axis="0" start="0" end="-1" stride="1" part_size="1"`, "opset1"
	if kind == "Loop" {
		inputs = []port{m.int(3), m.constant("boolean", "", m.append([]byte{1}), 1)}
		cut, opset = "", "opset5"
	}
	first, x := len(inputs), m.grow(m.parameter("f32", "1"), 1, n)
	b := &model{bin: m.bin, zeros: m.zeros}
	ports, edges := "", ""
	for i := range times {
		parameter := b.parameter("f32", fmt.Sprint("1,", n))
		inputs = append(inputs, x)
		ports += fmt.Sprintf(`<input external_port_id="%d" internal_layer_id="%d"%s/>`, first+i, parameter.layer, cut)
		if kind == "Loop" || i == 0 {
			b.result(parameter)
		}
		if kind == "Loop" {
			edges += fmt.Sprintf(`<edge from-layer="%d" to-layer="%d"/>`, b.count-1, parameter.layer)
		}
	}
	result := b.count - 1
	if kind != "Loop" {
		result = 1 // after the first Parameter
	}
	ports += fmt.Sprintf(`<output external_port_id="%d" internal_layer_id="%d"/>`, first+times, result)
	if kind == "Loop" {
		b.result(b.constant("boolean", "", b.append([]byte{1}), 1))
		ports += fmt.Sprintf(`<output external_port_id="-1" internal_layer_id="%d" purpose="execution_condition"/>`, b.count-1)
	}
	m.bin, m.zeros = b.bin, b.zeros
	more := "<port_map>" + ports + "</port_map><back_edges>" + edges + "</back_edges><body>" + b.graph() + "</body>"
	m.result(m.named("iteration", kind, opset, "", "FP32", 1, more, inputs...))
}

// norms adds a NormalizeL2 and an MVN in several layers, with a number instead of the small one
// that avoids a division by 0.
func (m *model) norms(epsilon float64) {
	x := m.parameter("f32", "2,4")
	two, axes, eps := m.float(2), m.ints(1), m.float(float32(epsilon))
	sum := m.op("ReduceSum", "opset1", `keep_dims="true"`, m.op("Power", "opset1", "", x, two), axes)
	m.result(m.op("Divide", "opset1", "", x, m.op("Sqrt", "opset1", "", m.op("Add", "opset1", "", sum, eps))))
	d := m.op("Subtract", "opset1", "", x, m.op("ReduceMean", "opset1", `keep_dims="true"`, x, axes))
	variance := m.op("ReduceMean", "opset1", `keep_dims="true"`, m.op("Power", "opset1", "", d, two), axes)
	m.result(m.op("Divide", "opset1", "", d, m.op("Sqrt", "opset1", "", m.op("Add", "opset1", "", variance, eps))))
	m.result(m.op("Divide", "opset1", "", d, m.op("Add", "opset1", "", m.op("Sqrt", "opset1", "", variance), eps)))
}
