package attacks

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/plugin"
)

// kinds are attacks of the kinds of findings on other layer types and other parts of a file.
var kinds = [][]attack{ranks, tables, sharedWeights, interrupted, emptyAxes, folding, quadratic, explained, printed, allocated}

// exhaustiveVariable is the environment variable that switches on all attacks of each kind.
const exhaustiveVariable = "VINOIR_EXHAUSTIVE"

// someVariants is the number of attacks of each kind that run without exhaustiveVariable: the first
// ones.
const someVariants = 2

// variants returns the attacks that run.
func variants() []attack {
	var some []attack
	for _, kind := range kinds {
		if os.Getenv(exhaustiveVariable) == "" {
			kind = kind[:someVariants]
		}
		some = append(some, kind...)
	}
	return some
}

// The runs of variants.
var (
	read         = []run{{args: "validate @"}, {args: "info @"}, {job: job{Until: "compile"}}}
	validateOnly = []run{{args: "validate @"}}
	reports      = []run{{args: "validate @"}, {args: "validate @ --json"}, {args: "validate @ --format sarif"}, {args: "validate @ --fix"}}
	compile64    = []run{{job: job{Until: "compile", Limits: plugin.Options{MaxTotalBytes: 64 << 20}}}}
	infer64      = []run{{job: job{Until: "infer", Limits: plugin.Options{MaxTotalBytes: 64 << 20}}}}
)

// ranks have shapes of many axes.
var ranks = []attack{
	{name: "rank 64, many layers", model: func(m *model) {
		x := m.parameter("f32", list("1", 64))
		last := x
		for range 10_000 {
			last = m.op("Add", "opset1", "", last, x)
		}
		m.result(last)
	}, runs: read},
	{name: "rank 8, many layers", model: func(m *model) {
		last := m.parameter("f32", list("?", 8))
		for range 10_000 {
			last = m.op("Relu", "opset1", "", last)
		}
		m.result(last)
	}, runs: read},
	{name: "rank by dims of ports", model: func(m *model) {
		x := m.parameter("f32", list("1", 100))
		for range 20 {
			m.named("n", "Relu", "opset1", "", "FP32", 0, `<output><port id="1" precision="FP32">`+strings.Repeat("<dim>1</dim>", 5000)+`</port></output>`, x)
			m.result(port{m.count - 1, 1})
		}
	}, runs: reports},
	{name: "rank by Reshape", model: func(m *model) {
		x := m.parameter("f32", "1")
		shape := m.ints(ones(100_000)...)
		for range 1000 {
			m.result(m.op("Reshape", "opset1", `special_zero="false"`, x, shape))
		}
	}, runs: read},
	{name: "rank by a Reshape to an unknown target", model: func(m *model) {
		x, shape := m.parameter("f32", "1"), m.parameter("i64", "100000000")
		for range 200 {
			m.result(m.op("Relu", "opset1", "", m.op("Reshape", "opset1", `special_zero="false"`, x, shape)))
		}
	}, runs: read},
	{name: "rank by Unsqueeze", model: func(m *model) {
		last, axes := m.parameter("f32", "1"), m.ints(ramp(20_000)...)
		for range 200 {
			last = m.op("Unsqueeze", "opset1", "", last, axes)
		}
		m.result(last)
	}, runs: read},
	{name: "rank by Broadcast, Tile, OneHot and Gather", model: func(m *model) {
		x, shape := m.parameter("f32", "1"), m.ints(ones(100_000)...)
		i := m.parameter("i64", list("1", 50_000))
		for range 100 {
			m.result(m.op("Broadcast", "opset3", `mode="numpy"`, x, shape))
			m.result(m.op("Tile", "opset1", "", x, shape))
			m.result(m.op("OneHot", "opset1", `axis="0"`, i, m.int(2), m.float(1), m.float(0)))
			m.result(m.op("Gather", "opset8", "", x, i, m.int(0)))
			m.result(m.op("MatMul", "opset1", "", i, i))
		}
	}, runs: read},
	{name: "rank by Broadcast to an unknown target", model: func(m *model) {
		x, shape := m.parameter("f32", "1"), m.parameter("i64", "1000000000")
		for _, kind := range []string{"Broadcast opset3", "Tile opset1"} {
			name, opset, _ := strings.Cut(kind, " ")
			for range 50 {
				m.result(m.op(name, opset, "", x, shape))
			}
		}
		m.result(m.layer("RandomUniform", "opset8", `output_type="f32" op_seed="0" global_seed="0"`, "FP32", 1, shape, m.float(0), m.float(1)))
		m.result(m.layer("NonZero", "opset3", `output_type="i64"`, "I64", 1, m.op("Broadcast", "opset3", "", x, shape)))
		m.result(m.layer("Unsqueeze", "opset1", "", "FP32", 1, x, shape))
	}, runs: read},
	{name: "rank in Transpose, Pad, StridedSlice, Reduce", model: func(m *model) {
		const n = 50_000
		x, order, zeros := m.parameter("f32", list("1", n)), m.ints(ramp(n)...), m.ints(make([]int64, n)...)
		m.result(m.op("StridedSlice", "opset1", fmt.Sprintf(`begin_mask="%[1]s" end_mask="%[1]s" new_axis_mask="%[1]s" ellipsis_mask="" shrink_axis_mask=""`, list("1", n)), x, zeros, zeros))
		for range 50 {
			m.result(m.op("Transpose", "opset1", "", x, order))
			m.result(m.op("Pad", "opset1", `pad_mode="constant"`, x, zeros, zeros))
			m.result(m.op("ReduceSum", "opset1", `keep_dims="true"`, x, order))
			m.result(m.op("Squeeze", "opset1", "", x, order))
		}
	}, runs: read},
	{name: "rank in a Loop that grows it", model: func(m *model) {
		m.loop(1<<40, func(b *model) (port, port) {
			x := b.parameter("f32", "...")
			return x, b.op("Unsqueeze", "opset1", "", x, b.ints(0))
		})
	}, runs: read},
}

