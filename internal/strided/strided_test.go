package strided

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// counted returns a tensor in which every element tells its position, as far as
// the type holds it, and the element's text.
func counted(t testing.TB, elementType ir.ElementType, n int) *ir.Tensor {
	tensor, err := ir.NewTensor(elementType, n)
	require.NoError(t, err)
	size := elementType.Size()
	for i := range n {
		switch {
		case elementType == ir.String:
			tensor.Strings()[i] = string(rune('a' + i))
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
			v.Strides[k-1] = n * stride // the neighbours that Merge joins
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
	assert.Equal(t, View{Lengths: []int{24}, Strides: []int{1}},
		View{Lengths: []int{2, 1, 3, 4}, Strides: Strides([]int{2, 1, 3, 4})}.Merge())
	assert.Equal(t, View{Offset: 5}, View{Offset: 5, Lengths: []int{1, 1}, Strides: []int{7, 9}}.Merge())
	assert.Equal(t, View{Lengths: []int{6, 2}, Strides: []int{0, 1}},
		View{Lengths: []int{2, 3, 2}, Strides: []int{0, 0, 1}}.Merge())
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		v, _ := randomView(rng)
		m := v.Merge()
		require.Equal(t, v.Len(), m.Len())
		for i := range v.Len() {
			require.Equal(t, v.At(i), m.At(i), "%v", v)
		}
	}
}

func TestCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for elementType := ir.Boolean; elementType <= ir.Complex128; elementType++ {
		for range 300 {
			v, n := randomView(rng)
			src := counted(t, elementType, n)
			dst, err := ir.NewTensor(elementType, v.Len())
			require.NoError(t, err)
			c := Copy(elementType, v)
			for lo := 0; lo < c.Rows; { // in parts of any size
				hi := min(lo+1+rng.IntN(c.Rows), c.Rows)
				c.Run(dst, src, lo, hi)
				lo = hi
			}
			for i := range v.Len() {
				require.Equal(t, element(src, v.At(i)), element(dst, i), "%v %v element %d", elementType, v, i)
			}
		}
	}
}

// TestFill has rows on both sides of where fill starts to copy.
func TestFill(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 127, 128, 129, 1000} {
		got := make([]int32, n+1)
		fill(got[:n], 7)
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
	} {
		b.Run(c.name, func(b *testing.B) {
			src, dst := counted(b, ir.F32, 131072), counted(b, ir.F32, c.view.Len())
			copier := Copy(ir.F32, c.view)
			b.SetBytes(int64(len(dst.Bytes())))
			b.ReportAllocs()
			for b.Loop() {
				copier.Run(dst, src, 0, copier.Rows)
			}
		})
	}
}
