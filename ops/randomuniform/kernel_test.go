package randomuniform

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// groups is the number of groups that are worth another thread.
const groups = 1 << 11

func attributesOf(outputType ir.ElementType, alignment string, globalSeed, opSeed int) layertest.Attributes {
	return layertest.Attributes{"output_type", outputType.String(), "alignment", alignment,
		"global_seed", strconv.Itoa(globalSeed), "op_seed", strconv.Itoa(opSeed)}
}

// bounds returns the inputs for n elements from lo to hi.
func bounds(t testing.TB, elementType ir.ElementType, n int, lo, hi float64) []*ir.Tensor {
	return []*ir.Tensor{layertest.Ints(t, ir.I64, ir.Shape{1}, int64(n)),
		layertest.Numbers(t, elementType, ir.Shape{}, lo), layertest.Numbers(t, elementType, ir.Shape{}, hi)}
}

// TestOpenVINO has the numbers of OpenVINO 2026.4.1 for the seeds 3 and 5: those of its reference
// implementation.
func TestOpenVINO(t *testing.T) {
	for _, c := range []struct {
		elementType ir.ElementType
		alignment   string
		lo, hi      float64
		want        []float64
		tolerance   float64
	}{
		{ir.F32, "tensorflow", 0, 1, []float64{0.3976692, 0.84256816, 0.0045189857, 0.60220015, 0.80276537, 0.7908014}, 1e-7},
		{ir.F32, "tensorflow", 2, 10, []float64{5.1813536, 8.740545, 2.036152}, 1e-6},
		{ir.F16, "tensorflow", 0, 1, []float64{0.706, 0.3184, 0.01953, 0.2236, 0.254, 0.2451}, 1e-4},
		{ir.F16, "tensorflow", 2, 10, []float64{7.6484375, 4.546875, 2.15625}, 0},
		{ir.BF16, "tensorflow", 0, 1, []float64{0.6484375, 0.546875, 0.15625, 0.7890625, 0.03125, 0.9609375}, 0},
		{ir.BF16, "tensorflow", 2, 10, []float64{7.1875, 6.375, 3.25}, 0},
		{ir.F64, "tensorflow", 0, 1, []float64{0.18135357618810266, 0.03615273833684651, 0.42212371861711406, 0.7057166112139057, 0.7556630580099502}, 0},
		{ir.F64, "tensorflow", 2, 10, []float64{3.4508286095048213, 2.289221906694772, 5.3769897489369125}, 0},
		{ir.I32, "tensorflow", 0, 1000000, []float64{544851, 233798, 27796, 645477, 186052, 574395}, 0},
		{ir.I32, "tensorflow", -50, 50, []float64{1, 48, 46}, 0},
		{ir.I32, "tensorflow", math.MinInt32, math.MaxInt32, []float64{-88938797, -2115249850, -1845455852, 1691161829, -706297596, 1290090747}, 0},
		{ir.I64, "tensorflow", 0, 1000000, []float64{415059, 347988, 171972, 600925, 85490}, 0},
		{ir.I64, "tensorflow", -50, 50, []float64{9, 38, 22}, 0},
		{ir.I64, "tensorflow", -(1 << 40), 1 << 41, []float64{-796805372205, -115662089196, -20033650428, 2006578842269, 403348133682, -306304943817}, 0},
		{ir.F32, "pytorch", 0, 1, []float64{0.0042635202, 0.10556936, 0.28584248, 0.02695483, 0.47161436, 0.06011629}, 1e-8},
		{ir.F16, "pytorch", 0, 1, []float64{0.9267578125, 0.82421875, 0.62158203125, 0.81396484375, 0.46484375, 0.47265625}, 1e-4},
		{ir.BF16, "pytorch", 2, 10, []float64{5.3125, 6.75, 9.75}, 0},
		{ir.F64, "pytorch", 0, 1, []float64{0.03410819565052048, 0.28674022672130695, 0.7729149443285843}, 0},
		{ir.F64, "pytorch", 2, 10, []float64{2.272865565204164, 4.293921813770456, 8.183319554628675}, 0},
		{ir.I32, "pytorch", math.MinInt32, math.MaxInt32, []float64{218175338, -1843722600, 893988089, 1460070019, -898057288, -1626381368}, 0},
		{ir.I64, "pytorch", 0, 1<<32 - 1, []float64{2365658986, 303761048, 3041471737, 3607553667}, 0},
		{ir.I64, "pytorch", 0, 1 << 32, []float64{303761048, 3607553667, 521102280, 2445173525}, 0},
		{ir.I64, "pytorch", -(1 << 33), 5, []float64{-6224275606, -8286173544, -5548462855}, 0},
		{ir.I64, "pytorch", -(1 << 40), 1 << 41, []float64{-643941333352, 1073054410371, -308716543032}, 0},
	} {
		layertest.CheckNear(t, &Ops[0], attributesOf(c.elementType, c.alignment, 3, 5), ir.Shape{len(c.want)}, c.want, c.tolerance,
			bounds(t, c.elementType, len(c.want), c.lo, c.hi)...)
	}
}