// tables are kernels that could keep a table of positions or weights for each element, with tensors
// of at most 64 MiB together.
var tables = tablesOf(map[string]func(m *model, x port) port{
	"Interpolate nearest":     func(m *model, x port) port { return m.interpolate("nearest", "", x) },
	"Interpolate linear":      func(m *model, x port) port { return m.interpolate("linear", `antialias="true"`, x) },
	"Interpolate linear_onnx": func(m *model, x port) port { return m.interpolate("linear_onnx", "", x) },
	"Interpolate cubic":       func(m *model, x port) port { return m.interpolate("cubic", "", x) },
	"Interpolate bilinear_pillow": func(m *model, x port) port {
		x = m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(1, 1, 1, -1))
		return m.op("Interpolate", "opset11", `mode="bilinear_pillow" shape_calculation_mode="sizes" pads_begin="0" pads_end="0"`, x, m.ints(1, 3<<19), m.ints(2, 3))
	},
	"Interpolate bicubic_pillow to one": func(m *model, x port) port {
		return m.op("Interpolate", "opset11", `mode="bicubic_pillow" shape_calculation_mode="sizes" pads_begin="0" pads_end="0"`, x, m.ints(1, 1), m.ints(2, 3))
	},
	"Interpolate antialias to few": func(m *model, x port) port {
		return m.op("Interpolate", "opset4", `mode="linear" antialias="true" shape_calculation_mode="sizes" pads_begin="0" pads_end="0"`,
			x, m.ints(1000), m.floats(1), m.ints(3))
	},
	"Interpolate 5 axes": func(m *model, x port) port {
		x = m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(16, 16, 32, 16, 16))
		return m.op("Interpolate", "opset4", `mode="linear" antialias="true" shape_calculation_mode="scales" pads_begin="0" pads_end="0"`,
			x, m.ints(1, 1, 1, 1, 1), m.floats(1.3, 1.3, 1.3, 1.3, 1.3), m.ints(0, 1, 2, 3, 4))
	},
	"Interpolate pads":  func(m *model, x port) port { return m.interpolate("nearest", `pads_begin="0,0,0,1000000"`, x) },
	"AvgPool":           func(m *model, x port) port { return m.op("AvgPool", "opset1", pool(3, 1), x) },
	"AvgPool of many":   func(m *model, x port) port { return m.op("AvgPool", "opset1", pool(1<<20, 1<<18), x) },
	"MaxPool":           func(m *model, x port) port { return m.op("MaxPool", "opset1", pool(3, 1), x) },
	"MaxPool many taps": func(m *model, x port) port { return m.op("MaxPool", "opset1", pool(1<<20, 1<<18), x) },
	"MaxPool-8 indices": func(m *model, x port) port {
		return m.layer("MaxPool", "opset8", pool(3, 1)+` dilations="1,1" index_element_type="i64" axis="0"`, "FP32", 2, x)
	},
	"AdaptiveAvgPool": func(m *model, x port) port { return m.op("AdaptiveAvgPool", "opset8", "", x, m.ints(1, 1<<20)) },
	"AdaptiveMaxPool": func(m *model, x port) port {
		return m.layer("AdaptiveMaxPool", "opset8", `index_element_type="i64"`, "FP32", 2, x, m.ints(1, 1<<20))
	},
	"Pad reflect": func(m *model, x port) port {
		return m.op("Pad", "opset1", `pad_mode="reflect"`, x, m.ints(0, 0, 0, 1<<20), m.ints(0, 0, 0, 1<<20))
	},
	"StridedSlice reverse": func(m *model, x port) port {
		return m.op("StridedSlice", "opset1", `begin_mask="1,1,1,1" end_mask="1,1,1,1" new_axis_mask="" shrink_axis_mask="" ellipsis_mask=""`,
			x, m.ints(0, 0, 0, 0), m.ints(0, 0, 0, 0), m.ints(1, 1, 1, -1))
	},
	"Transpose": func(m *model, x port) port {
		return m.op("Transpose", "opset1", "", m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(list2(21)...)), m.ints(backwards(21)...))
	},
	"Broadcast": func(m *model, x port) port {
		return m.op("Broadcast", "opset3", `mode="numpy"`, x, m.ints(4, 1, 1, 1<<21))
	},
	"Tile":    func(m *model, x port) port { return m.op("Tile", "opset1", "", x, m.ints(1, 1, 4, 1)) },
	"Roll":    func(m *model, x port) port { return m.op("Roll", "opset7", "", x, m.ints(5), m.ints(3)) },
	"Reverse": func(m *model, x port) port { return m.op("Reverse", "opset1", `mode="index"`, x, m.ints(3)) },
	"CumSum":  func(m *model, x port) port { return m.op("CumSum", "opset3", "", x, m.int(3)) },
	"Softmax": func(m *model, x port) port { return m.op("Softmax", "opset8", `axis="3"`, x) },
	"MVN": func(m *model, x port) port {
		return m.op("MVN", "opset6", `normalize_variance="true" eps="1e-5" eps_mode="inside_sqrt"`, x, m.ints(3))
	},
	"LRN": func(m *model, x port) port {
		return m.op("LRN", "opset1", `alpha="1" beta="1" bias="1" size="65"`, x, m.ints(3))
	},
	"TopK": func(m *model, x port) port {
		return m.layer("TopK", "opset11", `axis="3" mode="max" sort="value" index_element_type="i64"`, "FP32", 2, x, m.int(1<<20))
	},
	"DFT": func(m *model, x port) port {
		return m.op("DFT", "opset7", "", m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(1<<20, 2)), m.ints(0))
	},
	"DFT of a prime": func(m *model, x port) port {
		return m.op("DFT", "opset7", "", m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(1<<20, 2)), m.ints(0), m.ints(1048573))
	},
	"RDFT": func(m *model, x port) port { return m.op("RDFT", "opset9", "", x, m.ints(3)) },
	"Convolution": func(m *model, x port) port {
		return m.op("Convolution", "opset1", convolution2, x, m.constant("f32", "1,1,1,1000", m.append(make([]float32, 1000)), 4000))
	},
	"Convolution dilated": func(m *model, x port) port {
		return m.op("Convolution", "opset1", `strides="1,1" pads_begin="0,1000000" pads_end="0,1000000" dilations="1,1000000"`,
			x, m.constant("f32", "1,1,1,3", m.append(make([]float32, 3)), 12))
	},
	"GroupConvolution": func(m *model, x port) port {
		x = m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(1, 1<<18, 1, 8))
		return m.op("GroupConvolution", "opset1", convolution2, x, m.constant("f32", "262144,1,1,1,3", m.append(make([]byte, 12<<18)), 12<<18))
	},
	"ConvolutionBackpropData": func(m *model, x port) port {
		return m.op("ConvolutionBackpropData", "opset1", `strides="1,3" pads_begin="0,0" pads_end="0,0" dilations="1,1"`,
			x, m.constant("f32", "1,1,1,3", m.append(make([]float32, 3)), 12))
	},
	"Einsum": func(m *model, x port) port {
		x = m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(1<<10, 1<<11))
		return m.op("Einsum", "opset7", `equation="ij,ik->jk"`, x, x)
	},
	"Gather": func(m *model, x port) port {
		return m.op("Gather", "opset8", "", x, m.constant("i64", "1048576", m.append(make([]byte, 8<<20)), 8<<20), m.int(3))
	},
	"ScatterElementsUpdate": func(m *model, x port) port {
		i := m.constant("i64", "1,1,1,1048576", m.append(make([]byte, 8<<20)), 8<<20)
		return m.op("ScatterElementsUpdate", "opset12", `reduction="sum"`, x, i, m.op("Convert", "opset1", `destination_type="f32"`, i), m.int(3))
	},
	"OneHot": func(m *model, x port) port {
		i := m.layer("Convert", "opset1", `destination_type="i64"`, "I64", 1, x)
		return m.op("OneHot", "opset1", `axis="-1"`, i, m.int(2), m.float(1), m.float(0))
	},
	"ExtractImagePatches": func(m *model, x port) port {
		return m.op("ExtractImagePatches", "opset3", `sizes="1,3" strides="1,1" rates="1,1" auto_pad="valid"`, x)
	},
	"GRN": func(m *model, x port) port { return m.op("GRN", "opset1", `bias="1"`, x) },
	"NormalizeL2": func(m *model, x port) port {
		return m.op("NormalizeL2", "opset1", `eps="1" eps_mode="add"`, x, m.ints(3))
	},
	"PriorBox": func(m *model, x port) port {
		s := m.ints(700, 700)
		return m.op("PriorBox", "opset1", `min_size="1" max_size="" aspect_ratio="" flip="false" clip="false" step="0" offset="0.5" variance="" scale_all_sizes="false"`, s, m.ints(5, 5))
	},
	"ReduceMean of rank": func(m *model, x port) port {
		return m.op("ReduceMean", "opset1", `keep_dims="true"`, m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(list2(21)...)), m.ints(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20))
	},
	"Add of rank": func(m *model, x port) port {
		y := m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(list2(21)...))
		return m.op("Add", "opset1", "", y, m.op("Transpose", "opset1", "", y, m.ints(backwards(21)...)))
	},
	"SpaceToBatch": func(m *model, x port) port {
		return m.op("SpaceToBatch", "opset2", "", x, m.ints(1, 1, 1, 1<<10), m.ints(0, 0, 0, 0), m.ints(0, 0, 0, 0))
	},
	"ShuffleChannels": func(m *model, x port) port { return m.op("ShuffleChannels", "opset1", `axis="3" group="1024"`, x) },
	"Concat 100,000": func(m *model, x port) port {
		return m.op("Concat", "opset1", `axis="2"`, repeat(m.grow(m.float(1), 1, 1, 1, 4), 100_000)...)
	},
})

