package stridedslice

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// entry is an element of begin, end and strides, with its bits of the masks.
type entry struct {
	begin, end, step              int64
	beginMask, endMask            bool
	newAxis, shrinkAxis, ellipsis bool
}

// positions returns the positions that an entry selects from an axis of n elements.
func (e entry) positions(n int64) []int {
	at := func(v, lo, hi int64) int64 {
		if v < 0 {
			v += n
		}
		return max(min(v, hi), lo)
	}
	var list []int
	if e.shrinkAxis {
		return []int{int(at(e.begin, 0, n-1))}
	}
	if e.step > 0 {
		i, end := at(e.begin, 0, n), at(e.end, 0, n)
		if e.beginMask {
			i = 0
		}
		if e.endMask {
			end = n
		}
		for ; i < end; i += e.step {
			list = append(list, int(i))
		}
		return list
	}
	i, end := min(at(e.begin, 0, n), n-1), at(e.end, -1, n-1)
	if e.beginMask {
		i = n - 1
	}
	if e.endMask {
		end = -1
	}
	for ; i > end; i += e.step {
		list = append(list, int(i))
	}
	return list
}

// axisOf is an axis of the output, or an axis that is removed: the axis of data, -1 for a new axis,
// and the positions along it.
type axisOf struct {
	data int
	at   []int
	drop bool
}

// reference returns the axes that entries make of a shape.
func reference(shape []int, entries []entry) []axisOf {
	whole := func(k int) axisOf {
		a := axisOf{data: k}
		for i := range shape[k] {
			a.at = append(a.at, i)
		}
		return a
	}
	var axes []axisOf
	k := 0
	for i, e := range entries {
		switch {
		case e.ellipsis:
			left := 0
			for _, later := range entries[i+1:] {
				if !later.newAxis {
					left++
				}
			}
			for ; k < len(shape)-left; k++ {
				axes = append(axes, whole(k))
			}
		case e.newAxis:
			axes = append(axes, axisOf{data: -1, at: []int{0}})
		default:
			axes = append(axes, axisOf{data: k, at: e.positions(int64(shape[k])), drop: e.shrinkAxis})
			k++
		}
	}
	for ; k < len(shape); k++ {
		axes = append(axes, whole(k))
	}
	return axes
}

