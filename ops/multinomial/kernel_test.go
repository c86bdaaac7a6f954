package multinomial

import (
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

func attributesOf(outputType string, replace, logarithm bool, globalSeed, opSeed int) layertest.Attributes {
	return layertest.Attributes{"convert_type", outputType, "with_replacement", strconv.FormatBool(replace), "log_probs", strconv.FormatBool(logarithm),
		"global_seed", strconv.Itoa(globalSeed), "op_seed", strconv.Itoa(opSeed)}
}

func draw(t testing.TB, at layertest.Attributes, threads int, probs *ir.Tensor, samples int) ([]int64, error) {
	out, err := layertest.Run(&Ops[0], at, threads, probs, layertest.Ints(t, ir.I64, ir.Shape{}, int64(samples)))
	if err != nil {
		return nil, err
	}
	return out.Ints()
}

// equal returns probs of two rows of 4096 equal classes.
func equal(t testing.TB, elementType ir.ElementType, v float64) *ir.Tensor {
	values := make([]float64, 2*4096)
	for i := range values {
		values[i] = v
	}
	return layertest.Numbers(t, elementType, ir.Shape{2, 4096}, values...)
}

// TestOpenVINO has the classes that the CPU plugin of OpenVINO 2026.4.1 draws.
func TestOpenVINO(t *testing.T) {
	for _, c := range []struct {
		replace            bool
		globalSeed, opSeed int
		want               []int64
	}{
		{true, 9, 2, []int64{1114, 2656, 1093, 1011, 2068, 631, 371, 3581, 2945, 3372, 2692, 1176}},
		{true, 9, 3, []int64{418, 1098, 2308, 1594, 2991, 3178, 1498, 2250, 2605, 1393, 196, 3331}},
		{true, 0, 2, []int64{3648, 673, 2035, 1420, 843, 3056, 2211, 3174, 561, 1617, 68, 3235}},
		{true, 9, 0, []int64{3165, 776, 2942, 2267, 2849, 4086, 659, 3191, 2952, 2561, 1049, 2868}},
		{false, 9, 2, []int64{1114, 2657, 1092, 1010, 2069, 630, 371, 3581, 2945, 3372, 2691, 1176}},
	} {
		for _, elementType := range Ops[0].Types {
			for _, logarithm := range []bool{false, true} {
				got, err := draw(t, attributesOf("i32", c.replace, logarithm, c.globalSeed, c.opSeed), 2, equal(t, elementType, 0.25), 6)
				require.NoError(t, err)
				assert.Equal(t, c.want, got, "%v %v", elementType, c)
			}
		}
	}
}

// TestDistribution checks how often each class is drawn.
func TestDistribution(t *testing.T) {
	probs := []float64{0, 2, 1, 0, 4, 1, 0}
	logs := make([]float64, len(probs))
	for i, p := range probs {
		logs[i] = math.Log(p) + 500 // whose exponential overflows float32
	}
	const n = 40000
	for _, logarithm := range []bool{false, true} {
		values := [][]float64{probs, logs}[map[bool]int{false: 0, true: 1}[logarithm]]
		got, err := draw(t, attributesOf("i64", true, logarithm, 1, 2), 1, layertest.Numbers(t, ir.F32, ir.Shape{1, len(probs)}, values...), n)
		require.NoError(t, err)
		counts := make([]float64, len(probs))
		for _, c := range got {
			counts[c]++
		}
		for i, p := range probs {
			assert.InDelta(t, p/8, counts[i]/n, 0.02*min(p, 1), "class %d", i)
		}
	}
}

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 300, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// checkRandom checks that the classes are possible, differ without replacement, and do not depend
// on the number of threads; or that there is an error.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	batch, classes, samples := rng.IntN(4), rng.IntN(6), rng.IntN(8)
	replace, logarithm := rng.IntN(2) == 0, rng.IntN(2) == 0
	values, possible := make([]float64, batch*classes), make([]int, batch)
	wrong := classes == 0 && batch > 0 && samples > 0 || !replace && samples > classes && batch > 0
	for i := range values {
		p := []float64{0, 0.5, 1, 3}[rng.IntN(4)]
		if p > 0 {
			possible[i/classes]++
		}
		if values[i] = p; logarithm {
			values[i] = math.Log(p)
		}
		if rng.IntN(60) == 0 {
			values[i] = []float64{math.NaN(), math.Inf(1), -1}[rng.IntN(2+map[bool]int{false: 1, true: 0}[logarithm])]
			wrong = wrong || samples > 0
		}
	}
	for _, n := range possible {
		wrong = wrong || samples > 0 && n == 0 || !replace && samples > n
	}
	elementType := Ops[0].Types[rng.IntN(4)]
	probs := layertest.Numbers(t, elementType, ir.Shape{batch, classes}, values...)
	at := attributesOf([]string{"i32", "i64"}[rng.IntN(2)], replace, logarithm, rng.IntN(100), 1+rng.IntN(100))
	got, err := draw(t, at, 1, probs, samples)
	if wrong {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	again, err := draw(t, at, 3, probs, samples)
	require.NoError(t, err)
	require.Equal(t, got, again)
	for b := range batch {
		row := got[b*samples:][:samples]
		for i, c := range row {
			require.True(t, c >= 0 && int(c) < classes)
			v := values[b*classes+int(c)]
			require.True(t, v > 0 || logarithm && !math.IsInf(v, -1), "class %d of %v", c, values)
			require.True(t, replace || !slices.Contains(row[:i], c), "%v", row)
		}
	}
}

// TestNoSeeds checks that each run draws other classes if both seeds are 0.
func TestNoSeeds(t *testing.T) {
	at := attributesOf("i64", true, false, 0, 0)
	first, err := draw(t, at, 1, equal(t, ir.F32, 1), 10)
	require.NoError(t, err)
	second, err := draw(t, at, 1, equal(t, ir.F32, 1), 10)
	require.NoError(t, err)
	assert.NotEqual(t, first, second)
}

func TestErrors(t *testing.T) {
	row := func(values ...float64) *ir.Tensor {
		return layertest.Numbers(t, ir.F32, ir.Shape{1, len(values)}, values...)
	}
	for _, c := range []struct {
		at      layertest.Attributes
		probs   *ir.Tensor
		samples int
		want    string
	}{
		{attributesOf("i64", true, false, 1, 1), row(1, -2), 1, "probs[0,1] is -2, not a finite probability"},
		{attributesOf("i64", true, false, 1, 1), row(math.NaN()), 1, "probs[0,0] is NaN, not a finite probability"},
		{attributesOf("i64", true, true, 1, 1), row(1, math.Inf(1)), 1, "probs[0,1] is +Inf, not the logarithm of a finite number"},
		{attributesOf("i64", true, false, 1, 1), row(0, 0), 1, "row 0 of probs has 2 classes, none of them with a probability above 0"},
		{attributesOf("i64", true, true, 1, 1), row(math.Inf(-1)), 1, "row 0 of probs has 1 classes, none of them with a probability above 0"},
		{attributesOf("i64", true, false, 1, 1), row(3e38, 3e38), 1, "row 0 of probs has a sum that is +Inf, beyond its type"},
		{attributesOf("i64", false, false, 1, 1), row(1, 1), 3, "num_samples is 3, probs has 2 classes to draw from without replacement"},
		{attributesOf("i64", false, false, 1, 1), row(1, 0), 2, "num_samples is 2, but only 1 classes of row 0 of probs have a probability above 0"},
		{attributesOf("f32", true, false, 1, 1), row(1, 0), 2, "Multinomial-13 has no kernel for output 0 of type f32, only for [i32 i64]"},
		{attributesOf("i64", true, false, 1, -1), row(1, 0), 2, "global_seed is 1, op_seed is -1, of which none may be negative"},
		{attributesOf("i64", true, false, 1, 1), row(), 2, "probs has shape [1,0], without classes to draw from"},
	} {
		_, err := draw(t, c.at, 1, c.probs, c.samples)
		assert.EqualError(t, err, c.want)
	}
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range Ops[0].Types {
		layertest.CheckAllocations(t, &Ops[0], attributesOf("i32", true, true, 1, 2), equal(t, elementType, 0.5), layertest.Ints(t, ir.I64, ir.Shape{}, 50))
		layertest.CheckAllocations(t, &Ops[0], attributesOf("i64", false, false, 1, 2), equal(t, elementType, 0.5), layertest.Ints(t, ir.I64, ir.Shape{}, 5))
	}
}
