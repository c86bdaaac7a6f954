//go:build amd64 && !noasm

package gatherelements

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
)

// beforeGuardPage returns n elements that end at the start of an inaccessible page.
func beforeGuardPage[T any](t *testing.T, n int) []T {
	page := os.Getpagesize()
	size := n * int(unsafe.Sizeof(*new(T)))
	usable := (size + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, usable+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	require.NoError(t, syscall.Mprotect(memory[usable:], syscall.PROT_NONE))
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[usable-size])), n)
}

// TestAssemblyStaysInside gathers the last elements of buffers that end at a guard page. An
// access beyond the end would crash the program.
func TestAssemblyStaysInside(t *testing.T) {
	if !cpu.AVX2.Available() {
		t.Skip("no AVX2")
	}
	stayInside[uint8, int32](t)
	stayInside[uint16, int32](t)
	stayInside[uint32, int32](t)
	stayInside[uint64, int32](t)
	stayInside[uint8, int64](t)
	stayInside[uint16, int64](t)
	stayInside[uint32, int64](t)
	stayInside[uint64, int64](t)
}

func stayInside[T uint8 | uint16 | uint32 | uint64, I indexType](t *testing.T) {
	const d, width = 3, blockColumns + 5
	for axis, shape := range [][]int{{d, width}, {width, d}} {
		indicesShape := []int{width, width}
		indicesShape[1-axis] = shape[1-axis]
		p := newPlan(shape, indicesShape, axis, true)
		p.divide(int(unsafe.Sizeof(*new(T))), 1)
		run := assembly[T, I](p)
		require.NotNil(t, run)
		n := width * width
		data, out, indices := beforeGuardPage[T](t, d*width), beforeGuardPage[T](t, n), beforeGuardPage[I](t, n)
		for i := range data {
			data[i] = T(i)
		}
		for i := range indices {
			indices[i] = I(d - 1 - i%2*d) // the last element, as a positive and as a negative index
		}
		require.NoError(t, gather(p, run, cast.Memory(out), cast.Memory(data), cast.Memory(indices), unsafe.Sizeof(indices[0]) == 8, 0, p.pieces))
		require.Equal(t, data[len(data)-1], out[len(out)-1])
	}
}