// tablesOf returns an attack for each layer type, with an input of 2^21 floats, known at compile
// time and at run time.
func tablesOf(kernels map[string]func(m *model, x port) port) (all []attack) {
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		add := kernels[name]
		all = append(all,
			attack{name: "table of " + name, model: func(m *model) {
				m.result(add(m, m.grow(m.parameter("f32", "1"), 1, 1, 1, 1<<21)))
			}, runs: compile64},
			attack{name: "late table of " + name, model: func(m *model) {
				m.result(add(m, m.op("Broadcast", "opset3", `mode="numpy"`, m.parameter("f32", "1"), m.late(1, 1, 1, 1<<21))))
			}, runs: []run{{job: infer64[0].job, seconds: 4, bytes: 320 << 20}}})
	}
	return all
}

// late returns values that are known only when the model runs.
func (m *model) late(values ...int64) port {
	zero := m.layer("NonZero", "opset3", `output_type="i64"`, "I64", 1, m.op("Relu", "opset1", "", m.parameter("f32", "1")))
	// 0 for an input of 1
	zero = m.layer("ReduceProd", "opset1", `keep_dims="true"`, "I64", 1, zero, m.ints(0, 1))
	zero = m.layer("Reshape", "opset1", `special_zero="false"`, "I64", 1, zero, m.ints(1))
	return m.layer("Add", "opset1", "", "I64", 1, m.ints(values...), zero)
}

