package detection

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestRefinement(t *testing.T) {
	r := Refinement[float64]{MaxLog: math.Log(4)}
	assert.Equal(t, [4]float64{10, 20, 14, 28}, r.Apply([4]float64{10, 20, 14, 28}, 0, 0, 0, 0))
	assert.Equal(t, [4]float64{12, 16, 16, 24}, r.Apply([4]float64{10, 20, 14, 28}, 0.5, -0.5, 0, 0))
	got := r.Apply([4]float64{10, 20, 14, 28}, 0, 0, math.Log(2), 100)
	for i, want := range []float64{8, 8, 16, 40} {
		assert.InDelta(t, want, got[i], 1e-12)
	}
	r = Refinement[float64]{Extent: 1, Inset: 1, MaxLog: math.Inf(1)}
	assert.Equal(t, [4]float64{0, 0, 3, 7}, r.Apply([4]float64{0, 0, 3, 7}, 0, 0, 0, 0))
	assert.Equal(t, [4]float64{4, -8, 7, -1}, r.Apply([4]float64{0, 0, 3, 7}, 1, -1, 0, 0))
	assert.True(t, math.IsNaN(r.Apply([4]float64{0, 0, 3, 7}, 0, 0, math.NaN(), 0)[0]))
}

func TestClip(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	assert.Equal(t, [4]float64{0, 0, 5, 7}, Clip([4]float64{-1, nan, 6, inf}, 5, 7))
	assert.Equal(t, [4]float64{0, 0, 0, 0}, Clip([4]float64{-1, nan, 6, inf}, -5, 0))
	assert.Equal(t, [4]float64{1, 2, 3, 4}, Clip([4]float64{1, 2, 3, 4}, 3, 4))
}

// list returns a list of boxes with scores 9, 8, 7, ...
func list(t *testing.T, boxes ...[4]float32) Proposals[float32] {
	var s ops.Scratch
	g, err := NewGrid[float32](&s, ir.F32, 1, 1, 1, len(boxes), 100)
	require.NoError(t, err)
	p := g.Image(&ops.Run{Scratch: ir.AlignedBytes(s.Bytes())}, 0)
	for i, box := range boxes {
		require.False(t, p.Full())
		p.Add(box, Candidate[float32]{float32(9 - i), int32(i)})
	}
	require.True(t, p.Full())
	return p
}

func TestPick(t *testing.T) {
	nan := float32(math.NaN())
	far, square, shifted, point := [4]float32{20, 20, 24, 24}, [4]float32{0, 0, 4, 4}, [4]float32{1, 0, 5, 4}, [4]float32{6, 6, 6, 6}
	near, empty := [4]float32{6.25, 6.25, 6.25, 6.25}, [4]float32{}
	for _, c := range []struct {
		name   string
		picker Picker[float32]
		boxes  [][4]float32
		want   []int32
	}{
		{"overlap", Picker[float32]{Above: 0.5, Limit: 9}, [][4]float32{square, shifted, far, square}, []int32{0, 2}},
		{"equal to the threshold", Picker[float32]{Above: 0.6, Limit: 9}, [][4]float32{square, shifted}, []int32{0, 1}},
		{"pixels", Picker[float32]{Above: 0.6, Extent: 1, Limit: 9}, [][4]float32{square, shifted}, []int32{0}},
		{"a limit", Picker[float32]{Above: 0.5, Limit: 1}, [][4]float32{square, far}, []int32{0}},
		{"no room", Picker[float32]{Above: 0.5}, [][4]float32{square, far}, []int32{}},
		{"apart", Picker[float32]{Above: 0.1, Extent: 1, Limit: 9}, [][4]float32{point, near}, []int32{0, 1}},
		{"points", Picker[float32]{Above: 0.1, Extent: 1, Limit: 9}, [][4]float32{point, point}, []int32{0}},
		{"without area", Picker[float32]{Above: 0.1, Limit: 9}, [][4]float32{empty, empty, empty}, []int32{0, 1, 2}},
		{"a negative threshold", Picker[float32]{Above: -1, Limit: 9}, [][4]float32{square, far, {0, 20, 4, 24}, {-9, 0, -5, 4}}, []int32{0}},
		{"NaN", Picker[float32]{Above: 0.1, Limit: 9}, [][4]float32{{nan, 0, 4, 4}, square, {nan, 0, 4, 4}}, []int32{0, 1, 2}},
		{"a threshold of NaN", Picker[float32]{Above: nan, Limit: 9}, [][4]float32{square, square}, []int32{0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := list(t, c.boxes...)
			meter := parallel.Stop(nil).Meter()
			p.Pick(&c.picker, &meter)
			require.Len(t, c.want, p.Len())
			for i, want := range c.want {
				assert.Equal(t, Candidate[float32]{float32(9 - want), want}, p.Candidates[i])
				for j, v := range c.boxes[want] {
					if v == v {
						assert.Equal(t, v, p.Box(i)[j])
					}
				}
			}
		})
	}
}

