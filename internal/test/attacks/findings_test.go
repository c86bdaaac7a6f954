package attacks

import (
	"fmt"
	"strings"
	"time"

	"github.com/vinoir/vinoir/plugin"
)

// findings are the attacks that worked once, in the order of the corpus. Sizes are those of its
// files, or large enough that the attack worked.
var findings = []attack{
	{name: "01 rank × layers", files: []string{"01_rank_bomb/rank_add_1m.xml"}, model: func(m *model) {
		x := m.parameter("f32", list("1", 500_000))
		last := x
		for range 2000 {
			last = m.op("Add", "opset1", "", last, x)
		}
		m.result(last)
	}, runs: []run{{args: "validate @ --no-bin"}, {args: "info @ --no-bin"}, {job: job{Until: "compile"}}}},

	{name: "02 tables of Interpolate", files: []string{"02_interpolate_table/itp_compile_24.xml", "02_interpolate_table/itp_compile_27.xml"},
		model: func(m *model) { enlarge(m, 1<<27) }, runs: compile},

	{name: "03 a table for each shape", files: []string{"03_interpolate_plans/itp_cubic.xml", "03_interpolate_plans/itp_nearest.xml"},
		model: func(m *model) { m.result(m.interpolate("cubic", "", m.parameter("f32", "1,1,1,?"))) },
		runs: []run{{seconds: 16, job: job{Until: "infer", Lengths: lengths(16, 1_000_000, 10, 1),
			Limits: plugin.Options{MaxPlanBytes: 1 << 20, MaxTotalBytes: 1 << 30}}}}},

	{name: "04 packed weights of one range", files: []string{"04_packed_weights/pack_shift.xml"}, zeros: 4203968, model: func(m *model) {
		x := m.parameter("f32", "4,1024")
		shared(m, 150, 4<<20, func(offset int) port {
			weights := m.constant("f32", "1024,1024", offset, 4<<20)
			return m.op("MatMul", "opset1", fmt.Sprintf(`transpose_b="%t"`, offset%128 == 0), x, weights)
		})
	}, runs: compileSmall},

	{name: "05 Convolution ignores the context", files: []string{"05_kernel_ignores_ctx/conv_run.xml"}, model: func(m *model) {
		x := m.parameter("f32", "1")
		m.result(m.op("Convolution", "opset1", convolution2, m.grow(x, 1, 1, 2048, 2048), m.grow(x, 1, 1, 512, 512)))
	}, runs: interrupt},
	{name: "05 MatMul ignores the context", files: []string{"05_kernel_ignores_ctx/mm_run.xml"}, model: func(m *model) {
		x := m.parameter("f32", "1")
		m.result(m.op("MatMul", "opset1", "", m.grow(x, 8192, 8192), m.grow(x, 8192, 8192)))
	}, runs: interrupt},
	{name: "05 folding of Convolution ignores the context", files: []string{"05_kernel_ignores_ctx/conv_fold.xml"}, model: func(m *model) {
		x := m.floats(1)
		y := m.op("Convolution", "opset1", convolution2, m.grow(x, 1, 1, 2048, 2048), m.grow(x, 1, 1, 512, 512))
		m.result(m.op("Add", "opset1", "", m.parameter("f32", "1"), y))
	}, runs: interrupt},
	{name: "05 folding of MatMul ignores the context", files: []string{"05_kernel_ignores_ctx/mm_fold.xml"}, model: func(m *model) {
		x := m.floats(1)
		y := m.op("MatMul", "opset1", `transpose_b="true"`, m.grow(x, 8192, 8192), m.grow(x, 8191, 8192))
		y = m.op("ReduceSum", "opset1", `keep_dims="true"`, y, m.ints(0, 1))
		m.result(m.op("Add", "opset1", "", m.parameter("f32", "1"), y))
	}, runs: interrupt},

	{name: "06 Interpolate of an empty axis", files: []string{"06_interpolate_empty_axis/ip0_cubic_f32.xml",
		"06_interpolate_empty_axis/ip0_linear_u8.xml", "06_interpolate_empty_axis/ipdiv.xml"},
		model: func(m *model) {
			m.result(m.interpolate("cubic", `pads_begin="0,0,0,1"`, m.parameter("f32", "1,1,2,0")))
		}, runs: infer},

	{name: "07 folding while validating", files: []string{"07_validate_fold/fold_mm_big.xml"}, zeros: 64 << 20, model: func(m *model) {
		x := m.constant("f32", "4,4194304", 0, 64<<20)
		for range 300 {
			m.result(m.op("MatMul", "opset1", `transpose_b="true"`, x, x))
		}
	}, runs: []run{{args: "validate @"}}},

	{name: "08 Assigns × inputs", files: []string{"08_assign_quadratic/assign_concat_2m.xml"}, model: func(m *model) {
		assigns(m, 4000, 10_000)
	}, runs: []run{{args: "validate @ --no-bin"}, {args: "validate @"}}},

	{name: "09 --explain of a rank", files: []string{"09_explain/expl_2000.xml"}, model: func(m *model) {
		x := m.parameter("f32", list("1", 2000))
		last := x
		for range 19 {
			last = m.op("Add", "opset1", "", last, x)
		}
		m.result(last)
	}, runs: []run{{args: "validate @ --explain 15"}}},
	{name: "09 --explain of a Concat", files: []string{"09_explain/expl_concat60.xml"}, model: func(m *model) {
		x := m.parameter("f32", list("2", 60))
		m.result(m.op("Concat", "opset1", `axis="0"`, repeat(x, 800)...))
	}, runs: []run{{args: "validate @ --explain 1"}}},
	{name: "09 --explain of rank × layers", files: []string{"01_rank_bomb/rank_add_100k.xml"}, model: func(m *model) {
		x := m.parameter("f32", list("1", 50_000))
		last := x
		for range 250 {
			last = m.op("Add", "opset1", "", last, x)
		}
		m.result(last)
	}, runs: []run{{args: "validate @ --explain 200"}}},

	{name: "10 a request on several goroutines", files: []string{"10_setinput_race/dyn.xml", "10_setinput_race/dyn_tanh.xml"},
		model: func(m *model) {
			x := m.parameter("f32", "?,?")
			m.result(m.op("Relu", "opset1", "", m.op("Transpose", "opset1", "", x, m.ints(1, 0))))
		}, runs: []run{{seconds: 20, job: job{Until: "race"}}}, races: true},

	{name: "11 a Parameter of 200 GB", files: []string{"11_cli_param_alloc/param_50g.xml"},
		model: func(m *model) { shapeOf(m, "f32", "50000000000") }, runs: fill},
	{name: "11 a Parameter of 2^61 bytes", files: []string{"11_cli_param_alloc/param_2e61.xml"},
		model: func(m *model) { shapeOf(m, "u8", "2305843009213693888") }, runs: fill},

	{name: "12 control characters in names", files: []string{"12_terminal_escape/esc_name.xml"},
		model: func(m *model) { escapes(m, escape, "Relu", "opset1") }, runs: printing},
	{name: "12 control characters in a type", files: []string{"12_terminal_escape/esc_type.xml"},
		model: func(m *model) { escapes(m, "n", "Foo"+escape, "opset1") }, runs: printing},

	{name: "14 findings × the length of a name", files: []string{"14_json_output_bomb/json_100k.xml", "14_json_output_bomb/json_1m.xml"},
		model: func(m *model) {
			x, axis := m.parameter("f32", "8000,2"), m.int(0)
			m.stale(strings.Repeat("A", 500_000), 8000, x, axis)
		}, runs: []run{{args: "validate @ --json"}, {args: "validate @ --format sarif"}, {args: "validate @"}, {args: "validate @ --fix"}}},

	{name: "15 buffers of earlier shapes", files: []string{"15_slot_retention/nz2.xml"}, model: func(m *model) {
		x := m.layer("NonZero", "opset3", `output_type="i64"`, "I64", 1, m.parameter("f32", "?"))
		x = m.op("Convert", "opset1", `destination_type="f32"`, x)
		m.result(m.op("Exp", "opset1", "", m.op("Tanh", "opset1", "", x)))
	}, runs: []run{{seconds: 20, job: job{Until: "infer", Lengths: lengths(20, 100_000, 0, 1.2), Limits: plugin.Options{MaxTotalBytes: 1 << 30}}}}},

	{name: "16 a wide Concat", files: []string{"16_wide_compile/c_wide_b.xml"}, model: func(m *model) {
		x := m.parameter("f32", "4,4")
		var all []port
		for range 8000 {
			all = append(all, m.op("Relu", "opset1", "", x))
		}
		m.result(m.op("Concat", "opset1", `axis="0"`, all...))
	}, runs: compile},
}

