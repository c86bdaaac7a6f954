package detection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/subnormal"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestSort(t *testing.T) {
	t.Run("f32", testSort[float32])
	t.Run("f64", testSort[float64])
}

// testSort compares with a stable sort. Few different scores make many ties.
func testSort[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	special := []float64{math.NaN(), -math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)}
	for _, n := range []int{0, 1, 2, 7, fewCandidates - 1, fewCandidates, 500, manyCandidates + 1} {
		for _, different := range []int{1, 4, 1 << 30} {
			got := make([]Candidate[T], n)
			for i := range got {
				v := float64(rng.IntN(different))/1000 - 1
				if rng.IntN(10) == 0 {
					v = special[rng.IntN(len(special))]
				}
				got[i] = Candidate[T]{T(v), int32(i)}
			}
			want := slices.Clone(got)
			slices.SortStableFunc(want, func(a, b Candidate[T]) int {
				switch {
				case a.Score > b.Score, a.Score == a.Score && b.Score != b.Score:
					return -1
				case a.Score < b.Score, a.Score != a.Score && b.Score == b.Score:
					return 1
				}
				return 0
			})
			spare := make([]Candidate[T], n)
			for rest := got; len(rest) > 0; {
				best := Best(&parallel.Meter{}, rest, spare, rng.IntN(n+1))
				Sort(&parallel.Meter{}, rest[:best], spare)
				rest = rest[best:]
			}
			for i := range want {
				require.Equal(t, want[i].Index, got[i].Index, "%d of %d scores, %d different", i, n, different)
			}
		}
	}
}

// eachInstructionSet runs a test with all instructions of the processor, and with fewer.
func eachInstructionSet(t *testing.T, test func(t *testing.T)) {
	t.Run("all", test)
	defer cpu.AVX512.Disable()()
	t.Run("without AVX-512", test)
	defer cpu.AVX2.Disable()()
	t.Run("portable", test)
}

func TestAbove(t *testing.T) { eachInstructionSet(t, testAbove) }

func testAbove(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 100 {
		scores := make([]float32, n)
		want := []Candidate[float32]{}
		for i := range scores {
			scores[i] = float32(rng.IntN(8)) / 4
			if rng.IntN(9) == 0 {
				scores[i] = float32(math.NaN())
			}
			if scores[i] > 1.5 {
				want = append(want, Candidate[float32]{scores[i], int32(i)})
			}
		}
		// The first candidate stays, and nothing is written behind the capacity.
		all := make([]Candidate[float32], n+2)
		got := Above(&parallel.Meter{}, all[:1:n+1], scores, 1.5)
		assert.Equal(t, want, got[1:])
		assert.Zero(t, all[0])
		assert.Zero(t, all[n+1])
	}
	assert.Empty(t, Above(&parallel.Meter{}, make([]Candidate[float32], 0, 2), []float32{1, 2}, float32(math.NaN())))
}

func TestIoU(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		a, b   [4]float32
		extent float32
		want   float32
	}{
		{[4]float32{0, 0, 2, 2}, [4]float32{1, 1, 3, 3}, 0, 1. / 7},
		{[4]float32{0, 0, 2, 2}, [4]float32{1, 1, 3, 3}, 1, 4. / 14},
		{[4]float32{0, 0, 2, 2}, [4]float32{0, 0, 2, 2}, 0, 1},
		{[4]float32{0, 0, 2, 2}, [4]float32{2, 0, 3, 2}, 0, 0},
		{[4]float32{0, 0, 1, 1}, [4]float32{2, 0, 3, 1}, 1, 0},
		{[4]float32{1, 1, 1, 1}, [4]float32{1, 1, 1, 1}, 0, 0},
		{[4]float32{1, 1, 1, 1}, [4]float32{1, 1, 1, 1}, 1, 1},
		{[4]float32{2, 2, 0, 0}, [4]float32{2, 2, 0, 0}, 0, 0}, // corners in the wrong order
		{[4]float32{0, 0, inf, 1}, [4]float32{0, 0, 1, 1}, 0, 0},
		{[4]float32{0, 0, inf, 1}, [4]float32{0, 0, inf, 1}, 0, nan},
		{[4]float32{nan, 0, 1, 1}, [4]float32{0, 0, 1, 1}, 0, nan},
	} {
		a := BoxOf(c.a[0], c.a[1], c.a[2], c.a[3], c.extent)
		b := BoxOf(c.b[0], c.b[1], c.b[2], c.b[3], c.extent)
		for _, got := range []float32{a.IoU(&b, c.extent), b.IoU(&a, c.extent)} {
			if c.want != c.want {
				assert.True(t, got != got, "%v", c)
			} else {
				assert.InDelta(t, c.want, got, 1e-6, "%v", c)
			}
		}
	}
}