// sharedWeights have constants that overlap in the .bin, and kernels that could keep a copy of
// each.
var sharedWeights = []attack{
	{name: "shared weights of Convolution", model: func(m *model) {
		x := m.parameter("f32", "1,512,8,8")
		shared(m, 150, 9<<20, func(offset int) port {
			return m.op("Convolution", "opset1", `strides="1,1" pads_begin="1,1" pads_end="1,1" dilations="1,1"`, x, m.constant("f32", "512,512,3,3", offset, 9<<20))
		})
	}, runs: compileSmall},
	{name: "shared weights of Convolution 1x1", model: func(m *model) {
		x := m.parameter("f32", "1,1024,8,8")
		shared(m, 150, 4<<20, func(offset int) port {
			return m.op("Convolution", "opset1", convolution2, x, m.constant("f32", "1024,1024,1,1", offset, 4<<20))
		})
	}, runs: compileSmall},
	{name: "shared weights of GroupConvolution", model: func(m *model) {
		x := m.parameter("f32", "1,1024,8,8")
		shared(m, 150, 2<<20, func(offset int) port {
			return m.op("GroupConvolution", "opset1", convolution2, x, m.constant("f32", "2,512,512,1,1", offset, 2<<20))
		})
	}, runs: compileSmall},
	{name: "shared weights of ConvolutionBackpropData", model: func(m *model) {
		x := m.parameter("f32", "1,512,8,8")
		shared(m, 150, 4<<20, func(offset int) port {
			return m.op("ConvolutionBackpropData", "opset1", `strides="2,2" pads_begin="0,0" pads_end="0,0" dilations="1,1"`, x, m.constant("f32", "512,512,2,2", offset, 4<<20))
		})
	}, runs: compileSmall},
	{name: "shared weights in f16", model: func(m *model) {
		x := m.parameter("f32", "4,1024")
		shared(m, 150, 2<<20, func(offset int) port {
			w := m.op("Convert", "opset1", `destination_type="f32"`, m.constant("f16", "1024,1024", offset, 2<<20))
			return m.op("MatMul", "opset1", fmt.Sprintf(`transpose_b="%t"`, offset%128 == 0), x, w)
		})
	}, runs: compileSmall},
	{name: "shared weights in u8, scaled", model: func(m *model) {
		x := m.parameter("f32", "4,1024")
		shared(m, 150, 1<<20, func(offset int) port {
			w := m.op("Convert", "opset1", `destination_type="f32"`, m.constant("u8", "1024,1024", offset, 1<<20))
			w = m.op("Multiply", "opset1", "", m.op("Subtract", "opset1", "", w, m.float(3)), m.float(2))
			return m.op("MatMul", "opset1", "", x, w)
		})
	}, runs: compileSmall},
	{name: "shared weights, transposed", model: func(m *model) {
		x := m.parameter("f32", "4,1024")
		shared(m, 150, 4<<20, func(offset int) port {
			w := m.op("Transpose", "opset1", "", m.constant("f32", "1024,1024", offset, 4<<20), m.ints(1, 0))
			return m.op("MatMul", "opset1", "", x, w)
		})
	}, runs: compileSmall},
	{name: "shared weights of LSTMSequence", model: func(m *model) {
		x, h, n := m.parameter("f32", "1,4,256"), m.grow(m.float(0), 1, 1, 256), m.ints(4)
		shared(m, 150, 1<<20, func(offset int) port {
			w := m.constant("f32", "1,1024,256", offset, 1<<20)
			return m.layer("LSTMSequence", "opset5", `hidden_size="256" direction="forward"`, "FP32", 3, x, h, h, n, w, w, m.grow(m.float(0), 1, 1024))
		})
	}, runs: compileSmall},
	{name: "shared indices of Gather", model: func(m *model) {
		x := m.parameter("f32", "1024")
		shared(m, 150, 4<<20, func(offset int) port {
			return m.op("Gather", "opset8", "", x, m.constant("i64", "524288", offset, 4<<20), m.int(0))
		})
	}, runs: compile64},
	{name: "shared tables of FakeQuantize and Add", model: func(m *model) {
		x := m.parameter("f32", "1,1048576")
		shared(m, 40, 4<<20, func(offset int) port {
			c := m.constant("f32", "1,1048576", offset, 4<<20)
			return m.op("FakeQuantize", "opset1", `levels="256"`, x, c, m.op("Add", "opset1", "", c, m.float(1)), c, c)
		})
	}, runs: compile64},
	{name: "unaligned shared constants", model: func(m *model) {
		x := m.parameter("f32", "1048576")
		for i := range 150 {
			m.result(m.op("Add", "opset1", "", x, m.constant("f32", "1048576", 1+i, 4<<20)))
		}
	}, runs: compile64},
}

