package ctcloss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// reference adds the probabilities of all paths of classes that stand for the labels.
func reference(at attributes, logits [][]float64, labels []int64, blank int64) float64 {
	var target []int64
	for i, label := range labels {
		if at.unique && slices.Contains(target, label) || !at.unique && at.collapse && i > 0 && labels[i-1] == label {
			continue
		}
		target = append(target, label)
	}
	paths := 1
	for range logits {
		paths *= len(logits[0])
	}
	total := 0.0
	for code := range paths {
		probability, last := 1.0, int64(-1)
		var found []int64
		for _, row := range logits {
			class := int64(code % len(row))
			code /= len(row)
			sum := 0.0
			for _, v := range row {
				sum += math.Exp(v)
			}
			probability *= math.Exp(row[class]) / sum
			if class != blank && !(at.merge && class == last) {
				found = append(found, class)
			}
			last = class
		}
		if slices.Equal(found, target) {
			total += probability
		}
	}
	return -math.Log(total)
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 200, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

var integerTypes = []ir.ElementType{ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.U64}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-9, ir.F32: 1e-5, ir.F16: 0.02, ir.BF16: 0.2}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	batch, steps, classes := rng.IntN(4), rng.IntN(6), 2+rng.IntN(3)
	at := attributes{rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(3) == 0}
	logits := layertest.RandomNumbers(rng, 6, 0.5, batch*steps*classes)
	blank := int64(classes - 1)
	integer := func(shape ir.Shape, values ...int64) *ir.Tensor {
		if len(values) == 0 {
			return layertest.Numbers(t, ir.I32, shape)
		}
		return layertest.Ints(t, integerTypes[rng.IntN(len(integerTypes))], shape, values...)
	}
	var blankInput []*ir.Tensor
	if rng.IntN(2) == 0 {
		blank = rng.Int64N(int64(classes))
		blankInput = append(blankInput, integer(ir.Shape{}, blank))
	}
	var logitLengths, labelLengths, labels []int64
	var want []float64
	for b := range batch {
		n := rng.IntN(steps + 1)
		m := rng.IntN(n + 1)
		item := make([]int64, steps)
		for i := range item {
			item[i] = rng.Int64N(int64(classes))
			if i < m && item[i] == blank {
				item[i] = (blank + 1) % int64(classes)
			}
		}
		logitLengths, labelLengths, labels = append(logitLengths, int64(n)), append(labelLengths, int64(m)), append(labels, item...)
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = logits[(b*steps+i)*classes:][:classes]
		}
		want = append(want, reference(at, rows, item[:m], blank))
	}
	for _, elementType := range floats.Types {
		inputs := append([]*ir.Tensor{
			layertest.Numbers(t, elementType, ir.Shape{batch, steps, classes}, logits...), integer(ir.Shape{batch}, logitLengths...),
			integer(ir.Shape{batch, steps}, labels...), integer(ir.Shape{batch}, labelLengths...),
		}, blankInput...)
		layertest.CheckNear(t, &Ops[0], attributesOf(at), ir.Shape{batch}, want, tolerances[elementType], inputs...)
	}
}

func attributesOf(at attributes) layertest.Attributes {
	return layertest.Attributes{
		"preprocess_collapse_repeated", fmt.Sprint(at.collapse), "ctc_merge_repeated", fmt.Sprint(at.merge), "unique", fmt.Sprint(at.unique),
	}
}

// TestBorders has results of OpenVINO, except where it divides infinities or reads beyond its
// tensors.
func TestBorders(t *testing.T) {
	logits := []float64{1, 2, -3, 0, 0, 0, -2, 0, 2, -1, 1, 3}
	changed := func(i int, v float64) []float64 {
		x := slices.Clone(logits)
		x[i] = v
		return x
	}
	merge := attributes{merge: true}
	for _, c := range []struct {
		name          string
		at            attributes
		logits        []float64
		steps, length int64
		labels        []int64
		blank         []int64
		want          float64
	}{
		{"two labels", merge, logits, 4, 2, []int64{0, 1, 0, 1}, nil, 2.149061},
		{"equal labels", merge, logits, 4, 2, []int64{0, 0, 0, 1}, nil, 5.591902},
		{"no room", merge, logits, 2, 2, []int64{0, 0, 0, 1}, nil, math.Inf(1)},
		{"collapse", attributes{collapse: true, merge: true}, logits, 4, 3, []int64{0, 0, 0, 1}, nil, 1.990689},
		{"no merge", attributes{}, logits, 4, 3, []int64{0, 0, 0, 1}, nil, 6.000221},
		{"unique", attributes{merge: true, unique: true}, logits, 4, 4, []int64{0, 1, 0, 1}, nil, 2.149061},
		{"a blank as label", merge, logits, 4, 2, []int64{0, 2, 0, 1}, nil, 0.497245},
		{"a blank as label, no merge", attributes{}, logits, 4, 2, []int64{0, 2, 0, 1}, nil, 0.901720},
		{"only a blank", merge, logits, 4, 1, []int64{2, 2, 2, 1}, nil, 4.400066},
		{"another blank", merge, logits, 4, 2, []int64{0, 1, 0, 1}, []int64{1}, 3.810840},
		{"infinity", merge, changed(7, math.Inf(1)), 4, 2, []int64{0, 1, 0, 1}, nil, math.NaN()},
		{"-infinity", merge, changed(7, math.Inf(-1)), 4, 2, []int64{0, 1, 0, 1}, nil, 2.334359},
		{"NaN", merge, changed(7, math.NaN()), 4, 2, []int64{0, 1, 0, 1}, nil, math.NaN()},
		{"NaN after the end", merge, changed(7, math.NaN()), 2, 2, []int64{0, 1, 0, 1}, nil, 2.416788},
		{"logits of any size", merge, []float64{1000, 0, 0, 0, -3000, 0, 0, 500, 0, 0, 0, 0}, 3, 2, []int64{1, 0, 0, 0}, nil, 1500 - math.Log(1.5)},
		{"no steps", merge, logits, 0, 0, []int64{0, 0, 0, 0}, nil, 0},
		{"no labels", merge, make([]float64, 12), 3, 0, []int64{9, 9, 9, 9}, nil, 3 * math.Log(3)},
		{"no labels to collapse", attributes{collapse: true}, make([]float64, 12), 1, 0, []int64{0, 0, 0, 0}, nil, math.Log(3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, elementType := range []ir.ElementType{ir.F32, ir.F64} {
				inputs := []*ir.Tensor{
					layertest.Numbers(t, elementType, ir.Shape{1, 4, 3}, c.logits...), layertest.Ints(t, ir.I64, ir.Shape{1}, c.steps),
					layertest.Ints(t, ir.I32, ir.Shape{1, 4}, c.labels...), layertest.Ints(t, ir.I32, ir.Shape{1}, c.length),
				}
				if c.blank != nil {
					inputs = append(inputs, layertest.Ints(t, ir.I32, ir.Shape{}, c.blank...))
				}
				layertest.CheckNear(t, &Ops[0], attributesOf(c.at), ir.Shape{1}, []float64{c.want}, 1e-4, inputs...)
			}
		})
	}
}

