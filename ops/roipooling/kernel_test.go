package roipooling

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
	op                *ops.Op
	mode              string
	scale, std        float64
	out, pooled       [2]int // out[0] is output_dim; pooled is h and w
	binsX, binsY      int
	part, classes     int // of offsets, if there are some
	data              ir.Shape
	x, rois, offsets  []float64
	near, edge, ended bool
}

func (l *testLayer) attributes() layertest.Attributes {
	at := layertest.Attributes{"spatial_scale", strconv.FormatFloat(l.scale, 'g', -1, 64), "mode", l.mode}
	for _, a := range []struct {
		name  string
		value int
	}{
		{"pooled_h", l.pooled[0]}, {"pooled_w", l.pooled[1]}, {"group_size", l.pooled[0]}, {"output_dim", l.out[0]},
		{"spatial_bins_x", l.binsX}, {"spatial_bins_y", l.binsY}, {"part_size", l.part},
	} {
		at = append(at, a.name, strconv.Itoa(a.value))
	}
	if l.op.Type == "ROIPooling" {
		at[2] = "method"
	}
	return append(at, "trans_std", strconv.FormatFloat(l.std, 'g', -1, 64))
}

// at remembers whether a position is so near a limit that rounding decides on its side.
func (l *testLayer) at(v float64, limits ...float64) float64 {
	for _, limit := range limits {
		l.near, l.edge = l.near || math.Abs(v-limit) < 1e-3, l.edge || math.Abs(v-limit) < 1e-9
	}
	return v
}

// sample interpolates the plane of a channel.
func (l *testLayer) sample(image, channel int, y, x float64) float64 {
	h, w := l.data[2], l.data[3]
	sum := 0.0
	for i := range h * w {
		sum += max(1-math.Abs(y-float64(i/w)), 0) * max(1-math.Abs(x-float64(i%w)), 0) * l.x[(image*l.data[1]+channel)*h*w+i]
	}
	return sum
}

// over calls f with the elements of the ranges along both axes, cut at the image.
func (l *testLayer) over(image, channel int, top, bottom, left, right float64, f func(float64)) {
	for i := range l.data[2] * l.data[3] {
		if y, x := float64(i/l.data[3]), float64(i%l.data[3]); y >= top && y < bottom && x >= left && x < right {
			f(l.x[(image*l.data[1]+channel)*l.data[2]*l.data[3]+i])
		}
	}
}

