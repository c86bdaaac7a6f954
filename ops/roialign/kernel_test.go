package roialign

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// testLayer is a layer with its inputs.
type testLayer struct {
	op               *ops.Op
	mode, aligned    string
	clockwise        bool
	scale            float64
	pooledH, pooledW int
	ratio            int
	data             ir.Shape
	// a sample is near the place where it becomes 0, or at it but for rounding
	near, edge            bool
	values, rois, batches []float64
}

func (l *testLayer) attributes() layertest.Attributes {
	return layertest.Attributes{
		"pooled_h", strconv.Itoa(l.pooledH), "pooled_w", strconv.Itoa(l.pooledW), "sampling_ratio", strconv.Itoa(l.ratio),
		"spatial_scale", strconv.FormatFloat(l.scale, 'g', -1, 64), "mode", l.mode, "aligned_mode", l.aligned,
		"clockwise_mode", strconv.FormatBool(l.clockwise),
	}
}

func (l *testLayer) rotated() bool { return l.op.Type == "ROIAlignRotated" }

func (l *testLayer) coordinates() int {
	if l.rotated() {
		return 5
	}
	return 4
}

// sample interpolates a plane at a position.
func (l *testLayer) sample(plane []float64, y, x float64) float64 {
	h, w := l.data[2], l.data[3]
	for _, d := range []float64{y + 1, x + 1, y - float64(h), x - float64(w)} {
		l.near, l.edge = l.near || math.Abs(d) < 1e-3, l.edge || math.Abs(d) < 1e-9
	}
	if y < -1 || y > float64(h) || x < -1 || x > float64(w) {
		return 0
	}
	y, x = min(max(y, 0), float64(h-1)), min(max(x, 0), float64(w-1))
	sum := 0.0
	for i := range h {
		for j := range w {
			sum += max(1-math.Abs(y-float64(i)), 0) * max(1-math.Abs(x-float64(j)), 0) * plane[i*w+j]
		}
	}
	return sum
}

// box returns the corner and the size of a region in the image.
func (l *testLayer) box(roi []float64) (y, x, height, width float64) {
	if l.rotated() {
		width, height = roi[2]*l.scale, roi[3]*l.scale
		return -height / 2, -width / 2, height, width
	}
	before, after := 0.0, 0.0
	switch l.aligned {
	case "half_pixel":
		before, after = 0.5, -0.5
	case "half_pixel_for_nn":
		after = -0.5
	}
	x, y = (roi[0]+before)*l.scale+after, (roi[1]+before)*l.scale+after
	width, height = (roi[2]+before)*l.scale+after-x, (roi[3]+before)*l.scale+after-y
	if l.aligned == "asymmetric" {
		width, height = max(width, 1), max(height, 1)
	}
	return y, x, height, width
}

// bin returns bin i, j of a region for one channel.
func (l *testLayer) bin(plane, roi []float64, i, j int) float64 {
	y, x, height, width := l.box(roi)
	height, width = height/float64(l.pooledH), width/float64(l.pooledW)
	ny, nx := l.ratio, l.ratio
	if l.ratio == 0 {
		ny, nx = int(math.Ceil(height)), int(math.Ceil(width))
	}
	sum, greatest := 0.0, 0.0
	for a := range max(ny, 0) {
		for b := range max(nx, 0) {
			py := y + float64(i)*height + height/float64(ny)*(float64(a)+0.5)
			px := x + float64(j)*width + width/float64(nx)*(float64(b)+0.5)
			if l.rotated() {
				angle := roi[4]
				if l.clockwise {
					angle = -angle
				}
				cos, sin := math.Cos(angle), math.Sin(angle)
				py, px = py*cos-px*sin+roi[1]*l.scale-0.5, py*sin+px*cos+roi[0]*l.scale-0.5
			}
			v := l.sample(plane, py, px)
			sum, greatest = sum+v/float64(ny)/float64(nx), max(greatest, v)
		}
	}
	if l.mode == "max" && !l.rotated() {
		return greatest
	}
	return sum
}

