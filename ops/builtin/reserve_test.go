package builtin

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// tabled is a layer whose kernel keeps tables that grow with its shapes.
type tabled struct {
	name       string
	layerType  string
	version    int
	attributes layertest.Attributes
	inputs     []string        // as for layertest.Fact
	values     map[int][]int64 // of i64 inputs
}

func tabledLayers() []tabled {
	window := layertest.Attributes{"strides", "1,1", "pads_begin", "1,1", "pads_end", "1,1", "dilations", "1,1"}
	pool := append(layertest.Attributes{"kernel", "3,3", "exclude-pad", "true"}, window...)
	list := []tabled{
		{"rows of a tall image", "AvgPool", 1, pool, []string{"f32[1,1,100000,4]"}, nil},
		{"columns of a wide image", "AvgPool", 1, pool, []string{"f32[1,1,4,100000]"}, nil},
		{"planes", "AvgPool", 1, layertest.Attributes{"kernel", "3,3,3", "exclude-pad", "true", "strides", "1,1,1", "pads_begin", "1,1,1", "pads_end", "1,1,1"},
			[]string{"f32[1,1,200,200,4]"}, nil},
		{"rows", "MaxPool", 1, pool, []string{"f32[1,1,100000,4]"}, nil},
		{"deep", "Convolution", 1, window, []string{"f32[1,20000,4,4]", "f32[2,20000,3,3]"}, nil},
		{"wide window", "Convolution", 1, window, []string{"f32[1,1,4,20000]", "f32[2,1,1,9000]"}, nil},
		{"groups of one channel", "GroupConvolution", 1, window, []string{"f32[1,4,50000,4]", "f32[4,1,1,3,3]"}, nil},
		{"groups, wide", "GroupConvolution", 1, window, []string{"f32[1,4,4,50000]", "f32[4,1,1,3,3]"}, nil},
		{"window of a group", "GroupConvolution", 1, window, []string{"f32[1,4,300,300]", "f32[4,1,1,200,200]"}, nil},
		{"transposed", "ConvolutionBackpropData", 1, layertest.Attributes{"strides", "2,2", "pads_begin", "0,0", "pads_end", "0,0", "dilations", "1,1"},
			[]string{"f32[1,20000,4,4]", "f32[20000,2,3,3]"}, nil},
		{"phases", "ConvolutionBackpropData", 1, layertest.Attributes{"strides", "60,60", "pads_begin", "0,0", "pads_end", "0,0", "dilations", "1,1"},
			[]string{"f32[1,2,4,4]", "f32[2,2,60,60]"}, nil},
		{"chunks", "ReduceSum", 1, layertest.Attributes{"keep_dims", "true"}, []string{"f32[40000001]", "i64[1]"}, map[int][]int64{1: {0}}},
	}
	for _, mode := range []string{"nearest", "linear", "linear_onnx", "cubic", "bilinear_pillow", "bicubic_pillow"} {
		for _, antialias := range []string{"false", "true"} {
			for image, sizes := range map[string][]int64{
				"f32[1,1,4,50000]": {4, 100003}, "f32[1,1,50000,4]": {100003, 9}, "u8[1,1,4,50000]": {4, 100003},
				"f64[1,1,50000,4]": {100003, 9}, "f32[1,1,4,100000]": {5, 30001}, "f32[1,1,100000,3]": {30001, 3},
			} {
				at := layertest.Attributes{"mode", mode, "shape_calculation_mode", "sizes", "antialias", antialias}
				list = append(list, tabled{fmt.Sprint(mode, " ", image, " antialias ", antialias), "Interpolate", 11, at,
					[]string{image, "i64[2]", "i64[2]"}, map[int][]int64{1: sizes, 2: {2, 3}}})
			}
		}
	}
	return list
}

// prepare prepares the layer. It returns nil if its shape rule or Prepare refuses it.
func (l *tabled) prepare(t *testing.T, charge func(int64) error) (*ops.Single, error) {
	all := Ops()
	i := slices.IndexFunc(all, func(op ops.Op) bool { return op.Type == l.layerType && op.Version == l.version })
	require.GreaterOrEqual(t, i, 0)
	op := &all[i]
	in := &ops.Inference{Layer: &ir.Layer{Type: op.Type, Data: l.attributes.Data()}, Outputs: make([]ir.Fact, 1)}
	for i, text := range l.inputs {
		fact := layertest.Fact(t, text)
		if values := l.values[i]; values != nil {
			var err error
			fact.Tensor, err = ir.TensorOfInts(ir.I64, ir.Shape{len(values)}, values)
			require.NoError(t, err)
		}
		in.Inputs = append(in.Inputs, fact)
	}
	return ops.NewSingle(op, in, ops.SingleOptions{Threads: 2, MaxScratchBytes: 1 << 40, Charge: charge})
}

// TestReserve checks that kernels reserve at least the memory that they keep.
func TestReserve(t *testing.T) {
	for _, l := range tabledLayers() {
		t.Run(l.layerType+" "+l.name, func(t *testing.T) {
			reserved := int64(0)
			before := heap()
			single, err := l.prepare(t, func(n int64) error { reserved += n; return nil })
			if err != nil && strings.Contains(err.Error(), "has no kernel") {
				t.Skip(err)
			}
			require.NoError(t, err)
			kept := heap() - before
			runtime.KeepAlive(single)
			assert.LessOrEqual(t, kept, reserved+small)
			if reserved < 4*small {
				return
			}
			// A limit that is too low is an error before most of the memory is taken.
			var from, to runtime.MemStats
			runtime.ReadMemStats(&from)
			_, err = l.prepare(t, ops.UpTo(small))
			runtime.ReadMemStats(&to)
			require.ErrorContains(t, err, "together more than the limit")
			assert.Less(t, to.TotalAlloc-from.TotalAlloc, uint64(2*small))
		})
	}
}

// small is the memory in bytes of a kernel that does not grow with the shapes.
const small = 64 << 10

// heap returns the bytes that are reachable.
func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
