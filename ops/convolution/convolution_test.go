package convolution

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

func inferShapes(t *testing.T, data, filters string, attributes ...ir.Attribute) (*ir.Inference, error) {
	t.Helper()
	at, err := parse(ir.AttributesOf(&ir.Layer{Data: attributes}))
	if err != nil {
		return nil, err
	}
	in := &ir.Inference{Attributes: at, Outputs: make([]ir.Fact, 1)}
	for _, text := range []string{data, filters} {
		s, err := ir.ParsePartialShape(text)
		require.NoError(t, err)
		in.Inputs = append(in.Inputs, ir.Fact{Type: ir.F32, Shape: s})
	}
	return in, infer(in)
}

func TestInfer(t *testing.T) {
	for _, c := range []struct{ data, filters, want string }{
		{"[1,3,224,224]", "[64,3,7,7]", "[1,64,218,218]"},
		{"[?,?,?]", "[2,3,3]", "[?,2,1..]"},
		{"[1..3,3,4,5]", "[?,3,1..2,1]", "[1..3,?,3..4,5]"},
		{"[...]", "[2,3,3]", "[?,2,1..]"},
		{"[2,3,9]", "[...]", "[2,?,1..9]"},
		{"[...]", "[...]", "[...]"},
	} {
		in, err := inferShapes(t, c.data, c.filters)
		require.NoError(t, err, "%v", c)
		assert.Equal(t, c.want, in.Outputs[0].Shape.String(), "%v", c)
	}
}

func TestInferRefuses(t *testing.T) {
	for _, c := range []struct {
		data, filters string
		attribute     ir.Attribute
		want          string
	}{
		{"[1,3,5]", "[2,4,3]", ir.Attribute{}, "has 3 channels, filters [2,4,3] has 4"},
		{"[1,3,5]", "[2,3,3,3]", ir.Attribute{}, "the ranks differ"},
		{"[1,3]", "[2,3]", ir.Attribute{}, "a rank from 3 to 5"},
		{"[1,3,2]", "[2,3,3]", ir.Attribute{}, "window of 3 elements"},
		{"[1,3,5]", "[2,3,3]", ir.Attribute{Name: "strides", Value: "0"}, "strides: 0 is outside"},
		{"[1,3,5]", "[2,3,3]", ir.Attribute{Name: "strides", Value: "1,1"}, "strides has 2 elements for 1 spatial axes"},
		{"[1,3,5]", "[2,3,3]", ir.Attribute{Name: "dilations", Value: "-1"}, "dilations: -1 is outside"},
		{"[1,3,5]", "[2,3,3]", ir.Attribute{Name: "auto_pad", Value: "some"}, "auto_pad"},
	} {
		_, err := inferShapes(t, c.data, c.filters, c.attribute)
		assert.ErrorContains(t, err, c.want)
	}
}

// reference computes by the definition, coordinate by coordinate.
func reference(g *geometry, data, filters []float64) []float64 {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	var out []float64
	for i := range g.batch * g.outChannels * g.outputPlane() {
		ox, oy, oz := i%x.Output, i/x.Output%y.Output, i/x.Output/y.Output%z.Output
		o, n := i/g.outputPlane()%g.outChannels, i/g.outputPlane()/g.outChannels
		total := 0.0
		for k := range g.inChannels * z.Kernel * y.Kernel * x.Kernel {
			kx, ky, kz, c := k%x.Kernel, k/x.Kernel%y.Kernel, k/x.Kernel/y.Kernel%z.Kernel, k/x.Kernel/y.Kernel/z.Kernel
			ix, iy, iz := ox*x.Stride+kx*x.Dilation-x.PadBegin, oy*y.Stride+ky*y.Dilation-y.PadBegin, oz*z.Stride+kz*z.Dilation-z.PadBegin
			if ix < 0 || iy < 0 || iz < 0 || ix >= x.Input || iy >= y.Input || iz >= z.Input {
				continue
			}
			filter := filters[o*g.inChannels*z.Kernel*y.Kernel*x.Kernel+k]
			total += filter * data[(((n*g.inChannels+c)*z.Input+iz)*y.Input+iy)*x.Input+ix]
		}
		out = append(out, total)
	}
	return out
}

func TestKernelAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(lo, hi, n int) string {
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprint(lo + rng.IntN(hi-lo+1))
		}
		return strings.Join(items, ",")
	}
	accepted := 0
	for range 400 {
		spatial := 1 + rng.IntN(3)
		channels := 1 + rng.IntN(3)
		data := fmt.Sprintf("%d,%d,%s", 1+rng.IntN(2), channels, pick(1, 6, spatial))
		filters := fmt.Sprintf("%d,%d,%s", 1+rng.IntN(3), channels, pick(1, 3, spatial))
		in, err := inferShapes(t, data, filters,
			ir.Attribute{Name: "strides", Value: pick(1, 3, spatial)}, ir.Attribute{Name: "dilations", Value: pick(1, 2, spatial)},
			ir.Attribute{Name: "pads_begin", Value: pick(-1, 2, spatial)}, ir.Attribute{Name: "pads_end", Value: pick(0, 2, spatial)},
			ir.Attribute{Name: "auto_pad", Value: []string{"explicit", "same_upper", "same_lower", "valid"}[rng.IntN(4)]})
		if err != nil {
			continue // the window does not fit
		}
		accepted++
		for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 0, ir.F32: 0, ir.F16: 0, ir.BF16: 1} {
			checkKernel(t, rng, in, elementType, tolerance)
		}
	}
	assert.Greater(t, accepted, 100)
}

// checkKernel compares whole numbers, which f32 and f16 hold exactly.
func checkKernel(t *testing.T, rng *rand.Rand, in *ir.Inference, elementType ir.ElementType, tolerance float64) {
	t.Helper()
	in.Outputs[0].Type = elementType
	p := &ops.Preparation{Attributes: in.Attributes, Inputs: in.Inputs, Outputs: in.Outputs}
	kernel, err := prepare(p)
	require.NoError(t, err)
	var tensors [3]*ir.Tensor
	var values [2][]float64
	var shapes [3]ir.Shape
	for i, fact := range []ir.Fact{in.Inputs[0], in.Inputs[1], in.Outputs[0]} {
		shapes[i], err = fact.Shape.Static()
		require.NoError(t, err)
		tensors[i], err = ir.NewTensor(elementType, shapes[i]...)
		require.NoError(t, err)
		if i < 2 {
			values[i] = make([]float64, tensors[i].Len())
			for j := range values[i] {
				values[i][j] = float64(rng.IntN(7) - 3)
				set(tensors[i], j, values[i][j])
			}
		}
	}
	require.NoError(t, kernel(&ops.Run{
		Inputs: tensors[:2], Outputs: tensors[2:], Scratch: ir.AlignedBytes(p.ScratchBytes), Pool: parallel.New(2),
	}))
	g := newGeometry(in.Attributes.(*window.Attributes), shapes[0], shapes[1], shapes[2])
	for j, want := range reference(&g, values[0], values[1]) {
		require.InDelta(t, want, get(tensors[2], j), tolerance, "%v %+v element %d", elementType, g, j)
	}
}

func set(t *ir.Tensor, i int, v float64) {
	switch t.ElementType() {
	case ir.F64:
		ir.Data[float64](t)[i] = v
	case ir.F32:
		ir.Data[float32](t)[i] = float32(v)
	case ir.F16:
		ir.Data[uint16](t)[i] = half.F32ToF16(float32(v))
	case ir.BF16:
		ir.Data[half.BFloat16](t)[i] = half.BFloat16Of(float32(v))
	}
}

func get(t *ir.Tensor, i int) float64 {
	switch t.ElementType() {
	case ir.F64:
		return ir.Data[float64](t)[i]
	case ir.F32:
		return float64(ir.Data[float32](t)[i])
	case ir.F16:
		return float64(half.F16ToF32(ir.Data[uint16](t)[i]))
	}
	return float64(ir.Data[half.BFloat16](t)[i].Float32())
}