func (l *testLayer) reference() []float64 {
	var out []float64
	plane := l.data[2] * l.data[3]
	ended := false
	for r, n := range l.batches {
		ended = ended || n < 0
		for c := range l.data[1] {
			for i := range l.pooledH {
				for j := range l.pooledW {
					v := 0.0
					if !ended && plane > 0 {
						v = l.bin(l.values[(int(n)*l.data[1]+c)*plane:][:plane], l.rois[r*l.coordinates():], i, j)
					}
					out = append(out, v)
				}
			}
		}
	}
	return out
}

var (
	alignedModes = []string{"asymmetric", "half_pixel", "half_pixel_for_nn"}
	modes        = []string{"avg", "max"}
)

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 150, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 41))
	l := &testLayer{
		op: &Ops[rng.IntN(3)], mode: modes[rng.IntN(2)], aligned: "asymmetric", clockwise: rng.IntN(2) == 0,
		scale: []float64{0.25, 0.5, 1, 1.5}[rng.IntN(4)], pooledH: 1 + rng.IntN(4), pooledW: 1 + rng.IntN(8), ratio: rng.IntN(5) - 1,
		data: ir.Shape{1 + rng.IntN(2), rng.IntN(20), rng.IntN(12), rng.IntN(12)},
	}
	if l.op.Version == 9 {
		l.aligned = alignedModes[rng.IntN(3)]
	}
	if rng.IntN(4) == 0 {
		l.ratio = 20
	}
	l.values = layertest.RandomNumbers(rng, 40, 0.25, l.data.Elements())
	regions := rng.IntN(4)
	l.rois = layertest.RandomNumbers(rng, 60, 0.25, regions*l.coordinates())
	for r := range regions {
		l.batches = append(l.batches, float64(rng.IntN(l.data[0])))
		if roi := l.rois[r*l.coordinates():]; l.rotated() {
			roi[2], roi[3] = math.Abs(roi[2]), math.Abs(roi[3])
		}
	}
	if regions > 0 && rng.IntN(5) == 0 {
		l.batches[rng.IntN(regions)] = -1
	}
	want := l.reference()
	// Positions are exact in all types if the numbers of bins and samples are powers of two.
	exact := !l.rotated() && l.pooledH&(l.pooledH-1) == 0 && l.pooledW&(l.pooledW-1) == 0 && l.ratio != 0 && l.ratio&(l.ratio-1) == 0
	shape := ir.Shape{regions, l.data[1], l.pooledH, l.pooledW}
	indexType := []ir.ElementType{ir.I32, ir.I64, ir.I8}[rng.IntN(3)]
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-9, ir.F32: 2e-4, ir.F16: 2e-2, ir.BF16: 0.1} {
		if !exact && (elementType != ir.F64 && l.near || l.edge) {
			continue
		}
		rois := layertest.Numbers(t, elementType, ir.Shape{regions, l.coordinates()}, l.rois...)
		layertest.CheckNear(t, l.op, l.attributes(), shape, want, tolerance, layertest.Numbers(t, elementType, l.data, l.values...), rois,
			layertest.Numbers(t, indexType, ir.Shape{regions}, l.batches...))
	}
}