// TestPick_vectors compares with the comparison of one pair after the other, for boxes that also
// touch, have no area or corners in the wrong order.
func TestPick_vectors(t *testing.T) {
	eachInstructionSet(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		for range 300 {
			boxes := make([][4]float32, rng.IntN(100))
			for i := range boxes {
				x, y := float32(rng.IntN(60))/4, float32(rng.IntN(60))/4
				boxes[i] = [4]float32{x, y, x + float32(rng.IntN(12)-1)/2, y + float32(rng.IntN(12)-1)/2}
				if rng.IntN(40) == 0 {
					boxes[i][rng.IntN(4)] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[rng.IntN(3)]
				}
			}
			picker := Picker[float32]{Above: []float32{0, 0.1, 0.5, -1}[rng.IntN(4)], Extent: float32(rng.IntN(2)), Limit: 1 + rng.IntN(100)}
			got, want, meter := list(t, boxes...), list(t, boxes...), parallel.Stop(nil).Meter()
			want.vector = 0
			got.Pick(&picker, &meter)
			want.Pick(&picker, &meter)
			require.Equal(t, want.Candidates[:want.Len()], got.Candidates[:got.Len()], "%v, %v", picker, boxes)
		}
	})
}

func TestGrid(t *testing.T) {
	var s ops.Scratch
	g, err := NewGrid[float32](&s, ir.F16, 2, 2, 1, 3, 4)
	require.NoError(t, err)
	assert.Equal(t, []int{6, 4}, []int{g.Boxes(), g.Limit()})
	r := &ops.Run{Scratch: ir.AlignedBytes(s.Bytes())}
	data, err := ir.NewTensor(ir.F16, 2, 8, 1, 3)
	require.NoError(t, err)
	for i := range data.Len() {
		WriteNumber(data, i, float32(i%7))
	}
	assert.Equal(t, float32(23%7), g.At(data, 23))
	// Box 3 is anchor 1 of column 1.
	for k := range 4 {
		assert.Equal(t, float32((24+(4+k)*3+1)%7), g.Delta(data, 24, 3, k))
	}
	p, meter := g.Image(r, 1), parallel.Stop(nil).Meter()
	g.Sort(&p, data, 5, &meter) // anchor 0: 5 6 0, anchor 1: 1 2 3
	var order []int32
	for _, c := range p.Candidates {
		order = append(order, c.Index)
	}
	assert.Equal(t, []int32{2, 0, 5, 3, 1, 4}, order)

	_, err = NewGrid[float32](&s, ir.F32, 1, 1<<16, 1<<10, 1<<6, 4)
	assert.ErrorContains(t, err, "an image has 4294967296 boxes, more than fit 32 bits")
	_, err = NewGrid[float32](&s, ir.I32, 1, 1, 1, 1, 4)
	assert.ErrorContains(t, err, "the input is i32")
}