// interrupted take long, and have a deadline.
var interrupted = []attack{
	long("Convolution of many channels", func(m *model, x port) port {
		return m.op("Convolution", "opset1", convolution2, m.grow(x, 1, 2048, 64, 64), m.grow(x, 2048, 2048, 3, 3))
	}),
	long("3-D Convolution", func(m *model, x port) port {
		return m.op("Convolution", "opset1", `strides="1,1,1" pads_begin="0,0,0" pads_end="0,0,0" dilations="1,1,1"`, m.grow(x, 1, 1, 256, 256, 256), m.grow(x, 1, 1, 64, 64, 64))
	}),
	long("GroupConvolution", func(m *model, x port) port {
		return m.op("GroupConvolution", "opset1", convolution2, m.grow(x, 1, 64, 512, 512), m.grow(x, 64, 1, 1, 255, 255))
	}),
	long("ConvolutionBackpropData", func(m *model, x port) port {
		return m.op("ConvolutionBackpropData", "opset1", convolution2, m.grow(x, 1, 1, 2048, 2048), m.grow(x, 1, 1, 512, 512))
	}),
	long("MatMul of many batches", func(m *model, x port) port {
		return m.op("MatMul", "opset1", "", m.grow(x, 6000, 256, 256), m.grow(x, 1, 256, 256))
	}),
	long("MatMul of f64", func(m *model, x port) port {
		y := m.op("Convert", "opset1", `destination_type="f64"`, m.grow(x, 3000, 3000))
		return m.op("MatMul", "opset1", "", y, y)
	}),
	long("MatMul of i32", func(m *model, x port) port {
		y := m.op("Convert", "opset1", `destination_type="i32"`, m.grow(x, 3000, 3000))
		return m.op("MatMul", "opset1", "", y, y)
	}),
	long("MaxPool", func(m *model, x port) port {
		return m.op("MaxPool", "opset1", `strides="1,1" pads_begin="0,0" pads_end="0,0" kernel="1000,1000" rounding_type="floor"`, m.grow(x, 1, 8, 2000, 2000))
	}),
	long("AvgPool of f16", func(m *model, x port) port {
		return m.op("AvgPool", "opset1", `strides="1,1" pads_begin="0,0" pads_end="0,0" kernel="1000,1000" rounding_type="floor" exclude-pad="true"`,
			m.op("Convert", "opset1", `destination_type="f16"`, m.grow(x, 1, 8, 2000, 2000)))
	}),
	long("AdaptiveAvgPool", func(m *model, x port) port {
		return m.op("AdaptiveAvgPool", "opset8", "", m.grow(x, 64, 4, 512, 512), m.ints(511, 511))
	}),
	long("LRN", func(m *model, x port) port {
		return m.op("LRN", "opset1", `alpha="1" beta="0.7" bias="1" size="1000001"`, m.grow(x, 1, 1, 1, 1<<20), m.ints(3))
	}),
	long("Exp, Erf and Power", func(m *model, x port) port {
		y := m.grow(x, 1<<26)
		for range 30 {
			y = m.op("Power", "opset1", "", m.op("Erf", "opset1", "", m.op("Exp", "opset1", "", y)), y)
		}
		return y
	}),
	long("ScaledDotProductAttention", func(m *model, x port) port {
		q := m.grow(x, 1, 16, 8192, 64)
		return m.op("ScaledDotProductAttention", "opset13", `causal="false"`, q, q, q)
	}),
	long("ScatterElementsUpdate", func(m *model, x port) port {
		i := m.layer("Convert", "opset1", `destination_type="i64"`, "I64", 1, m.op("Multiply", "opset1", "", m.grow(x, 1<<26), m.float(0)))
		y := m.grow(x, 1<<26)
		for range 30 {
			y = m.op("ScatterElementsUpdate", "opset12", `reduction="prod"`, y, i, y, m.int(0))
		}
		return y
	}),
}