// TestKernel_borders has values of OpenVINO for regions that are reversed, outside, or points.
func TestKernel_borders(t *testing.T) {
	values := make([]float64, 20)
	for i := range values {
		values[i] = float64(i) - 30
	}
	rois := []float64{0, 0, 3, 3, 3, 3, 0, 0, -5, -5, -3, -3, 1, 1, 1, 1, 3, 1, 9, 9}
	for _, c := range []struct {
		mode, aligned string
		ratio         int
		add           float64
		want          []float64
	}{
		{"avg", "asymmetric", 0, 0, []float64{-25.5, -24, -18, -16.5, -11.75, -11.25, -11.75, -11.25, 0, 0, 0, 0, -22.5, -22, -20, -19.5, -7.291667, 0, 0, 0}},
		{"avg", "half_pixel", 2, 0, []float64{-25.5, -24, -18, -16.5, -16.5, -18, -24, -25.5, 0, 0, 0, 0, -24, -24, -24, -24, -6.875, 0, 0, 0}},
		{"avg", "half_pixel_for_nn", 2, 0, []float64{-28.125, -26.6875, -20.9375, -19.5, -19.5, -20.9375, -26.6875, -28.125, 0, 0, 0, 0, -27, -27, -27, -27, -15.125, 0, 0, 0}},
		{"max", "asymmetric", 2, 0, make([]float64, 20)},
		{"max", "half_pixel", 0, 40, []float64{16.75, 18.25, 24.25, 25.75, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 29, 0, 0, 0}},
		// The CPU plugin divides 0 by 0 for the fourth region. OpenVINO's reference adds no
		// samples.
		{"avg", "half_pixel", 0, 0, []float64{-25.5, -24, -18, -16.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -7.291667, 0, 0, 0}},
	} {
		data := make([]float64, 20)
		for i := range data {
			data[i] = values[i] + c.add
		}
		l := &testLayer{op: &Ops[1], mode: c.mode, aligned: c.aligned, scale: 1, pooledH: 2, pooledW: 2, ratio: c.ratio}
		layertest.CheckNear(t, l.op, l.attributes(), ir.Shape{5, 1, 2, 2}, c.want, 1e-5,
			layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 4, 5}, data...), layertest.Numbers(t, ir.F32, ir.Shape{5, 4}, rois...), layertest.Ints(t, ir.I32, ir.Shape{5}, 0, 0, 0, 0, 0))
	}
}

// TestKernel_far has regions that would have far more samples than anybody can compute, and
// coordinates that are not finite.
func TestKernel_far(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ones := make([]float64, 6*7*5)
	for i := range ones {
		ones[i] = 1
	}
	for _, c := range []struct {
		roi  []float64
		want float64
	}{
		{[]float64{0, 0, 1e30, 1e30}, 0},
		{[]float64{-1e30, 0, 1e30, 5}, 0},
		// of all samples, so many are near the image
		{[]float64{-1e4, -1e4, 1e4, 1e4}, 7 * 8 / 4e8},
		{[]float64{nan, 0, 3, 3}, nan},
		{[]float64{-inf, 0, 3, 3}, nan},
		{[]float64{0, 0, 3, nan}, nan},
		{[]float64{0, 0, 3, inf}, nan},
	} {
		for _, mode := range modes {
			l := &testLayer{op: &Ops[1], mode: mode, aligned: "half_pixel", scale: 1, pooledH: 1, pooledW: 1}
			got, err := layertest.Run(l.op, l.attributes(), 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 5, 6, 7}, ones...),
				layertest.Numbers(t, ir.F32, ir.Shape{1, 4}, c.roi...), layertest.Ints(t, ir.I64, ir.Shape{1}, 0))
			require.NoError(t, err)
			v := layertest.Floats(t, got)[0]
			switch {
			case math.IsNaN(c.want):
				require.True(t, math.IsNaN(v), "%v", c.roi)
			case mode == "avg":
				require.InDelta(t, c.want, v, 1e-3*c.want, "%v", c.roi)
			case c.want > 0:
				require.Equal(t, 1.0, v, "%v", c.roi)
			}
		}
	}
	for _, roi := range [][]float64{{0, 0, 1e30, 1e30, 0.3}, {3, 3, 1e9, 1e4, 1}, {nan, 0, 3, 3, 0}, {0, 0, 3, 3, inf}, {0, 0, inf, 3, 1}, {0, 0, -1e9, 1e9, 1}} {
		l := &testLayer{op: &Ops[2], scale: 1, pooledH: 2, pooledW: 3}
		_, err := layertest.Run(l.op, l.attributes(), 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 5, 6, 7}, ones...),
			layertest.Numbers(t, ir.F32, ir.Shape{1, 5}, roi...), layertest.Ints(t, ir.I64, ir.Shape{1}, 0))
		require.NoError(t, err)
	}
}