// element returns an element of the output for region r.
func (l *testLayer) element(r, c, i, j int) float64 {
	roi := l.rois[5*r : 5*r+5]
	image, h, w := int(roi[0]), l.data[2], l.data[3]
	bin := [2]int{i, j}
	var corner, end [2]float64
	for axis := range 2 {
		corner[axis], end[axis] = roi[2-axis], roi[4-axis]
	}
	channel := (c*l.pooled[0]+i)*l.pooled[1] + j
	switch l.op.Type + " " + l.mode {
	case "ROIPooling max":
		var from, to [2]float64
		for axis, n := range l.pooled {
			first, last := math.Round(l.scale*corner[axis]), math.Round(l.scale*end[axis])
			extent := max(last-first+1, 1)
			from[axis] = first + math.Floor(float64(bin[axis])*extent/float64(n))
			to[axis] = first + math.Ceil(float64(bin[axis]+1)*extent/float64(n))
		}
		greatest := math.Inf(-1)
		l.over(image, c, from[0], to[0], from[1], to[1], func(v float64) { greatest = max(greatest, v) })
		if math.IsInf(greatest, -1) {
			return 0
		}
		return greatest
	case "ROIPooling bilinear":
		return l.between(image, c, bin, corner, end)
	case "PSROIPooling average":
		var from, to [2]float64
		for axis, n := range l.pooled {
			first := math.Round(corner[axis]) * l.scale
			size := max(math.Round(end[axis]+1)*l.scale-first, 0.1) / float64(n)
			lo, hi := first+float64(bin[axis])*size, first+float64(bin[axis]+1)*size
			from[axis], to[axis] = math.Floor(l.at(lo, math.Round(lo))), math.Ceil(l.at(hi, math.Round(hi)))
		}
		sum, n := 0.0, 0.0
		l.over(image, channel, from[0], to[0], from[1], to[1], func(v float64) { sum, n = sum+v, n+1 })
		return sum / max(n, 1)
	case "PSROIPooling bilinear":
		sum := 0.0
		for k := range l.binsX * l.binsY {
			var lo, hi [2]float64
			for axis, part := range [2][2]int{{k / l.binsX, l.binsY}, {k % l.binsX, l.binsX}} {
				size := (end[axis] - corner[axis]) * l.scale / float64(part[1])
				lo[axis], hi[axis] = corner[axis]*l.scale+float64(part[0])*size, corner[axis]*l.scale+float64(part[0]+1)*size
			}
			sum += l.between(image, c+k*l.out[0], bin, lo, hi)
		}
		return sum / float64(l.binsX*l.binsY)
	}
	var start, step [2]float64
	for axis, n := range l.pooled {
		first := math.Round(corner[axis])*l.scale - 0.5
		size := max((math.Round(end[axis])+1)*l.scale-0.5-first, 0.1)
		start[axis] = first + float64(bin[axis])*size/float64(n)
		step[axis] = size / float64(n) / float64([]int{l.binsY, l.binsX}[axis])
		if l.offsets != nil {
			class := c * l.classes / l.out[0]
			row, column := i*l.part/l.pooled[0], j*l.part/l.pooled[1]
			start[axis] += l.std * size * l.offsets[(((r*l.classes+class)*2+1-axis)*l.part+row)*l.part+column]
		}
	}
	sum, n := 0.0, 0.0
	for k := range l.binsX * l.binsY {
		y, x := start[0]+float64(k/l.binsX)*step[0], start[1]+float64(k%l.binsX)*step[1]
		if l.at(y, -0.5, float64(h)-0.5) < -0.5 || y > float64(h)-0.5 || l.at(x, -0.5, float64(w)-0.5) < -0.5 || x > float64(w)-0.5 {
			continue
		}
		sum, n = sum+l.sample(image, channel, min(max(y, 0), float64(h-1)), min(max(x, 0), float64(w-1))), n+1
	}
	return sum / max(n, 1)
}

// between returns the sample at a bin between two positions, which are fractions of the image.
func (l *testLayer) between(image, channel int, bin [2]int, lo, hi [2]float64) float64 {
	var at [2]float64
	for axis, n := range l.pooled {
		last := float64(l.data[2+axis] - 1)
		if at[axis] = (lo[axis] + hi[axis]) / 2 * last; n > 1 {
			at[axis] = (lo[axis] + float64(bin[axis])*(hi[axis]-lo[axis])/float64(n-1)) * last
		}
		if l.at(at[axis], 0, last) < 0 || at[axis] > last {
			return 0
		}
	}
	return l.sample(image, channel, at[0], at[1])
}

func (l *testLayer) reference() []float64 {
	out := []float64{}
	for r := range len(l.rois) / 5 {
		l.ended = l.ended || l.rois[5*r] == -1
		for k := range l.out[0] * l.pooled[0] * l.pooled[1] {
			v := 0.0
			if !l.ended {
				v = l.element(r, k/l.pooled[1]/l.pooled[0], k/l.pooled[1]%l.pooled[0], k%l.pooled[1])
			}
			out = append(out, v)
		}
	}
	return out
}