// long returns an attack that takes seconds. add must read x, a Parameter of one element.
func long(name string, add func(m *model, x port) port) attack {
	return attack{name: "long " + name, model: func(m *model) { m.result(add(m, m.parameter("f32", "1"))) }, runs: interrupt}
}

// emptyAxes have axes of length 0.
var emptyAxes = emptyAxesOf()

func emptyAxesOf() (all []attack) {
	for _, mode := range []string{"nearest", "linear", "linear_onnx", "cubic"} {
		for _, pads := range []string{"", `pads_begin="0,0,0,1"`, `pads_begin="0,0,1,0" pads_end="0,0,0,2"`, `pads_begin="0,0,0,-1"`} {
			for _, shape := range []string{"1,1,2,0", "0,1,2,3", "1,1,0,0", "1,1,0,2"} {
				all = append(all, attack{name: "empty Interpolate " + mode + pads + " " + shape, model: func(m *model) {
					m.result(m.interpolate(mode, pads, m.parameter("f32", shape)))
				}, runs: infer})
			}
		}
	}
	for _, kind := range []string{"MaxPool", "AvgPool"} {
		for _, shape := range []string{"1,1,1,0", "1,0,4,4", "0,1,4,4"} {
			all = append(all, attack{name: "empty " + kind + " " + shape, model: func(m *model) {
				m.result(m.op(kind, "opset1", `kernel="1,2" strides="1,1" pads_begin="0,1" pads_end="0,1" rounding_type="ceil" exclude-pad="false"`, m.parameter("f32", shape)))
			}, runs: infer})
		}
	}
	all = append(all, attack{name: "empty axes of many layer types", model: func(m *model) {
		x := m.parameter("f32", "2,0,3")
		for _, kind := range []string{"ReduceMax", "ReduceMean", "ReduceL2", "ReduceProd", "ReduceMin"} {
			m.result(m.op(kind, "opset4", `keep_dims="true"`, x, m.ints(1)))
		}
		m.result(m.op("Softmax", "opset8", `axis="1"`, x))
		m.result(m.op("CumSum", "opset3", "", x, m.int(1)))
		m.result(m.op("MVN", "opset6", `normalize_variance="true" eps="1e-5" eps_mode="inside_sqrt"`, x, m.ints(1)))
		m.result(m.op("Pad", "opset1", `pad_mode="constant"`, x, m.ints(0, 2, 0), m.ints(0, 2, 0)))
		m.result(m.op("Roll", "opset7", "", x, m.ints(1), m.ints(1)))
		m.result(m.op("MatMul", "opset1", "", m.op("Transpose", "opset1", "", x, m.ints(0, 2, 1)), x))
		m.result(m.op("NormalizeL2", "opset1", `eps="1" eps_mode="add"`, x, m.ints(1)))
		m.result(m.op("Tile", "opset1", "", x, m.ints(2, 2, 0)))
		m.result(m.op("DFT", "opset7", "", m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(3, 0, 2)), m.ints(1)))
		m.result(m.op("AdaptiveAvgPool", "opset8", "", x, m.ints(2)))
	}, runs: infer})
	return all
}