// TestSelection compares with the IoU of all pairs, for boxes apart, that touch and that overlap,
// for coordinates so large that adding the extent does not change them, and for those that are not
// finite.
func TestSelection(t *testing.T) { eachInstructionSet(t, testSelection) }

func testSelection(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 3000 {
		extent := float32(rng.IntN(2))
		scale := []float32{1, 0.3, 1 << 25, 1 << 26, 1e30, 3e37}[rng.IntN(6)]
		number := func() float32 {
			if round%2 == 0 && rng.IntN(50) == 0 {
				return []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[rng.IntN(3)]
			}
			return float32(rng.IntN(19)-9) * scale
		}
		limit := rng.IntN(200)
		var s ops.Scratch
		memory := SelectionMemoryOf[float32](&s, 2, limit)
		above := []float32{-1, Before[float32](0), 0, 0.3, Before[float32](0.5), 1, float32(math.NaN())}[rng.IntN(7)]
		selection := memory.New(&ops.Run{Scratch: ir.AlignedBytes(s.Bytes())}, rng.IntN(2), above, extent)
		selection.NoAreaNoIoU = rng.IntN(2) == 0
		selection.few = []int{fewBoxes, fewForVectors}[rng.IntN(2)]
		var want []Box[float32]
		for range 400 {
			if len(want) == limit {
				break
			}
			x, y := number(), number()
			box := BoxOf(x, y, x+float32(rng.IntN(4))*scale, y+float32(rng.IntN(4)-1)*scale, extent)
			overlaps := false
			for _, other := range want {
				overlaps = overlaps || box.IoU(&other, extent) > above && (box.Area+other.Area != 0 || !selection.NoAreaNoIoU)
			}
			if !overlaps {
				want = append(want, box)
			}
			require.Equal(t, !overlaps, selection.Add(&box), "%v and %v, extent %v, above %v", box, want, extent, above)
		}
		require.Equal(t, len(want), selection.Len())
		for i := range want {
			require.Equal(t, fmt.Sprint(want[i]), fmt.Sprint(*selection.At(i)))
		}
	}
}

func TestBefore(t *testing.T) {
	for _, v := range []float32{0, 0.5, 1, -1, math.MaxFloat32} {
		assert.True(t, v > Before(v), v)
		assert.False(t, math.Nextafter32(v, float32(math.Inf(-1))) > Before(v), v)
		assert.True(t, float64(v) > Before(float64(v)), v)
	}
	assert.True(t, Before(float32(math.NaN())) != Before(float32(math.NaN())))

	mode := subnormal.Flush()
	v, before := float32(0), Before(float32(0))
	above, belowIsNot := v > before, !(-0x1p-126 > before)
	mode.Restore()
	assert.True(t, above && belowIsNot, "%v", before)
}

func TestAllocations(t *testing.T) {
	const n = 1000
	candidates, spare := make([]Candidate[float32], n), make([]Candidate[float32], n)
	scores := make([]float32, n)
	var s ops.Scratch
	memory := SelectionMemoryOf[float32](&s, 1, n)
	r := &ops.Run{Scratch: ir.AlignedBytes(s.Bytes())}
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		meter := parallel.Stop(nil).Meter()
		found := Above(&meter, candidates[:0], scores, -1)
		Sort(&meter, found, spare)
		selection := memory.New(r, 0, 0.5, 1)
		for _, c := range found {
			box := BoxOf(float32(10*c.Index), 0, float32(10*c.Index), 5, 1)
			selection.Add(&box)
		}
	}))
}

// TestStopped has a stop before the work, which ends after at most the work between two checks.
func TestStopped(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	scores := make([]float32, 1<<20)
	meter := parallel.Stop(stop).Meter()
	found := Above(&meter, make([]Candidate[float32], 0, len(scores)), scores, -1)
	assert.Less(t, len(found), len(scores))
	Sort(&meter, make([]Candidate[float32], 1<<20), make([]Candidate[float32], 1<<20))
}

func BenchmarkSelection(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	boxes := make([]Box[float32], 400)
	for i := range boxes {
		x, y := 600*rng.Float32(), 600*rng.Float32()
		boxes[i] = BoxOf(x, y, x+10+50*rng.Float32(), y+10+50*rng.Float32(), 0)
	}
	var s ops.Scratch
	memory := SelectionMemoryOf[float32](&s, 1, len(boxes))
	r := &ops.Run{Scratch: ir.AlignedBytes(s.Bytes())}
	for b.Loop() {
		selection := memory.New(r, 0, 0.5, 0)
		for i := range boxes {
			selection.Add(&boxes[i])
		}
	}
}
