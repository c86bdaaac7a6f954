package memory

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

func TestBytes(t *testing.T) {
	assert.Nil(t, Bytes(0))
	for _, n := range []int{1, 63, 64, 1000, minHuge - 1, minHuge, 3*minHuge + 17} {
		b := Bytes(n)
		assert.Len(t, b, n)
		assert.Equal(t, n, cap(b))
		assert.Zero(t, uintptr(unsafe.Pointer(&b[0]))%Align)
		sum := 0
		for _, v := range b {
			sum += int(v)
		}
		assert.Zero(t, sum)
		b[0], b[n-1] = 1, 1
	}
}

func TestPadded(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 64, 63: 64, 64: 64, 65: 128} {
		assert.Equal(t, want, Padded[byte](n))
		assert.Equal(t, want/4, Padded[float32]((n+3)/4))
		assert.Equal(t, want/8, Padded[float64]((n+7)/8))
	}
}

func TestOf(t *testing.T) {
	assert.Empty(t, Of[float32](0))
	f := Of[float64](minHuge / 8)
	assert.Len(t, f, minHuge/8)
	f[len(f)-1] = 1
	assert.Zero(t, f[0])
}
