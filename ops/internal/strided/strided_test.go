package strided

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/ir"
)

// counted returns a tensor in which every element depends on its position.
func counted(t testing.TB, elementType ir.ElementType, n int) *ir.Tensor {
	tensor, err := ir.NewTensor(elementType, n)
	require.NoError(t, err)
	size := elementType.Size()
	for i := range n {
		switch {
		case elementType == ir.String:
			tensor.Strings()[i] = fmt.Sprint(i)
		case size == 0:
			tensor.SetPacked(i, uint8(i*5+1))
		default:
			tensor.Bytes()[i*size] = byte(i)
			tensor.Bytes()[(i+1)*size-1] ^= byte(i >> 8)
		}
	}
	return tensor
}

func element(t *ir.Tensor, i int) any {
	size := t.ElementType().Size()
	switch {
	case t.ElementType() == ir.String:
		return t.Strings()[i]
	case size == 0:
		return t.Packed(i)
	}
	return string(t.Bytes()[i*size : (i+1)*size])
}

func randomView(rng *rand.Rand) (v View, elements int) {
	lo, hi := 0, 0
	for range rng.IntN(6) {
		n, stride := rng.IntN(6), rng.IntN(9)-4
		if rng.IntN(4) > 0 {
			n = 1 + rng.IntN(4)
		}
		if k := len(v.Strides); k > 0 && rng.IntN(2) == 0 {
			v.Strides[k-1] = n * stride // adjacent axes that merge joins
		}
		v.Lengths, v.Strides = append(v.Lengths, n), append(v.Strides, stride)
	}
	for k, n := range v.Lengths {
		lo += min((n-1)*v.Strides[k], 0)
		hi += max((n-1)*v.Strides[k], 0)
	}
	v.Offset = -lo
	return v, hi - lo + 1
}

func TestMerge(t *testing.T) {
	dense := func(lengths ...int) View { return View{Lengths: lengths, Strides: Strides(lengths)} }
	one := func(v View) []axis { return merge(dense(v.Lengths...), v) }
	assert.Equal(t, []axis{{24, 1, 1}}, one(dense(2, 1, 3, 4)))
	assert.Empty(t, one(View{Offset: 5, Lengths: []int{1, 1}, Strides: []int{7, 9}}))
	assert.Equal(t, []axis{{6, 2, 0}, {2, 1, 1}}, one(View{Lengths: []int{2, 3, 2}, Strides: []int{0, 0, 1}}))
	assert.Equal(t, []axis{{2, 12, 1}, {12, 1, 2}}, one(View{Lengths: []int{2, 3, 4}, Strides: []int{1, 8, 2}}))
}

// compare runs c in parts of random lengths, and compares every element of dst with src.
func compare(t *testing.T, rng *rand.Rand, c *Copier, dst, src *ir.Tensor, to, from View) {
	for lo := 0; lo < c.Rows; {
		hi := min(lo+1+rng.IntN(c.Rows), c.Rows)
		c.Run(nil, dst, src, lo, hi)
		lo = hi
	}
	for i := range ir.Shape(from.Lengths).Elements() {
		if element(src, from.At(i)) != element(dst, to.At(i)) {
			require.Fail(t, "differs", "%v to %v from %v element %d", src.ElementType(), to, from, i)
		}
	}
}

func TestCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for elementType := ir.Boolean; elementType <= ir.Complex128; elementType++ {
		for range 300 {
			v, n := randomView(rng)
			dst, err := ir.NewTensor(elementType, ir.Shape(v.Lengths).Elements())
			require.NoError(t, err)
			compare(t, rng, Copy(elementType, v), dst, counted(t, elementType, n), View{Lengths: v.Lengths, Strides: Strides(v.Lengths)}, v)
		}
	}
}

// TestTranspose transposes planes with lengths below, at and above those of tiles and squares,
// in all orders of three axes.
func TestTranspose(t *testing.T) {
	t.Run("vectors", checkTransposes)
	defer cpu.AVX2.Disable()()
	t.Run("words", checkTransposes)
}

