package cast

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBytes(t *testing.T) {
	words := []uint32{1, 0xfffffffe, 3}

	raw := make([]byte, 0, 12)
	for _, w := range words {
		raw = binary.NativeEndian.AppendUint32(raw, w)
	}
	assert.Equal(t, []uint16{binary.NativeEndian.Uint16(raw), binary.NativeEndian.Uint16(raw[2:])}, Bytes[uint16](raw[:5]))
	assert.Equal(t, words, Bytes[uint32](raw))
	assert.Equal(t, []int32{1, -2, 3}, Bytes[int32](raw))
	assert.Len(t, Bytes[uint64](raw[:8]), 1)
	assert.Nil(t, Bytes[uint64](raw[:7]))
	assert.Nil(t, Bytes[uint16](nil))
}

func TestSlice(t *testing.T) {
	floats := []float32{1, -2}
	bits := Slice[uint32](floats)
	assert.Equal(t, []uint32{0x3f800000, 0xc0000000}, bits)
	bits[0] = 0x40400000
	assert.Equal(t, []float32{3, -2}, floats, "the memory is shared")
	assert.Empty(t, Slice[int8]([]bool{}))
	assert.Nil(t, Slice[int8]([]bool(nil)))
	assert.Panics(t, func() { Slice[uint64](floats) })
}

func TestMemory(t *testing.T) {
	words := []uint32{1, 2}
	b := Memory(words)
	assert.Len(t, b, 8)
	binary.NativeEndian.PutUint32(b[4:], 7)
	assert.Equal(t, []uint32{1, 7}, words, "the memory is shared")
	assert.Empty(t, Memory([]uint32{}))
}

func TestConvert(t *testing.T) {
	wide := []int32{7, 7, 7, 7}
	Convert(wide, []int8{1, -2, -128})
	assert.Equal(t, []int32{1, -2, -128, 7}, wide)

	narrow := make([]uint8, 3)
	Convert(narrow, []uint32{255, 256, 0xfffffffe})
	assert.Equal(t, []uint8{255, 0, 254}, narrow, "integers wrap")

	floats := make([]float64, 2)
	Convert(floats, []float32{0.5, -3})
	assert.Equal(t, []float64{0.5, -3}, floats)
}
