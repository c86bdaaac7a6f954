//go:build unix

package builtin_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// latencyDelays are the times after which a call is canceled, so that different parts of a layer
// are met.
var latencyDelays = []time.Duration{20 * time.Millisecond, 200 * time.Millisecond}

// latency is the greatest CPU time between the end of a context and the return of a call.
type latency struct {
	compile time.Duration // CompileModel
	first   time.Duration // the first Infer of a request, which allocates its memory
	later   time.Duration // the second Infer
	ended   int           // Infers that ended before they were canceled
}

// BenchmarkLatency measures how long layers with huge tensors run after their context has ended:
// the CPU time of the process, which computes in one thread, so that the load of the machine does
// not change it, in milliseconds after a CompileModel, a first Infer and a later one were canceled.
// All cases take some minutes and up to 5 GiB of memory:
//
//	go test ./ops/builtin -run '^$' -bench Latency -benchtime 1x
func BenchmarkLatency(b *testing.B) {
	cases := latencyCases()
	maps.Copy(cases, familyCases())
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		b.Run(name, func(b *testing.B) {
			var worst latency
			for b.Loop() {
				worst = c.latency(b)
			}
			b.ReportMetric(0, "ns/op") // the time of a call without an end means nothing
			b.ReportMetric(milliseconds(worst.compile), "compile-ms")
			b.ReportMetric(milliseconds(worst.first), "first-ms")
			b.ReportMetric(milliseconds(worst.later), "later-ms")
			b.ReportMetric(float64(worst.ended), "ended")
		})
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// BenchmarkLatency_layers is BenchmarkLatency for CompileModel of models of 2^17 layers.
func BenchmarkLatency_layers(b *testing.B) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(b, err)
	core := plugin.NewCore(registry, plugin.Options{})
	const layers = 1 << 17
	for name, add := range map[string]func(g *layertest.Graph, last *ir.Layer) *ir.Layer{
		"Relu": func(g *layertest.Graph, last *ir.Layer) *ir.Layer { return g.Add("Relu", "opset1", nil, last) },
		"Add":  func(g *layertest.Graph, last *ir.Layer) *ir.Layer { return g.Add("Add", "opset1", nil, last, last) },
		"Transpose": func(g *layertest.Graph, last *ir.Layer) *ir.Layer {
			return g.Add("Transpose", "opset1", nil, last, g.Constant("i64[2]=1,0"))
		},
	} {
		b.Run(name, func(b *testing.B) {
			g := layertest.NewGraph(b)
			last := g.Parameter("f32[2,2]")
			for len(g.Layers) < layers {
				last = add(g, last)
			}
			g.Add("Result", "opset1", nil, last)
			worst := time.Duration(0)
			for b.Loop() {
				for delay := 100 * time.Millisecond; ; delay += 300 * time.Millisecond {
					after, err := canceled(delay, func(ctx context.Context) error {
						compiled, err := core.CompileModel(ctx, &g.Model, plugin.CompileOptions{InferenceNumThreads: 1})
						if err == nil {
							compiled.Close()
						}
						return err
					})
					worst = max(worst, after)
					if err != context.Canceled {
						require.NoError(b, err)
						break
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(milliseconds(worst), "compile-ms")
		})
	}
}

// latency measures one case.
func (c *stopCase) latency(t testing.TB) latency {
	t.Helper()
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	core := plugin.NewCore(registry, plugin.Options{})
	g := c.graph(t)
	var worst latency
	for _, delay := range latencyDelays {
		after, err := canceled(delay, func(ctx context.Context) error {
			compiled, err := core.CompileModel(ctx, &g.Model, plugin.CompileOptions{InferenceNumThreads: 1})
			if err == nil {
				compiled.Close()
			}
			return err
		})
		if err != nil && err != context.Canceled {
			t.Skip(err) // the layer is beyond the limits
		}
		worst.compile = max(worst.compile, after)
		if err == nil {
			break
		}
	}
	compiled, err := core.CompileModel(context.Background(), &g.Model, plugin.CompileOptions{InferenceNumThreads: 1})
	require.NoError(t, err)
	defer compiled.Close()
	inputs := zeros(t, compiled)
	for _, delay := range latencyDelays {
		request := compiled.NewInferRequest()
		for i, x := range inputs {
			require.NoError(t, request.SetInput(i, x))
		}
		for _, to := range []*time.Duration{&worst.first, &worst.later} {
			after, err := canceled(delay, request.Infer)
			if err == nil {
				worst.ended++
			} else if err != context.Canceled {
				t.Skip(err) // beyond the limits, or zeros are no valid inputs
			}
			*to = max(*to, after)
		}
	}
	return worst
}

// canceled calls f with a context that is canceled after delay, and returns the CPU time of the
// process between the two events, or 0 if f returned first.
func canceled(delay time.Duration, f func(context.Context) error) (time.Duration, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at time.Duration
	timer := time.AfterFunc(delay, func() {
		at = cpuTime()
		cancel()
	})
	err := f(ctx)
	end := cpuTime()
	if timer.Stop() {
		return 0, err
	}
	<-ctx.Done()
	return max(end-at, 0), err
}

// cpuTime returns the CPU time that the process has used.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// zeros returns an input of zeros for each input of the model.
func zeros(t testing.TB, compiled *plugin.CompiledModel) []*ir.Tensor {
	t.Helper()
	var list []*ir.Tensor
	for _, port := range compiled.Inputs() {
		lengths := make(ir.Shape, port.Shape.Rank())
		for i := range lengths {
			lengths[i] = int(port.Shape.At(i).Max)
		}
		tensor, err := ir.NewTensor(port.Type, lengths...)
		require.NoError(t, err)
		list = append(list, tensor)
	}
	return list
}

// latencyCases returns stopCases and cases whose kernels are linear in their tensors, most of which
// have 2^28 bytes or elements.
func latencyCases() map[string]stopCase {
	cases := map[string]stopCase{}
	for name, c := range stopCases {
		cases[name] = c
	}
	add := func(name, layerType, opset string, attributes layertest.Attributes, inputs ...string) {
		cases[name] = stopCase{layerType, opset, attributes, inputs}
	}
	const row, rows = "[268435456]", "[16384,16384]"
	for _, name := range strings.Fields("Abs Acos Asin Atan Ceiling Clamp Cos Cosh Erf Exp Floor Log Negative Relu Sigmoid Sign Sin Sinh Sqrt Tan Tanh Elu") {
		add("unary "+name, name, "opset1", layertest.Attributes{"alpha", "1", "min", "0", "max", "1"}, "f32"+row)
	}
	for _, t := range strings.Fields("f64 f16 i8 i64") {
		add("unary Tan "+t, "Tan", "opset1", nil, t+row)
	}
	for _, name := range strings.Fields("Acosh Asinh Atanh HSwish Mish SoftPlus Swish") {
		add("unary "+name, name, "opset4", nil, "f32"+row)
	}
	add("unary Round", "Round", "opset5", layertest.Attributes{"mode", "half_to_even"}, "f32"+row)
	add("unary HSigmoid", "HSigmoid", "opset5", nil, "f32"+row)
	add("unary SoftSign", "SoftSign", "opset9", nil, "f32"+row)
	add("unary Gelu", "Gelu", "opset7", nil, "f32"+row)
	add("unary ErfInv f64", "ErfInv", "opset17", nil, "f64"+row)
	add("unary IsNaN", "IsNaN", "opset10", nil, "f32"+row)
	add("unary LogicalNot", "LogicalNot", "opset1", nil, "boolean"+row)
	add("unary BitwiseNot", "BitwiseNot", "opset13", nil, "i64"+row)
	for _, name := range strings.Fields("Add Divide FloorMod Maximum Mod Power SquaredDifference Equal") {
		for _, t := range strings.Fields("f32 f64 f16 i8 i64") {
			add("eltwise "+name+" "+t, name, "opset1", nil, t+row, t+"[1]")
		}
	}
	add("eltwise Add same", "Add", "opset1", nil, "f32"+row, "f32"+row)
	add("eltwise Add rows", "Add", "opset1", nil, "f32"+rows, "f32[16384,1]")
	add("eltwise Add columns", "Add", "opset1", nil, "f32"+rows, "f32[16384]")
	add("eltwise LogicalAnd", "LogicalAnd", "opset1", nil, "boolean"+row, "boolean"+row)
	add("eltwise BitwiseAnd", "BitwiseAnd", "opset13", nil, "i8"+row, "i8"+row)
	add("eltwise shift", "BitwiseLeftShift", "opset15", nil, "i8"+row, "i8"+row)
	add("PRelu", "PRelu", "opset1", nil, "f32"+rows, "f32[16384]")
	add("HardSigmoid", "HardSigmoid", "opset1", nil, "f32"+row, "f32[]=0.2", "f32[]=0.5")
	add("Selu", "Selu", "opset1", nil, "f32"+row, "f32[]=0.2", "f32[]=0.5")
	add("FakeQuantize", "FakeQuantize", "opset1", layertest.Attributes{"levels", "256"}, "f32"+row, "f32[]=0", "f32[]=1", "f32[]=0", "f32[]=1")
	add("FakeQuantize f64 rows", "FakeQuantize", "opset1", layertest.Attributes{"levels", "256"}, "f64"+rows, "f64[16384,1]", "f64[16384]", "f64[]=0", "f64[]=1")
	add("Select", "Select", "opset1", nil, "boolean"+row, "f32"+row, "f32[1]")
	add("Select columns", "Select", "opset1", nil, "boolean[16384,1]", "i8"+rows, "i8[16384]")
	for _, to := range strings.Fields("f32 i8 i64 u4 boolean f16 nf4 u1") {
		add("Convert f32 to "+to, "Convert", "opset1", layertest.Attributes{"destination_type", to}, "f32"+row)
	}
	add("Convert u4 to f32", "Convert", "opset1", layertest.Attributes{"destination_type", "f32"}, "u4"+row)
	add("Convert f16 to i64", "Convert", "opset1", layertest.Attributes{"destination_type", "i64"}, "f16"+row)
	add("ConvertLike", "ConvertLike", "opset1", nil, "i64"+row, "f16[1]")
	for _, name := range strings.Fields("ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum") {
		for _, t := range strings.Fields("f32 f64 f16 i8 i64") {
			add(name+" "+t, name, "opset1", layertest.Attributes{"keep_dims", "false"}, t+row, "i64[1]=0")
		}
		add(name+" f32 columns", name, "opset1", layertest.Attributes{"keep_dims", "false"}, "f32[2,134217728]", "i64[1]=0")
		add(name+" f32 rows", name, "opset1", layertest.Attributes{"keep_dims", "false"}, "f32[134217728,2]", "i64[1]=1")
		add(name+" i8 steps", name, "opset1", layertest.Attributes{"keep_dims", "false"}, "i8[16,4096,16,256]", "i64[2]=0,2")
	}
	add("ReduceL2", "ReduceL2", "opset4", layertest.Attributes{"keep_dims", "false"}, "f32"+row, "i64[1]=0")
	add("ReduceL1 i8", "ReduceL1", "opset4", layertest.Attributes{"keep_dims", "false"}, "i8"+row, "i64[1]=0")
	add("ReduceLogicalAnd", "ReduceLogicalAnd", "opset1", layertest.Attributes{"keep_dims", "false"}, "boolean"+row, "i64[1]=0")
	for _, t := range strings.Fields("f32 f64 f16") {
		for shape, axis := range map[string]string{"[268435456]": "0", "[16,16777216]": "0", "[16777216,16]": "1"} {
			add("Softmax "+t+shape, "Softmax", "opset8", layertest.Attributes{"axis", axis}, t+shape)
			add("LogSoftmax "+t+shape, "LogSoftmax", "opset5", layertest.Attributes{"axis", axis}, t+shape)
			add("MVN "+t+shape, "MVN", "opset6", layertest.Attributes{"eps", "1e-5", "normalize_variance", "true", "eps_mode", "inside_sqrt"}, t+shape, "i64[1]="+axis)
			add("NormalizeL2 "+t+shape, "NormalizeL2", "opset1", layertest.Attributes{"eps", "1e-5", "eps_mode", "add"}, t+shape, "i64[1]="+axis)
		}
		add("BatchNorm "+t, "BatchNormInference", "opset5", layertest.Attributes{"epsilon", "1e-5"}, t+"[1,2,134217728]", t+"[2]", t+"[2]", t+"[2]", t+"[2]")
		add("BatchNorm channels "+t, "BatchNormInference", "opset5", layertest.Attributes{"epsilon", "1e-5"}, t+"[1,67108864,2]", t+"[67108864]", t+"[67108864]", t+"[67108864]", t+"[67108864]")
		add("GroupNorm "+t, "GroupNormalization", "opset12", layertest.Attributes{"num_groups", "1", "epsilon", "1e-5"}, t+"[1,2,134217728]", t+"[2]", t+"[2]")
		add("GRN "+t, "GRN", "opset1", layertest.Attributes{"bias", "1"}, t+"[1,2,134217728]")
		add("LRN columns "+t, "LRN", "opset1", layertest.Attributes{"alpha", "1", "beta", "0.75", "bias", "1", "size", "5"}, t+"[1,16,16777216]", "i64[1]=1")
		add("LRN rows "+t, "LRN", "opset1", layertest.Attributes{"alpha", "1", "beta", "0.6", "bias", "1", "size", "5"}, t+"[1,2,134217728]", "i64[1]=2")
		add("LRN huge "+t, "LRN", "opset1", layertest.Attributes{"alpha", "1", "beta", "0.75", "bias", "1", "size", "100001"}, t+"[1000000]", "i64[1]=0")
		add("AdaptiveAvgPool "+t, "AdaptiveAvgPool", "opset8", nil, t+"[1,1,16384,16384]", "i64[2]=1,1")
		add("AdaptiveAvgPool row "+t, "AdaptiveAvgPool", "opset8", nil, t+"[1,1,268435456]", "i64[1]=1")
		add("AdaptiveAvgPool parts "+t, "AdaptiveAvgPool", "opset8", nil, t+"[1,1,268435456]", "i64[1]=3")
		add("AdaptiveAvgPool grow "+t, "AdaptiveAvgPool", "opset8", nil, t+"[1,1,2]", "i64[1]=268435456")
		add("AdaptiveMaxPool "+t, "AdaptiveMaxPool", "opset8", layertest.Attributes{"index_element_type", "i64"}, t+"[1,1,268435456]", "i64[1]=1")
		add("AvgPool global "+t, "AvgPool", "opset1", pools("16384,16384"), t+"[1,1,16384,16384]")
		add("AvgPool row "+t, "AvgPool", "opset1", pools("1,268435456"), t+"[1,1,1,268435456]")
		add("AvgPool narrow "+t, "AvgPool", "opset1", pools("2,1"), t+"[1,1,2,134217728]")
		add("AvgPool small "+t, "AvgPool", "opset1", pools("2,2"), t+"[1,64,2048,2048]")
		for _, mode := range strings.Fields("nearest linear linear_onnx cubic bilinear_pillow bicubic_pillow") {
			for shape, to := range map[string]string{"[1,1,2,16777216]": "4,16777216", "[1,1,1,16777216]": "1,67108864", "[1,1,4096,4096]": "8192,8192", "[1,1,67108864,1]": "16777216,1", "[1,1,1,2]": "1,268435456", "[1,1,2,134217728]": "1,134217728"} {
				if strings.Contains(mode, "pillow") && t == "f64" {
					continue
				}
				add("Interpolate "+mode+" "+t+shape+" to "+to, "Interpolate", "opset11", interpolations(mode), t+shape, "i64[2]="+to, "i64[2]=2,3")
			}
		}
	}
	add("Interpolate antialias", "Interpolate", "opset11", layertest.Attributes{"mode", "linear", "shape_calculation_mode", "sizes", "antialias", "true"}, "f32[1,1,1,67108864]", "i64[1]=64", "i64[1]=3")
	for _, t := range strings.Fields("i8 u8 i32 i64") {
		add("Interpolate cubic "+t, "Interpolate", "opset11", interpolations("cubic"), t+"[1,1,4096,16384]", "i64[2]=8192,16384", "i64[2]=2,3")
		add("Interpolate nearest "+t, "Interpolate", "opset11", interpolations("nearest"), t+"[1,1,2,67108864]", "i64[2]=3,67108864", "i64[2]=2,3")
	}
	add("Interpolate nearest blocks", "Interpolate", "opset11", interpolations("nearest"), "f32[1,2,134217728]", "i64[1]=3", "i64[1]=1")
	for _, t := range strings.Fields("f32 i8 i64 u4 u3") {
		add("MaxPool small "+t, "MaxPool", "opset8", poolsOf("2,2"), t+"[1,64,2048,2048]")
		add("MaxPool row "+t, "MaxPool", "opset8", poolsOf("1,268435456"), t+"[1,1,1,268435456]")
		if strings.HasPrefix(t, "u") {
			delete(cases, "MaxPool small "+t)
			delete(cases, "MaxPool row "+t)
		}
		add("Broadcast "+t, "Broadcast", "opset3", layertest.Attributes{"mode", "numpy"}, t+"[1]", "i64[1]=268435456")
		add("Broadcast rows "+t, "Broadcast", "opset3", layertest.Attributes{"mode", "numpy"}, t+"[16384,1]", "i64[2]=16384,16384")
		add("Tile "+t, "Tile", "opset1", nil, t+"[16384]", "i64[1]=16384")
		add("Tile halves "+t, "Tile", "opset1", nil, t+"[134217728]", "i64[1]=2")
		add("Concat "+t, "Concat", "opset1", layertest.Attributes{"axis", "0"}, t+"[134217728]", t+"[134217727]")
		add("Concat columns "+t, "Concat", "opset1", layertest.Attributes{"axis", "1"}, t+"[134217728,1]", t+"[134217728,1]")
		add("Transpose "+t, "Transpose", "opset1", nil, t+rows, "i64[2]=1,0")
		add("Transpose blocks "+t, "Transpose", "opset1", nil, t+"[2,2,67108864]", "i64[3]=1,0,2")
		add("Split "+t, "Split", "opset1", layertest.Attributes{"num_splits", "2"}, t+"[134217728,2]", "i64[]=1")
		add("VariadicSplit "+t, "VariadicSplit", "opset1", nil, t+"[268435456]", "i64[]=0", "i64[2]=3,-1")
		add("StridedSlice "+t, "StridedSlice", "opset1", layertest.Attributes{"begin_mask", "0", "end_mask", "0"}, t+row, "i64[1]=1", "i64[1]=268435455", "i64[1]=2")
		add("Slice "+t, "Slice", "opset8", nil, t+row, "i64[1]=1", "i64[1]=268435455", "i64[1]=1")
		add("Slice back "+t, "Slice", "opset8", nil, t+row, "i64[1]=-1", "i64[1]=-268435456", "i64[1]=-1")
		add("SliceScatter "+t, "SliceScatter", "opset15", nil, t+row, t+"[134217728]", "i64[1]=0", "i64[1]=268435456", "i64[1]=2")
		add("Pad constant "+t, "Pad", "opset12", layertest.Attributes{"pad_mode", "constant"}, t+row, "i64[1]=1", "i64[1]=1", t+"[]=0")
		add("Pad long "+t, "Pad", "opset12", layertest.Attributes{"pad_mode", "constant"}, t+"[1]", "i64[1]=1", "i64[1]=268435456", t+"[]=0")
		add("Pad reflect "+t, "Pad", "opset12", layertest.Attributes{"pad_mode", "reflect"}, t+"[134217728]", "i64[1]=134217727", "i64[1]=1")
		add("Pad edge "+t, "Pad", "opset12", layertest.Attributes{"pad_mode", "edge"}, t+"[2]", "i64[1]=1", "i64[1]=268435456")
		add("Gather one "+t, "Gather", "opset8", nil, t+"[268435456]", "i64[134217728]", "i64[]=0")
		add("Gather rows "+t, "Gather", "opset8", nil, t+"[2,67108864]", "i64[3]", "i64[]=0")
		add("Gather outer "+t, "Gather", "opset8", nil, t+"[134217728,2]", "i64[2]", "i64[]=1")
		add("Gather wide "+t, "Gather", "opset8", nil, t+"[4096,65536]", "i64[4096]", "i64[]=0")
		add("GatherElements "+t, "GatherElements", "opset6", layertest.Attributes{"axis", "0"}, t+"[134217728]", "i64[134217728]")
		add("GatherElements rows "+t, "GatherElements", "opset6", layertest.Attributes{"axis", "1"}, t+"[2,67108864]", "i32[2,67108864]")
		add("GatherND "+t, "GatherND", "opset8", nil, t+"[134217728]", "i64[134217728,1]")
		add("GatherND rows "+t, "GatherND", "opset8", nil, t+"[2,67108864]", "i64[3,1]")
		add("ScatterUpdate "+t, "ScatterUpdate", "opset3", nil, t+"[134217728]", "i64[134217728]", t+"[134217728]", "i64[]=0")
		add("ScatterUpdate rows "+t, "ScatterUpdate", "opset3", nil, t+"[2,67108864]", "i64[3]", t+"[3,67108864]", "i64[]=0")
		add("ScatterNDUpdate "+t, "ScatterNDUpdate", "opset3", nil, t+"[134217728]", "i64[134217728,1]", t+"[134217728]")
		add("ScatterNDUpdate rows "+t, "ScatterNDUpdate", "opset3", nil, t+"[2,67108864]", "i64[3,1]", t+"[3,67108864]")
		add("ScatterElementsUpdate "+t, "ScatterElementsUpdate", "opset3", nil, t+"[134217728]", "i64[134217728]", t+"[134217728]", "i64[]=0")
		add("ScatterElementsUpdate few "+t, "ScatterElementsUpdate", "opset3", nil, t+"[268435456]", "i64[2]", t+"[2]", "i64[]=0")
		if t == "u4" || t == "u3" {
			continue
		}
		add("ScatterNDUpdate sum "+t, "ScatterNDUpdate", "opset15", layertest.Attributes{"reduction", "sum"}, t+"[134217728]", "i64[134217728,1]", t+"[134217728]")
		add("ScatterElementsUpdate sum "+t, "ScatterElementsUpdate", "opset12", layertest.Attributes{"reduction", "sum", "use_init_val", "true"}, t+"[134217728]", "i64[134217728]", t+"[134217728]", "i64[]=0")
		add("ScatterElementsUpdate mean "+t, "ScatterElementsUpdate", "opset12", layertest.Attributes{"reduction", "mean", "use_init_val", "true"}, t+"[2,67108864]", "i64[2,67108864]", t+"[2,67108864]", "i64[]=1")
		add("NonZero "+t, "NonZero", "opset3", layertest.Attributes{"output_type", "i64"}, t+row)
		add("Range "+t, "Range", "opset4", layertest.Attributes{"output_type", t}, "i64[]=0", "i64[]=268435456", "i64[]=1")
	}
	add("Identity", "Identity", "opset16", nil, "f32"+row)
	add("Reshape", "Reshape", "opset1", nil, "f32"+row, "i64[1]=-1")
	add("Assign", "Assign", "opset6", layertest.Attributes{"variable_id", "v"}, "f32"+row)
	for _, t := range strings.Fields("f32 f64 f16") {
		add("Convolution linear "+t, "Convolution", "opset1", windows, t+"[1,2,8192,8192]", t+"[2,2,1,1]")
		add("Convolution row "+t, "Convolution", "opset1", windows, t+"[1,1,1,134217728]", t+"[1,1,1,3]")
		add("Convolution long "+t, "Convolution", "opset1", windows, t+"[1,1,1,67108864]", t+"[1,1,1,67108864]")
		add("Convolution constant "+t, "Convolution", "opset1", windows, t+"[1,1024,32,32]", t+"[16384,1024,3,3]")
		add("Convolution batch "+t, "Convolution", "opset1", windows, t+"[67108864,1,1,1]", t+"[1,1,1,1]")
		add("Convolution channels "+t, "Convolution", "opset1", windows, t+"[1,67108864,1,1]", t+"[1,67108864,1,1]")
		add("GroupConvolution row "+t, "GroupConvolution", "opset1", windows, t+"[1,1,1,134217728]", t+"[1,1,1,1,3]")
		add("GroupConvolution long "+t, "GroupConvolution", "opset1", windows, t+"[1,1,1,67108864]", t+"[1,1,1,1,33554432]")
		add("GroupConvolution pads "+t, "GroupConvolution", "opset1", layertest.Attributes{"strides", "1,1", "dilations", "1,1", "pads_begin", "0,33554431", "pads_end", "0,33554431", "auto_pad", "explicit"}, t+"[1,1,1,3]", t+"[1,1,1,1,33554432]")
		add("GroupConvolution many "+t, "GroupConvolution", "opset1", windows, t+"[1,16777216,3,3]", t+"[16777216,1,1,3,3]")
		add("Backprop row "+t, "ConvolutionBackpropData", "opset1", windows, t+"[1,1,1,134217728]", t+"[1,1,1,3]")
		add("Backprop long "+t, "ConvolutionBackpropData", "opset1", windows, t+"[1,1,1,33554432]", t+"[1,1,1,33554432]")
		add("Backprop strides "+t, "ConvolutionBackpropData", "opset1", layertest.Attributes{"strides", "1,1000", "dilations", "1,1", "pads_begin", "0,0", "pads_end", "0,0", "auto_pad", "explicit"}, t+"[1,1,1,200000]", t+"[1,1,1,3]")
		add("Backprop channels "+t, "ConvolutionBackpropData", "opset1", windows, t+"[1,67108864,1,1]", t+"[67108864,1,1,1]")
		add("MatMul row "+t, "MatMul", "opset1", nil, t+"[1,67108864]", t+"[67108864,1]")
		add("MatMul outer "+t, "MatMul", "opset1", nil, t+"[16384,1]", t+"[1,16384]")
		add("MatMul vector "+t, "MatMul", "opset1", nil, t+"[1,16384]", t+rows)
		add("MatMul transposed "+t, "MatMul", "opset1", layertest.Attributes{"transpose_a", "true", "transpose_b", "true"}, t+"[16384,3]", t+"[16384,16384]")
		add("MatMul batches small "+t, "MatMul", "opset1", nil, t+"[33554432,2,2]", t+"[33554432,2,2]")
	}
	return cases
}