func checkTransposes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	lengths := []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130, 257}
	for elementType := ir.Boolean; elementType <= ir.Complex128; elementType++ {
		for range 40 {
			shape := []int{lengths[rng.IntN(len(lengths))], lengths[rng.IntN(len(lengths))], 1 + rng.IntN(3)}
			rng.Shuffle(3, func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
			var v View
			strides := Strides(shape)
			for _, axis := range rng.Perm(3) {
				v.Lengths, v.Strides = append(v.Lengths, shape[axis]), append(v.Strides, strides[axis])
			}
			dst, err := ir.NewTensor(elementType, ir.Shape(v.Lengths).Elements())
			require.NoError(t, err)
			compare(t, rng, Copy(elementType, v), dst, counted(t, elementType, ir.Shape(v.Lengths).Elements()), View{Lengths: v.Lengths, Strides: Strides(v.Lengths)}, v)
		}
	}
}

// TestMove sets parts of a contiguous tensor, with positive and negative steps, and checks that
// the elements between them do not change.
func TestMove(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for elementType := ir.Boolean; elementType <= ir.Complex128; elementType++ {
		for range 60 {
			shape := []int{1 + rng.IntN(6), 1 + rng.IntN(40), 1 + rng.IntN(40)}
			to := View{Strides: Strides(shape)}
			for k, n := range shape {
				step := []int{1, 1, 1, 2, -1, -3}[rng.IntN(6)]
				first := rng.IntN(n)
				length := 1 + rng.IntN((n-1-first)/max(step, 1)+1)
				if step < 0 {
					length = 1 + rng.IntN(first/-step+1)
				}
				to.Offset += first * to.Strides[k]
				to.Lengths, to.Strides[k] = append(to.Lengths, length), to.Strides[k]*step
			}
			from := View{Lengths: to.Lengths, Strides: Strides(to.Lengths)}
			n := shape[0] * shape[1] * shape[2]
			dst, before := counted(t, elementType, n), counted(t, elementType, n)
			src := counted(t, elementType, ir.Shape(from.Lengths).Elements()+7)
			from.Offset = rng.IntN(8)
			compare(t, rng, Move(elementType, to, from), dst, src, to, from)
			set := make(map[int]bool)
			for i := range ir.Shape(to.Lengths).Elements() {
				set[to.At(i)] = true
			}
			for i := range n {
				if !set[i] && element(before, i) != element(dst, i) {
					require.Fail(t, "overwritten", "%v %v element %d", elementType, to, i)
				}
			}
		}
	}
}

// TestRepeat has fewer and more elements than repeat keeps doubling.
func TestRepeat(t *testing.T) {
	for _, n := range []int{1, 3, 64, 5000} {
		for _, times := range []int{1, 2, 3, 100} {
			row, dst := make([]int32, n), make([]int32, n*times+1)
			for i := range row {
				row[i] = int32(i + 1)
			}
			repeat(dst[:n*times], row)
			for i, v := range dst[:n*times] {
				require.EqualValues(t, i%n+1, v)
			}
			require.Zero(t, dst[n*times])
		}
	}
}

// TestFill has rows that are shorter and longer than the loop of Fill.
func TestFill(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 127, 128, 129, 1000} {
		got := make([]int32, n+1)
		Fill(got[:n], 7)
		for i := range n {
			require.EqualValues(t, 7, got[i])
		}
		require.Zero(t, got[n])
	}
}

func BenchmarkCopy(b *testing.B) {
	for _, c := range []struct {
		name string
		view View
	}{
		{"rows of 64", View{Lengths: []int{1024, 64}, Strides: []int{128, 1}}},
		{"rows of 4", View{Lengths: []int{16384, 4}, Strides: []int{8, 1}}},
		{"repeated rows", View{Lengths: []int{1024, 64}, Strides: []int{0, 1}}},
		{"repeated elements", View{Lengths: []int{1024, 64}, Strides: []int{1, 0}}},
		{"backwards", View{Offset: 65535, Lengths: []int{65536}, Strides: []int{-1}}},
		{"transposed", View{Lengths: []int{256, 256}, Strides: []int{1, 256}}},
		{"interleaved", View{Lengths: []int{16384, 3}, Strides: []int{1, 16384}}},
		{"taken apart", View{Lengths: []int{3, 16384}, Strides: []int{1, 3}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			src, dst := counted(b, ir.F32, 131072), counted(b, ir.F32, ir.Shape(c.view.Lengths).Elements())
			copier := Copy(ir.F32, c.view)
			b.SetBytes(int64(len(dst.Bytes())))
			b.ReportAllocs()
			for b.Loop() {
				copier.Run(nil, dst, src, 0, copier.Rows)
			}
		})
	}
}