// folding computes constants while a model is read or compiled.
var folding = foldingOf(map[string]func(m *model, x port) port{
	"MatMul": func(m *model, x port) port {
		return m.op("MatMul", "opset1", `transpose_b="true"`, x, x)
	},
	"Einsum": func(m *model, x port) port { return m.op("Einsum", "opset7", `equation="ij,kj->ik"`, x, x) },
	"ReduceSum": func(m *model, x port) port {
		return m.op("ReduceSum", "opset1", `keep_dims="true"`, x, m.ints(0, 1))
	},
	"CumSum": func(m *model, x port) port { return m.op("CumSum", "opset3", "", x, m.int(1)) },
	"Tile": func(m *model, x port) port {
		return m.op("ReduceSum", "opset1", `keep_dims="false"`, m.op("Tile", "opset1", "", x, m.ints(1, 16)), m.ints(0, 1))
	},
	"TopK": func(m *model, x port) port {
		return m.layer("TopK", "opset11", `axis="1" mode="max" sort="value" index_element_type="i64"`, "FP32", 2, x, m.int(5))
	},
	"NonZero": func(m *model, x port) port {
		return m.layer("NonZero", "opset3", `output_type="i64"`, "I64", 1, x)
	},
	"Convolution": func(m *model, x port) port {
		x = m.op("Reshape", "opset1", `special_zero="false"`, x, m.ints(1, 1, 4, -1))
		return m.op("Convolution", "opset1", convolution2, x, x)
	},
	"Gather": func(m *model, x port) port {
		return m.op("Gather", "opset8", "", x, m.ints(0, 1), m.int(1))
	},
	"Convert": func(m *model, x port) port {
		return m.op("Convert", "opset1", `destination_type="f16"`, x)
	},
	"Slice to few": func(m *model, x port) port {
		return m.op("Slice", "opset8", "", m.op("Relu", "opset1", "", x), m.ints(0), m.ints(1), m.ints(1), m.ints(1))
	},
	"Transpose": func(m *model, x port) port { return m.op("Transpose", "opset1", "", x, m.ints(1, 0)) },
})