// TestLong has rows longer than a piece. All classes but the last are equally probable.
func TestLong(t *testing.T) {
	const n = 2*piece + 3
	logits := make([]float64, 2*n)
	logits[n-1], logits[2*n-1] = -2000, -2000
	for _, elementType := range floats.Types {
		layertest.CheckNear(t, &Ops[0], layertest.Attributes{"unique", "true"}, ir.Shape{1}, []float64{2 * math.Log(n-1)}, 20*tolerances[elementType],
			layertest.Numbers(t, elementType, ir.Shape{1, 2, n}, logits...), layertest.Ints(t, ir.I32, ir.Shape{1}, 2),
			layertest.Ints(t, ir.I32, ir.Shape{1, 2}, 5, piece), layertest.Ints(t, ir.I32, ir.Shape{1}, 2))
		logits[piece] = math.NaN()
		layertest.CheckNear(t, &Ops[0], nil, ir.Shape{1}, []float64{math.NaN()}, 0,
			layertest.Numbers(t, elementType, ir.Shape{1, 2, n}, logits...), layertest.Ints(t, ir.I32, ir.Shape{1}, 2),
			layertest.Ints(t, ir.I32, ir.Shape{1, 2}, 5, piece), layertest.Ints(t, ir.I32, ir.Shape{1}, 2))
		logits[piece] = 0
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		want                  string
		classes               int
		steps, length, labels []int64
		blank                 []int64
	}{
		{"logit_length[1] is 5, expected 0 to 4", 3, []int64{4, 5}, []int64{1, 1}, make([]int64, 8), nil},
		{"logit_length[0] is -1, expected 0 to 4", 3, []int64{-1, 5}, []int64{1, 1}, make([]int64, 8), nil},
		{"label_length[1] is 3, expected 0 to 2, the logit_length", 3, []int64{4, 2}, []int64{4, 3}, make([]int64, 8), nil},
		{"label_length[0] is -1, expected 0 to 4, the logit_length", 3, []int64{4, 2}, []int64{-1, 3}, make([]int64, 8), nil},
		{"labels[1,2] is 3, expected 0 to 2", 3, []int64{4, 4}, []int64{4, 3}, []int64{0, 0, 0, 0, 0, 0, 3, 9}, nil},
		{"labels[0,0] is -1, expected 0 to 2", 3, []int64{4, 4}, []int64{4, 3}, []int64{-1, 0, 0, 0, 0, 0, 3, 9}, nil},
		{"blank_index is 3, expected 0 to 2", 3, []int64{4, 4}, []int64{4, 3}, make([]int64, 8), []int64{3}},
		{"blank_index is -1, expected 0 to 2", 3, []int64{4, 4}, []int64{4, 3}, make([]int64, 8), []int64{-1}},
		{"logits has shape [2,4,0]: there are no classes", 0, []int64{4, 4}, []int64{4, 3}, make([]int64, 8), nil},
	} {
		inputs := []*ir.Tensor{
			layertest.Numbers(t, ir.F32, ir.Shape{2, 4, c.classes}), layertest.Ints(t, ir.I64, ir.Shape{2}, c.steps...),
			layertest.Ints(t, ir.I64, ir.Shape{2, 4}, c.labels...), layertest.Ints(t, ir.I64, ir.Shape{2}, c.length...),
		}
		if c.blank != nil {
			inputs = append(inputs, layertest.Ints(t, ir.I64, ir.Shape{}, c.blank...))
		}
		_, err := layertest.Run(&Ops[0], nil, 1, inputs...)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range floats.Types {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"unique", "true"},
			layertest.Numbers(t, elementType, ir.Shape{3, 10, 30}), layertest.Ints(t, ir.I32, ir.Shape{3}, 10, 9, 8),
			layertest.Numbers(t, ir.I64, ir.Shape{3, 10}), layertest.Ints(t, ir.I32, ir.Shape{3}, 4, 5, 6))
	}
}