func (l *testLayer) inputs(t testing.TB, elementType ir.ElementType) []*ir.Tensor {
	regions := len(l.rois) / 5
	in := []*ir.Tensor{layertest.Numbers(t, elementType, l.data, l.x...), layertest.Numbers(t, elementType, ir.Shape{regions, 5}, l.rois...)}
	if l.offsets != nil {
		in = append(in, layertest.Numbers(t, elementType, ir.Shape{regions, 2 * l.classes, l.part, l.part}, l.offsets...))
	}
	return in
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 200, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 71))
	l := &testLayer{
		op: &Ops[rng.IntN(3)], scale: []float64{0.5, 1}[rng.IntN(2)], std: 0.25, binsX: 1 + rng.IntN(3), binsY: 1 + rng.IntN(3),
		pooled: [2]int{1 + rng.IntN(4), 1 + rng.IntN(4)}, part: 1 + rng.IntN(3), classes: 1 + rng.IntN(2), data: ir.Shape{1 + rng.IntN(2), 0, 1 + rng.IntN(9), 1 + rng.IntN(9)},
	}
	l.out[0] = l.classes * (1 + rng.IntN(3))
	unit := 1.0
	switch l.op.Type {
	case "ROIPooling":
		l.mode = []string{"max", "bilinear"}[rng.IntN(2)]
		l.out[0] = 1 + rng.IntN(20)
		l.data[1] = l.out[0]
		if l.mode == "bilinear" {
			unit = 1.0 / 16
		}
	case "PSROIPooling":
		l.mode = []string{"average", "bilinear"}[rng.IntN(2)]
		l.pooled[1] = l.pooled[0]
		l.data[1] = l.out[0] * l.pooled[0] * l.pooled[0]
		if l.mode == "bilinear" {
			unit, l.data[1] = 1.0/16, l.out[0]*l.binsX*l.binsY
		}
	default:
		l.mode = "bilinear_deformable"
		l.pooled[1] = l.pooled[0]
		l.data[1] = l.out[0] * l.pooled[0] * l.pooled[0]
	}
	regions := rng.IntN(4)
	l.x = layertest.RandomNumbers(rng, 40, 0.25, l.data.Elements())
	l.rois = layertest.RandomNumbers(rng, 16, unit, regions*5)
	for r := range regions {
		l.rois[5*r] = float64(rng.IntN(l.data[0]))
		if rng.IntN(6) == 0 {
			l.rois[5*r] = -1
		}
	}
	if l.mode == "bilinear_deformable" && rng.IntN(2) == 0 {
		l.offsets = layertest.RandomNumbers(rng, 8, 0.25, regions*2*l.classes*l.part*l.part)
	}
	want := l.reference()
	// Positions are exact in all types if all divisors are powers of two and no box has the least
	// size of 0.1.
	power := func(n int) bool { return n&(n-1) == 0 }
	exact := l.mode == "max" || l.mode != "bilinear" && power(l.pooled[0]) && power(l.binsX) && power(l.binsY) ||
		l.mode == "bilinear" && max(l.pooled[0], l.pooled[1]) <= 2 && power(l.binsX) && power(l.binsY)
	for r := range regions {
		exact = exact && (l.mode == "max" || l.mode == "bilinear" || l.rois[5*r+3] >= l.rois[5*r+1] && l.rois[5*r+4] >= l.rois[5*r+2])
	}
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-9, ir.F32: 3e-4, ir.F16: 2e-2, ir.BF16: 0.1} {
		if !exact && (elementType != ir.F64 && l.near || l.edge) {
			continue
		}
		layertest.CheckNear(t, l.op, l.attributes(), ir.Shape{regions, l.out[0], l.pooled[0], l.pooled[1]}, want, tolerance, l.inputs(t, elementType)...)
	}
}

// counted returns n planes of 4 by 5 elements that count from -30 on, 100 apart.
func counted(n int) []float64 {
	out := make([]float64, 20*n)
	for i := range out {
		out[i] = float64(i%20-30) + float64(i/20*100)
	}
	return out
}