// FuzzRegion has arbitrary coordinates.
func FuzzRegion(f *testing.F) {
	for _, v := range []float32{0, 3, -1e9, 1e38, float32(math.Inf(1)), float32(math.NaN()), 1e-40} {
		f.Add(math.Float32bits(v), math.Float32bits(-v), uint32(0), math.Float32bits(5), uint32(7), uint8(3), uint8(0))
	}
	f.Fuzz(func(t *testing.T, a, b, c, d, e uint32, size, kind uint8) {
		l := &testLayer{
			op: &Ops[kind%3], mode: modes[kind/3%2], aligned: alignedModes[kind/6%3], scale: 0.5,
			pooledH: 1 + int(size%3), pooledW: 1 + int(size/3%3), ratio: int(kind / 18 % 3), data: ir.Shape{1, 5, 4, 6},
		}
		var roi []float64
		for _, bits := range []uint32{a, b, c, d, e}[:l.coordinates()] {
			roi = append(roi, float64(math.Float32frombits(bits)))
		}
		_, err := layertest.Run(l.op, l.attributes(), 1, layertest.Numbers(t, ir.F32, l.data), layertest.Numbers(t, ir.F32, ir.Shape{1, len(roi)}, roi...),
			layertest.Ints(t, ir.I64, ir.Shape{1}, 0))
		require.NoError(t, err)
	})
}

func TestKernel_errors(t *testing.T) {
	data := layertest.Numbers(t, ir.F32, ir.Shape{2, 3, 4, 5})
	rois := layertest.Numbers(t, ir.F32, ir.Shape{2, 4})
	for _, c := range []struct {
		batches *ir.Tensor
		ratio   int
		want    string
	}{
		{layertest.Ints(t, ir.I32, ir.Shape{2}, 0, 2), 1, "batch_indices[1] is 2, data has 2 images"},
		{layertest.Ints(t, ir.I64, ir.Shape{2}, -2, 0), 1, "batch_indices[0] is -2, data has 2 images"},
		{layertest.Ints(t, ir.U64, ir.Shape{2}, math.MaxInt64, 0), 1, "batch_indices[0] is 9223372036854775807, data has 2 images"},
		{layertest.Counted(t, ir.U4, 2), 1, "ROIAlign-9 has no kernel for input 2 of type u4, only for [i8 i16 i32 i64 u8 u16 u32 u64]"},
		{layertest.Ints(t, ir.U8, ir.Shape{2}, 0, 0), 65537, "sampling_ratio is 65537, at most 65536 samples along an axis of a bin are computed"},
	} {
		l := &testLayer{op: &Ops[1], mode: "avg", aligned: "asymmetric", scale: 1, pooledH: 2, pooledW: 2, ratio: c.ratio}
		_, err := layertest.Run(l.op, l.attributes(), 2, data, rois, c.batches)
		require.EqualError(t, err, c.want)
	}
}

// TestKernel_allocations has enough regions for two threads.
func TestKernel_allocations(t *testing.T) {
	for i := range Ops {
		for _, mode := range modes {
			l := &testLayer{op: &Ops[i], mode: mode, aligned: "half_pixel", scale: 1, pooledH: 7, pooledW: 7, ratio: 2}
			for _, elementType := range []ir.ElementType{ir.F32, ir.F16, ir.F64} {
				rois := layertest.Numbers(t, elementType, ir.Shape{50, l.coordinates()})
				layertest.CheckAllocations(t, l.op, l.attributes(), layertest.Numbers(t, elementType, ir.Shape{1, 32, 20, 20}), rois, layertest.Numbers(t, ir.I64, ir.Shape{50}))
			}
		}
	}
}