// foldingOf has each layer type 300 times on one constant of 16 MiB, and chains that grow a
// constant.
func foldingOf(kernels map[string]func(m *model, x port) port) (all []attack) {
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		add := kernels[name]
		all = append(all, attack{name: "folding of " + name, model: func(m *model) {
			x := m.constant("f32", "4,1048576", 0, 16<<20)
			for range 300 {
				m.result(add(m, x))
			}
		}, runs: validateOnly})
	}
	grown := func(name string, elements int64, repeats int) attack {
		return attack{name: name, model: func(m *model) {
			x := m.float(1)
			for range repeats {
				y := m.grow(m.op("Add", "opset1", "", x, m.float(1)), elements)
				y = m.op("CumSum", "opset3", "", y, m.int(0))
				x = m.op("ReduceSum", "opset1", `keep_dims="false"`, y, m.ints(0))
			}
			m.result(m.op("Add", "opset1", "", x, m.parameter("f32", "1")))
		}, runs: validateOnly}
	}
	return append(all, grown("folding of a few large", 1<<26, 3), grown("folding of many small", 1024, 3000),
		attack{name: "folding of shapes", model: func(m *model) {
			shape := m.ints(2, 2)
			x := m.parameter("f32", "2,2")
			for range 3000 {
				shape = m.layer("ShapeOf", "opset3", `output_type="i64"`, "I64", 1, m.op("Broadcast", "opset3", "", x, shape))
				for range 3 {
					shape = m.layer("Maximum", "opset1", "", "I64", 1, shape, m.ints(1, 1))
				}
			}
			m.result(m.op("Broadcast", "opset3", "", x, shape))
		}, runs: read},
		attack{name: "folding in a Loop while validating", model: func(m *model) {
			y := m.loopOf(m.floats(1), 1<<60, func(b *model) (port, port) {
				x := b.parameter("f32", "1")
				return x, b.op("Exp", "opset1", "", x)
			})
			m.result(m.op("Reshape", "opset1", `special_zero="false"`, m.parameter("f32", "1"), m.layer("Convert", "opset1", `destination_type="i64"`, "I64", 1, y)))
		}, runs: validateOnly},
		attack{name: "folding of 1024 values", model: func(m *model) {
			all := m.ints(ones(1024)...)
			for range 10_000 {
				all = m.layer("Add", "opset1", "", "I64", 1, all, all)
			}
			m.result(all)
		}, runs: []run{{args: "validate @"}, {args: "info @"}, {job: job{Until: "compile"}, seconds: 2, bytes: 320 << 20}}}, // a file of 2 MB
		attack{name: "folding of a Range of 2^40", model: func(m *model) {
			r := m.layer("Range", "opset4", `output_type="i64"`, "I64", 1, m.int(0), m.int(1<<40), m.int(1))
			m.result(m.op("Gather", "opset8", "", r, m.int(5), m.int(0)))
		}, runs: validateOnly})
}

// loop adds a Loop of a Parameter of one element, and its result.
func (m *model) loop(trips int64, body func(b *model) (parameter, result port)) {
	m.result(m.loopOf(m.parameter("f32", "1"), trips, body))
}

// loopOf adds a Loop whose body computes x anew from x. The .bin of the body is that of the model.
func (m *model) loopOf(x port, trips int64, body func(b *model) (parameter, result port)) port {
	b := &model{bin: m.bin, zeros: m.zeros}
	parameter, value := body(b)
	always := b.constant("boolean", "", b.append([]byte{1}), 1)
	b.result(value)
	b.result(always)
	m.bin, m.zeros = b.bin, b.zeros
	inner := fmt.Sprintf(`<port_map><input external_port_id="2" internal_layer_id="%d"/>`+
		`<output external_port_id="-1" internal_layer_id="%d" purpose="execution_condition"/><output external_port_id="3" internal_layer_id="%d"/></port_map>`+
		`<back_edges><edge from-layer="%[3]d" to-layer="%[1]d"/></back_edges><body>%[4]s</body>`, parameter.layer, b.count-1, b.count-2, b.graph())
	condition := m.constant("boolean", "", m.append([]byte{1}), 1)
	return m.named(fmt.Sprintf("loop%d", m.count), "Loop", "opset5", "", "FP32", 1, inner, m.int(trips), condition, x)
}

func ones(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

func ramp(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return list
}

// list2 returns n times 2, and backwards the numbers from n-1 to 0.
func list2(n int) []int64 {
	list := ones(n)
	for i := range list {
		list[i] = 2
	}
	return list
}

func backwards(n int) []int64 {
	list := ramp(n)
	for i := range list {
		list[i] = int64(n - 1 - i)
	}
	return list
}

func pool(kernel, stride int) string {
	return fmt.Sprintf(`kernel="1,%d" strides="1,%d" pads_begin="0,0" pads_end="0,0" rounding_type="floor" exclude-pad="true"`, kernel, stride)
}
