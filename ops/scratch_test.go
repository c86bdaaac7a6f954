package ops

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/memory"
)

func TestScratch(t *testing.T) {
	var s Scratch
	assert.Zero(t, s.Bytes())
	bytes, none, floats := AreaOf[uint8](&s, 3), AreaOf[int64](&s, 5, 0), AreaOf[float64](&s, 2, 3)
	assert.Equal(t, memory.Align+6*8, s.Bytes())
	r := &Run{Scratch: memory.Bytes(s.Bytes())}
	assert.Len(t, bytes.In(r), 3)
	assert.Empty(t, none.In(r))
	floats.In(r)[5] = 1
	assert.Equal(t, []float64{0, 1}, floats.Piece(r, 4, 2))
	assert.Equal(t, []uint8{0, 0, 0}, bytes.In(r))
	assert.Zero(t, testing.AllocsPerRun(10, func() { floats.In(r)[0] = 2 }))
}

// TestScratch_workers fills the areas of several workers, each of which starts at a cache line of
// its own.
func TestScratch_workers(t *testing.T) {
	var s Scratch
	first, own, no, last := AreaOf[uint8](&s, 1), AreasOf[uint32](&s, 3, 17), AreasOf[uint64](&s, 0, 9), AreaOf[uint8](&s, 2)
	assert.Equal(t, memory.Align*(1+3*2)+2, s.Bytes())
	r := &Run{Scratch: memory.Bytes(s.Bytes())}
	first.In(r)[0], last.In(r)[0], last.In(r)[1] = 90, 91, 92
	for worker := range 3 {
		x := own.Of(r, worker)
		assert.Len(t, x, 17)
		assert.Equal(t, 17, cap(x))
		assert.Zero(t, uintptr(unsafe.Pointer(&x[0]))%memory.Align)
		for i := range x {
			x[i] = uint32(worker)
		}
	}
	for worker := range 3 {
		for _, v := range own.Of(r, worker) {
			assert.Equal(t, uint32(worker), v)
		}
	}
	assert.Equal(t, []uint8{90}, first.In(r))
	assert.Equal(t, []uint8{91, 92}, last.Of(r, 0))
	assert.Equal(t, []uint8{91, 92}, last.Of(r, 5), "one area is that of all workers")
	assert.Empty(t, no.In(r))
	assert.Zero(t, testing.AllocsPerRun(10, func() { own.Of(r, 2)[0] = 2 }))
}

func TestScratch_tooLarge(t *testing.T) {
	for name, add := range map[string]func(s *Scratch){
		"one":     func(s *Scratch) { AreaOf[float64](s, math.MaxInt) },
		"bytes":   func(s *Scratch) { AreaOf[float64](s, math.MaxInt/8, 1) },
		"product": func(s *Scratch) { AreaOf[float64](s, math.MaxInt, math.MaxInt, 2) },
		"workers": func(s *Scratch) { AreasOf[float64](s, math.MaxInt/64, 16) },
		"sum": func(s *Scratch) {
			AreaOf[uint8](s, math.MaxInt/2)
			AreaOf[uint8](s, math.MaxInt/2)
			AreaOf[uint8](s, 9)
		},
	} {
		var s Scratch
		AreaOf[float64](&s, 1)
		add(&s)
		AreaOf[uint8](&s, 1)
		assert.Equal(t, math.MaxInt, s.Bytes(), name)
		op := &Op{Type: "Odd", Version: 1, Prepare: func(*Preparation) (*Prepared, error) {
			return &Prepared{Kernel: copyBytes, ScratchBytes: s.Bytes()}, nil
		}}
		_, err := op.PrepareKernel(&Preparation{}, math.MaxInt)
		assert.EqualError(t, err, "the kernel needs more bytes of scratch memory than fit an int", name)
	}
}