// The runs of several attacks.
var (
	compile      = []run{{job: job{Until: "compile"}}}
	compileSmall = []run{{job: job{Until: "compile", Limits: plugin.Options{MaxTotalBytes: 16 << 20, MaxTensorBytes: 8 << 20, MaxPlanBytes: 1 << 20, MaxPlans: 4}}}}
	infer        = []run{{job: job{Until: "infer"}}}
	// interrupt has a deadline that ends CompileModel or Infer. The tensors may be large.
	interrupt = []run{{job: job{Until: "infer", Deadline: 300 * time.Millisecond, Threads: 2}, seconds: 3, bytes: 3 << 30}}
	fill      = []run{{args: "run @"}, {args: "run @ --fill zeros"}, {args: "benchmark @ --seconds 0"}, {args: "profile @ --runs 1"}}
	printing  = []run{{args: "validate @"}, {args: "validate @ --json"}, {args: "validate @ --format sarif"}, {args: "validate @ --explain 1"},
		{args: "info @"}, {args: "info @ --json"}, {args: "run @"}, {args: "profile @ --runs 1"}, {args: "benchmark @ --seconds 0"}}
)

// escape is a text, escaped for XML, that sets the title of a terminal, commands build services and
// writes a line of its own.
const escape = "##[error]##vso[task.setvariable variable=x]&#27;]0;pwned&#7;&#10;" + forged + "&#13;&#155;31m&#8238;"

