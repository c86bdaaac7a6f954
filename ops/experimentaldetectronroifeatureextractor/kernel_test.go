package experimentaldetectronroifeatureextractor

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// pyramid is a layer with its inputs.
type pyramid struct {
	size, ratio, channels int
	scales                []int
	aligned               bool
	levels                []ir.Shape
	values                [][]float64
	// a sample is near the place where it becomes 0, or at it but for rounding
	near, edge bool
}

func (p *pyramid) attributes() layertest.Attributes {
	return layertest.Attributes{
		"output_size", strconv.Itoa(p.size), "sampling_ratio", strconv.Itoa(p.ratio), "pyramid_scales", layertest.List(p.scales), "aligned", strconv.FormatBool(p.aligned),
	}
}

// inputs returns rois and the levels.
func (p *pyramid) inputs(t testing.TB, elementType ir.ElementType, rois []float64) []*ir.Tensor {
	in := []*ir.Tensor{layertest.Numbers(t, elementType, ir.Shape{len(rois) / 4, 4}, rois...)}
	for i, shape := range p.levels {
		if p.values == nil {
			in = append(in, layertest.Numbers(t, elementType, shape))
			continue
		}
		in = append(in, layertest.Numbers(t, elementType, shape, p.values[i]...))
	}
	return in
}

// sample interpolates a plane of h rows and w columns at a position.
func (p *pyramid) sample(plane []float64, h, w int, y, x float64) float64 {
	for _, d := range []float64{y + 1, x + 1, y - float64(h), x - float64(w)} {
		p.near, p.edge = p.near || math.Abs(d) < 1e-3, p.edge || math.Abs(d) < 1e-9
	}
	if y < -1 || y > float64(h) || x < -1 || x > float64(w) {
		return 0
	}
	y, x = min(max(y, 0), float64(h-1)), min(max(x, 0), float64(w-1))
	sum := 0.0
	for i := range plane {
		sum += max(1-math.Abs(y-float64(i/w)), 0) * max(1-math.Abs(x-float64(i%w)), 0) * plane[i]
	}
	return sum
}

// feature returns the mean of bin i, j of a region in one channel.
func (p *pyramid) feature(roi []float64, c, i, j int) float64 {
	area := (roi[2] - roi[0]) * (roi[3] - roi[1])
	if area <= 0 {
		return 0
	}
	k := 0
	for k < len(p.levels)-1 && math.Sqrt(area)/224+1e-6 >= math.Exp2(float64(k-1)) {
		k++
	}
	h, w, scale, offset := p.levels[k][2], p.levels[k][3], float64(p.scales[k]), 0.0
	if p.aligned {
		offset = 0.5
	}
	height, width := max((roi[3]-roi[1])/scale, 1)/float64(p.size), max((roi[2]-roi[0])/scale, 1)/float64(p.size)
	ny, nx := p.ratio, p.ratio
	if p.ratio <= 0 {
		ny, nx = int(math.Ceil(height)), int(math.Ceil(width))
	}
	sum := 0.0
	for a := range ny {
		for b := range nx {
			y := roi[1]/scale - offset + height*(float64(i)+(float64(a)+0.5)/float64(ny))
			x := roi[0]/scale - offset + width*(float64(j)+(float64(b)+0.5)/float64(nx))
			sum += p.sample(p.values[k][c*h*w:][:h*w], h, w, y, x)
		}
	}
	return sum / float64(ny*nx)
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 51))
	p := &pyramid{size: 1 + rng.IntN(4), ratio: rng.IntN(4) - 1, channels: 1 + rng.IntN(9), aligned: rng.IntN(2) == 0}
	for i := range 1 + rng.IntN(4) {
		p.scales = append(p.scales, 4<<i)
		p.levels = append(p.levels, ir.Shape{1, p.channels, 1 + rng.IntN(12), 1 + rng.IntN(12)})
		p.values = append(p.values, layertest.RandomNumbers(rng, 40, 0.25, p.levels[i].Elements()))
	}
	var rois []float64
	for range rng.IntN(5) {
		size := float64(rng.IntN(900)) * rng.Float64()
		x, y := math.Round(60*rng.Float64()-20), math.Round(60*rng.Float64()-20)
		rois = append(rois, x, y, x+math.Round(size), y+math.Round(size*rng.Float64()*2)-2)
	}
	want := []float64{}
	for r := range len(rois) / 4 {
		for i := range p.channels * p.size * p.size {
			want = append(want, p.feature(rois[4*r:], i/p.size/p.size, i/p.size%p.size, i%p.size))
		}
	}
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 1e-9, ir.F32: 3e-4, ir.F16: 2e-2} {
		if elementType != ir.F64 && p.near || p.edge {
			continue
		}
		out, err := layertest.RunOutputs(&Ops[0], p.attributes(), 1+rng.IntN(3), 2, p.inputs(t, elementType, rois)...)
		require.NoError(t, err)
		require.Equal(t, ir.Shape{len(rois) / 4, p.channels, p.size, p.size}, out[0].Shape())
		layertest.Near(t, want, out[0], tolerance, "features of %v", elementType)
		layertest.Near(t, rois, out[1], 0, "rois")
	}
}