// TestWidestRange has a range whose width does not fit int64.
func TestWidestRange(t *testing.T) {
	inputs := []*ir.Tensor{layertest.Ints(t, ir.I64, ir.Shape{1}, 4),
		layertest.Ints(t, ir.I64, ir.Shape{}, math.MinInt64), layertest.Ints(t, ir.I64, ir.Shape{}, math.MaxInt64)}
	for alignment, want := range map[string][]int64{
		"tensorflow": {-9084928926560360749, 7263484748100572180, 5540897568678396164, 24353990110825117},
		"pytorch":    {937055941807507096, 3839649608876091011, -3857126681373350968, 199733986212078357},
	} {
		got, err := layertest.Run(&Ops[0], attributesOf(ir.I64, alignment, 3, 5), 1, inputs...)
		require.NoError(t, err)
		assert.Equal(t, want, ir.Data[int64](got), alignment)
	}
}

// TestRuns compares the first numbers of successive runs with those of OpenVINO.
func TestRuns(t *testing.T) {
	for alignment, want := range map[string][]float32{"tensorflow": {0.3976692, 0.13660717}, "pytorch": {0.0042635202, 0.0042635202}} {
		kernel, r, err := layertest.Prepare(&Ops[0], attributesOf(ir.F32, alignment, 3, 5), 1, bounds(t, ir.F32, 5, 0, 1)...)
		require.NoError(t, err)
		for _, first := range want {
			require.NoError(t, kernel(r))
			assert.Equal(t, first, ir.Data[float32](r.Outputs[0])[0], alignment)
		}
	}
}

// TestNoSeeds checks that each run makes other numbers if both seeds are 0.
func TestNoSeeds(t *testing.T) {
	for _, alignment := range []string{"tensorflow", "pytorch"} {
		seen := map[string]bool{}
		for range 3 {
			kernel, r, err := layertest.Prepare(&Ops[0], attributesOf(ir.F32, alignment, 0, 0), 1, bounds(t, ir.F32, 8, 0, 1)...)
			require.NoError(t, err)
			for range 2 {
				require.NoError(t, kernel(r))
				seen[fmt.Sprint(layertest.Floats(t, r.Outputs[0]))] = true
			}
		}
		assert.Len(t, seen, 6, alignment)
	}
}

// TestParts checks that the numbers do not depend on the number of threads, nor on how many follow,
// and that they are in the range and spread over it.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16, ir.I32, ir.I64} {
		for _, alignment := range []string{"tensorflow", "pytorch"} {
			at := attributesOf(elementType, alignment, 1+rng.IntN(1000), rng.IntN(1000))
			n := 4*groups*3 + 5
			all, err := layertest.Run(&Ops[0], at, 3, bounds(t, elementType, n, 16, 48)...)
			require.NoError(t, err)
			values := layertest.Floats(t, all)
			sum := 0.0
			for _, v := range values {
				require.True(t, v >= 16 && v <= 48, "%v %v", elementType, v)
				sum += v
			}
			assert.InDelta(t, 32, sum/float64(n), 1, "%v %s", elementType, alignment)
			for _, k := range []int{0, 1, 2, 3, 4, 5, 4*groups + 1} {
				part, err := layertest.Run(&Ops[0], at, 1, bounds(t, elementType, k, 16, 48)...)
				require.NoError(t, err)
				require.True(t, slices.Equal(values[:k], layertest.Floats(t, part)), "%v %s %d", elementType, alignment, k)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	run := func(at layertest.Attributes, inputs []*ir.Tensor) error {
		_, err := layertest.Run(&Ops[0], at, 1, inputs...)
		return err
	}
	assert.ErrorContains(t, run(attributesOf(ir.F32, "pytorch", 1, 1), bounds(t, ir.F32, 2, math.NaN(), 1)), "is not below maxval")
	assert.ErrorContains(t, run(attributesOf(ir.F16, "tensorflow", 1, 1), bounds(t, ir.F16, 2, 0, math.NaN())), "is not below maxval")
	assert.EqualError(t, run(attributesOf(ir.F32, "pytorch", -1, 1), bounds(t, ir.F32, 2, 0, 1)),
		"global_seed is -1, op_seed is 1, of which none may be negative")
}

func FuzzKernel(f *testing.F) {
	f.Add(int64(1), int64(2), 3.0, 4.0, uint16(5), uint8(0), false)
	f.Fuzz(func(t *testing.T, globalSeed, opSeed int64, lo, hi float64, n uint16, kind uint8, pytorch bool) {
		elementType := []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16, ir.I32, ir.I64}[kind%6]
		if !elementType.IsFloat() {
			lo, hi = math.Trunc(math.Remainder(lo, 1<<31)), math.Trunc(math.Remainder(hi, 1<<31))
			if math.IsNaN(lo) || math.IsNaN(hi) {
				return
			}
		}
		alignment := map[bool]string{false: "tensorflow", true: "pytorch"}[pytorch]
		inputs := bounds(t, elementType, int(n), lo, hi)
		from, to := layertest.Floats(t, inputs[1])[0], layertest.Floats(t, inputs[2])[0]
		out, err := layertest.Run(&Ops[0], attributesOf(elementType, alignment, int(globalSeed), int(opSeed)), 2, inputs...)
		if globalSeed < 0 || opSeed < 0 || !(from < to) {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		if !elementType.IsFloat() {
			for _, v := range layertest.Floats(t, out) {
				require.True(t, from <= v && v < to, "%v from %v to %v", v, from, to)
			}
		}
	})
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16, ir.I32, ir.I64} {
		for _, alignment := range []string{"tensorflow", "pytorch"} {
			layertest.CheckAllocations(t, &Ops[0], attributesOf(elementType, alignment, 1, 2), bounds(t, elementType, 5*groups, 0, 8)...)
		}
	}
}