const convolution2 = `strides="1,1" pads_begin="0,0" pads_end="0,0" dilations="1,1"`

// lengths returns n lengths: first, and then factor times the one before plus step.
func lengths(n, first, step int, factor float64) []int {
	list := []int{first}
	for len(list) < n {
		list = append(list, int(factor*float64(list[len(list)-1]))+step)
	}
	return list
}

// enlarge adds an Interpolate from n elements to twice as many.
func enlarge(m *model, n int64) {
	x := m.interpolate("cubic", "", m.grow(m.parameter("f32", "1"), 1, 1, 1, n))
	m.result(m.op("ReduceSum", "opset1", `keep_dims="false"`, x, m.ints(0, 1, 2, 3)))
}

// interpolate adds an Interpolate to twice the length of axis 3. attributes come first.
func (m *model) interpolate(mode, attributes string, x port) port {
	for _, name := range []string{"pads_begin", "pads_end"} {
		if !strings.Contains(attributes, name) {
			attributes += fmt.Sprintf(` %s="0"`, name)
		}
	}
	return m.op("Interpolate", "opset4", fmt.Sprintf(`mode="%s" shape_calculation_mode="scales" %s`, mode, attributes),
		x, m.ints(1), m.floats(2), m.ints(3))
}

// shared adds n layers by add, which is given offsets in the .bin of constants of size bytes that
// overlap.
func shared(m *model, n, size int, add func(offset int) port) {
	start := m.append(make([]byte, 64))
	for i := range n {
		m.result(add(start + 64*i))
	}
	m.zeros = int64(start + 64*n + size)
}

// assigns adds n variables, whose Assigns have one input with k inputs; k is at least n.
func assigns(m *model, n, k int) {
	x := m.parameter("f32", "1")
	values := repeat(x, k)
	for i := range n {
		values[i] = m.op("ReadValue", "opset3", fmt.Sprintf(`variable_id="v%d"`, i), x)
	}
	all := m.op("Concat", "opset1", `axis="0"`, values...)
	for i := range n {
		m.op("Assign", "opset3", fmt.Sprintf(`variable_id="v%d"`, i), all)
	}
	m.result(all)
}

// shapeOf has a Parameter whose shape is all that is used.
func shapeOf(m *model, elementType, shape string) {
	m.result(m.layer("ShapeOf", "opset3", "", "I64", 1, m.parameter(elementType, shape)))
}

// escapes has names with control characters, and findings about them.
func escapes(m *model, name, kind, opset string) {
	x := m.named("p"+name, "Parameter", "opset1", `shape="1" element_type="f32"`, "FP32", 1, "")
	id := m.count
	fmt.Fprintf(&m.layers, `<layer id="%d" name="%s" type="%s" version="%s"><input><port id="0"/></input>`+
		`<output><port id="1" precision="FP32" names="%[2]s"><dim>2</dim></port></output></layer>`, id, name, kind, opset)
	fmt.Fprintf(&m.edges, `<edge from-layer="%d" from-port="%d" to-layer="%d" to-port="0"/>`, x.layer, x.port, id)
	m.count++
	m.named("r"+name, "Result", "opset1", "", "", 0, "", port{id, 1})
}

// stale adds a Split with a name whose n outputs have stale dims.
func (m *model) stale(name string, n int, x, axis port) {
	m.named(name, "Split", "opset1", fmt.Sprintf(`num_splits="%d"`, n), "FP32", 0,
		"<output>"+staleOutputs(n)+"</output>", x, axis)
	m.result(port{m.count - 1, 2})
}

// staleOutputs returns n output ports, from id 2 on, whose dims do not fit.
func staleOutputs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<port id="%d" precision="FP32"><dim>3</dim></port>`, i+2)
	}
	return b.String()
}