// TestKernel_borders has values of OpenVINO for areas that are 0, negative or where the level
// changes.
func TestKernel_borders(t *testing.T) {
	p := &pyramid{size: 1, ratio: 2, scales: []int{4, 8}, levels: []ir.Shape{{1, 1, 8, 8}, {1, 1, 4, 4}}}
	for i, shape := range p.levels {
		values := make([]float64, shape.Elements())
		for k := range values {
			values[k] = float64(i + 1)
		}
		p.values = append(p.values, values)
	}
	rois := []float64{0, 0, 10, 10, 0, 0, 200, 200, 5, 5, 5, 5, 0, 0, 111.9, 112, 0, 0, 112, 112, 5, 5, 1, 9, 9, 9, 1, 1}
	out, err := layertest.RunOutputs(&Ops[0], p.attributes(), 1, 2, p.inputs(t, ir.F32, rois)...)
	require.NoError(t, err)
	layertest.Near(t, []float64{1, 0, 0, 0.25, 0.5, 0, 1}, out[0], 1e-6, "features")
	nan, inf := math.NaN(), math.Inf(1)
	out, err = layertest.RunOutputs(&Ops[0], p.attributes(), 1, 2, p.inputs(t, ir.F32, []float64{nan, 0, 3, 3, 0, 0, inf, inf, -1e30, -1e30, 1e30, 1e30})...)
	require.NoError(t, err)
	got := layertest.Floats(t, out[0])
	assert.Zero(t, got[0])
	assert.Zero(t, got[2])
}

func TestKernel_errors(t *testing.T) {
	for want, p := range map[string]*pyramid{
		"pyramid_scales has 1 elements for 2 levels":                                         {scales: []int{4}},
		"pyramid_scales[1] is 0, expected a positive number":                                 {scales: []int{4, 0}},
		"sampling_ratio is 65537, at most 65536 samples along an axis of a bin are computed": {scales: []int{4, 8}, ratio: 65537},
	} {
		p.size, p.levels = 2, []ir.Shape{{1, 1, 8, 8}, {1, 1, 4, 4}}
		_, err := layertest.RunOutputs(&Ops[0], p.attributes(), 1, 2, p.inputs(t, ir.F32, []float64{0, 0, 1, 1})...)
		require.EqualError(t, err, want)
	}
}

// benchmark is the pyramid of Mask R-CNN.
func benchmark(regions int) (p *pyramid, rois []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	p = &pyramid{size: 7, ratio: 2, scales: []int{4, 8, 16, 32}, channels: 128}
	for i := range p.scales {
		p.levels = append(p.levels, ir.Shape{1, p.channels, 80 >> i, 80 >> i})
	}
	for range regions {
		x, y, size := 200*rng.Float64(), 200*rng.Float64(), 200*rng.Float64()
		rois = append(rois, x, y, x+size, y+size)
	}
	return p, rois
}

// TestKernel_allocations has enough regions for two threads.
func TestKernel_allocations(t *testing.T) {
	p, rois := benchmark(50)
	for _, elementType := range []ir.ElementType{ir.F32, ir.F16} {
		layertest.CheckAllocations(t, &Ops[0], p.attributes(), p.inputs(t, elementType, rois)...)
	}
}