// compare runs a layer and compares it with a slice coordinate by coordinate.
func compare(t *testing.T, data *ir.Tensor, entries []entry, threads int) {
	t.Helper()
	axes := reference(data.Shape(), entries)
	all, shape := ir.Shape{}, ir.Shape{}
	for _, a := range axes {
		all = append(all, len(a.at))
		if !a.drop {
			shape = append(shape, len(a.at))
		}
	}
	want := make([]string, all.Elements())
	for i := range want {
		at := make([]int, len(data.Shape()))
		for k, c := range index.Position(i, all) {
			if axes[k].data >= 0 {
				at[axes[k].data] = axes[k].at[c]
			}
		}
		from := 0
		for k, n := range data.Shape() {
			from = from*n + at[k]
		}
		want[i] = layertest.Element(data, from)
	}
	masks := make([][]string, 5)
	begins, ends, steps := []int64{}, []int64{}, []int64{}
	for _, e := range entries {
		begins, ends, steps = append(begins, e.begin), append(ends, e.end), append(steps, e.step)
		for i, bit := range []bool{e.beginMask, e.endMask, e.newAxis, e.shrinkAxis, e.ellipsis} {
			masks[i] = append(masks[i], map[bool]string{false: "0", true: "1"}[bit])
		}
	}
	var attributes layertest.Attributes
	for i, name := range []string{"begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask"} {
		attributes = append(attributes, name, strings.Join(masks[i], ","))
	}
	n := ir.Shape{len(entries)}
	what := fmt.Sprintf("%v%v %+v", data.ElementType(), data.Shape(), entries)
	got, err := layertest.Run(&Ops[0], attributes, threads, data, layertest.Ints(t, ir.I64, n, begins...), layertest.Ints(t, ir.I32, n, ends...), layertest.Ints(t, ir.I64, n, steps...))
	require.NoError(t, err, what)
	require.Equal(t, shape, got.Shape(), what)
	require.Equal(t, want, layertest.Elements(got), what)
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	chance := func(n int) bool { return rng.IntN(n) == 0 }
	for i := range 1500 {
		shape := make([]int, 1+rng.IntN(4))
		for k := range shape {
			shape[k] = 1 + rng.IntN(6)
		}
		var entries []entry
		hasEllipsis, left := false, len(shape)
		for left > 0 && !chance(4) {
			e := entry{begin: rng.Int64N(15) - 7, end: rng.Int64N(15) - 7, step: []int64{-3, -2, -1, 1, 1, 2, 3}[rng.IntN(7)], beginMask: chance(4), endMask: chance(4), newAxis: chance(6)}
			switch {
			case !hasEllipsis && chance(8):
				hasEllipsis, e.ellipsis, e.newAxis = true, true, false
			case !e.newAxis && chance(5):
				n := int64(shape[len(shape)-1])
				for _, d := range shape {
					n = min(n, int64(d)) // a position that is inside every axis
				}
				e.shrinkAxis, e.beginMask, e.begin = true, false, rng.Int64N(2*n)-n
			}
			if !e.ellipsis && !e.newAxis {
				left--
			}
			entries = append(entries, e)
		}
		compare(t, layertest.Counted(t, types[i%len(types)], shape...), entries, 1+i%2)
	}
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	data := layertest.Counted(t, ir.I32, 300, 500)
	compare(t, data, []entry{{begin: 3, end: 290, step: 2}, {begin: -2, end: 1, step: -1}}, 3)
	compare(t, data, []entry{{begin: 1, end: 299, step: 1}, {newAxis: true, step: 1}}, 3)
}

func TestErrors(t *testing.T) {
	one := func(v int64) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{1}, v) }
	for _, begin := range []int64{4, -5} {
		_, err := layertest.Run(&Ops[0], layertest.Attributes{"begin_mask", "0", "shrink_axis_mask", "1"}, 1, layertest.Counted(t, ir.F32, 4), one(begin), one(9))
		require.EqualError(t, err, fmt.Sprintf("begin[0] is %d, outside of the 4 elements of axis 0, which shrink_axis_mask drops", begin))
	}
}

func TestKernel_allocations(t *testing.T) {
	two := layertest.Ints(t, ir.I64, ir.Shape{2}, 1, 1)
	layertest.CheckAllocations(t, &Ops[0], nil, layertest.Counted(t, ir.F32, 8, 3), two, layertest.Ints(t, ir.I64, ir.Shape{2}, 7, 3), two)
}

// FuzzKernel slices tensors with two axes with an entry for axis 0.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(3), uint8(4), int8(1), int8(-1), int8(1), uint8(0), uint8(7))
	f.Add(uint8(5), uint8(2), int8(-1), int8(0), int8(-2), uint8(3), uint8(0))
	f.Fuzz(func(t *testing.T, a, b uint8, begin, end, step int8, masks, elementType uint8) {
		types := layertest.Types()
		n := int64(1 + a%9)
		e := entry{begin: int64(begin), end: int64(end), step: int64(step), beginMask: masks&1 > 0, endMask: masks&2 > 0, newAxis: masks&4 > 0, shrinkAxis: masks&8 > 0, ellipsis: masks&16 > 0}
		if step == 0 || e.shrinkAxis && (e.begin < -n || e.begin >= n || e.beginMask || e.newAxis || e.ellipsis) {
			return
		}
		compare(t, layertest.Counted(t, types[int(elementType)%len(types)], int(n), int(b%9)), []entry{e}, 2)
	})
}