// TestKernel_borders has values of OpenVINO for boxes that are reversed, outside, points, or not
// finite, and for the end of the list.
func TestKernel_borders(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	rois := []float64{0, 0, 0, 3, 3, 0, 1.5, 1.5, 2.5, 2.5, 0, 3, 3, 0, 0, 0, -5, -5, -3, -3, 0, 2, 1, 9, 9}
	ended := []float64{0.7, 0, 0, 3, 3, -1, 0, 0, 3, 3, 0, 0, 0, 3, 3}
	for _, c := range []struct {
		op, mode   string
		bins       int
		rois, want []float64
	}{
		{"ROIPooling-2", "max", 1, rois, []float64{-24, -22, -14, -12, -18, -17, -13, -12, -12, -12, -12, -12, 0, 0, 0, 0, -11, 0, 0, 0}},
		{"ROIPooling-2", "max", 1, ended, []float64{-24, -22, -14, -12, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"ROIPooling-2", "max", 1, []float64{0, nan, 0, 3, 3, 0, 0, 0, inf, 3, 0, 0, 0, 1e20, 3}, []float64{0, 0, 0, 0, -21, 0, -11, 0, -21, 0, -11, 0}},
		{"ROIPooling-2", "bilinear", 1, []float64{0, 0, 0, 1, 1, 0, 0.9, 0.9, 0.1, 0.1, 0, -0.1, 0, 1, 1, 0, 0, 0, 1.01, 1, 0, 0.5, 0.5, 0.5, 0.5},
			[]float64{-30, -26, -15, -11, -12.9, -16.1, -24.9, -28.1, 0, -26, 0, -11, -30, 0, -15, 0, -20.5, -20.5, -20.5, -20.5}},
		{"ROIPooling-2", "bilinear", 1, []float64{0, nan, 0, 1, 1}, []float64{nan, -26, nan, -11}},
		{"PSROIPooling-1", "average", 1, rois, []float64{-27, 75, 183, 285, -18, 83, 187, 288, -12, 88, 188, 288, 0, 0, 0, 0, -17, 0, 0, 0}},
		{"PSROIPooling-1", "average", 1, ended, []float64{-27, 75, 183, 285, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"PSROIPooling-1", "average", 1, []float64{0, nan, 0, 3, 3}, []float64{0, 0, 0, 0}},
		{"DeformablePSROIPooling-1", "bilinear_deformable", 2, rois,
			[]float64{-28.5, 73.25, 180.25, 282, -19.5, 81.5, 185.5, 286.5, -14.925, 85.125, 185.325, 285.375, 0, 0, 0, 0, -19.375, 0, 0, 0}},
		{"DeformablePSROIPooling-1", "bilinear_deformable", 2, ended, []float64{-28.5, 73.25, 180.25, 282, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"DeformablePSROIPooling-1", "bilinear_deformable", 2, []float64{0, nan, 0, 3, 3}, []float64{nan, nan, nan, nan}},
	} {
		l := &testLayer{op: layertest.FindType(t, Ops, c.op), mode: c.mode, scale: 1, std: 0.5, binsX: c.bins, binsY: c.bins, pooled: [2]int{2, 2}, part: 2, out: [2]int{1}}
		l.data, l.rois = ir.Shape{1, 4, 4, 5}, c.rois
		if l.op.Type == "ROIPooling" {
			l.data[1] = 1
		}
		l.x = counted(l.data[1])
		layertest.CheckNear(t, l.op, l.attributes(), ir.Shape{len(c.rois) / 5, 1, 2, 2}, c.want, 1e-4, l.inputs(t, ir.F32)...)
	}
}

func TestKernel_errors(t *testing.T) {
	const deformable = "DeformablePSROIPooling-1"
	base := func(op string) *testLayer {
		l := &testLayer{op: layertest.FindType(t, Ops, op), mode: "max", scale: 1, binsX: 1, binsY: 1, pooled: [2]int{2, 2}, part: 2, classes: 1, out: [2]int{1}}
		l.data, l.rois = ir.Shape{1, 4, 4, 5}, make([]float64, 5)
		if op == deformable {
			l.mode = "bilinear_deformable"
		}
		return l
	}
	for want, change := range map[string]func(l *testLayer){
		"rois[0] is in image 1, data has 1 images":   func(l *testLayer) { l.rois[0] = 1 },
		"rois[0] is in image NaN, data has 1 images": func(l *testLayer) { l.rois[0] = math.NaN() },
		"rois[0] is in image -3, data has 1 images":  func(l *testLayer) { l.rois[0] = -3 },
	} {
		l := base("ROIPooling-2")
		change(l)
		_, err := layertest.Run(l.op, l.attributes(), 1, l.inputs(t, ir.F32)...)
		require.EqualError(t, err, want)
	}
	for want, change := range map[string]func(l *testLayer){
		`mode "other" has no kernel`:                                    func(l *testLayer) { l.mode = "other" },
		"spatial_bins_x is 0, spatial_bins_y is 1, expected 1 to 65536": func(l *testLayer) { l.binsX = 0 },
		"data has 4 channels, output_dim 2 in groups of 2 needs 8":      func(l *testLayer) { l.out[0] = 2 },
		"offsets has shape [1,4,2,2], 1 regions, output_dim 1 and part_size 2 need [1,2*classes,2,2], with classes that divide output_dim": func(l *testLayer) {
			l.classes, l.offsets = 2, make([]float64, 16)
		},
	} {
		l := base(deformable)
		change(l)
		_, err := layertest.Run(l.op, l.attributes(), 1, l.inputs(t, ir.F32)...)
		require.EqualError(t, err, want)
	}
}

// FuzzRegion has arbitrary boxes and images.
func FuzzRegion(f *testing.F) {
	for _, v := range []float32{0, 3, -1e9, 1e38, float32(math.Inf(1)), float32(math.NaN())} {
		f.Add(uint32(0), math.Float32bits(v), math.Float32bits(-v), math.Float32bits(5), math.Float32bits(v), uint8(3))
	}
	f.Fuzz(func(t *testing.T, n, a, b, c, d uint32, kind uint8) {
		l := &testLayer{op: &Ops[kind%3], scale: 0.5, binsX: 2, binsY: 2, pooled: [2]int{2, 2}, part: 2, classes: 1, out: [2]int{2}, data: ir.Shape{2, 8, 3, 4}}
		l.mode = map[string][]string{
			"ROIPooling": {"max", "bilinear"}, "PSROIPooling": {"average", "bilinear"}, "DeformablePSROIPooling": {"bilinear_deformable", "bilinear_deformable"},
		}[l.op.Type][kind/3%2]
		for _, bits := range []uint32{n, a, b, c, d} {
			l.rois = append(l.rois, float64(math.Float32frombits(bits)))
		}
		_, err := layertest.Run(l.op, l.attributes(), 1, l.inputs(t, ir.F32)...)
		if v := l.rois[0]; v > -2 && v < 2 {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "is in image")
		}
	})
}

// TestKernel_allocations has enough regions for two threads.
func TestKernel_allocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 72))
	for _, c := range [][2]string{{"ROIPooling-2", "max"}, {"ROIPooling-2", "bilinear"}, {"PSROIPooling-1", "average"}, {"PSROIPooling-1", "bilinear"}, {"DeformablePSROIPooling-1", "bilinear_deformable"}} {
		l := &testLayer{op: layertest.FindType(t, Ops, c[0]), mode: c[1], scale: 0.5, binsX: 7, binsY: 7, pooled: [2]int{7, 7}, part: 7, classes: 1, out: [2]int{1}, data: ir.Shape{1, 49, 30, 30}}
		l.rois = boxes(rng, 60, 60)
		for _, elementType := range []ir.ElementType{ir.F32, ir.F16} {
			layertest.CheckAllocations(t, l.op, l.attributes(), l.inputs(t, elementType)...)
		}
	}
}
