package binaryconvolution

import (
	"errors"
	"math"
	"math/bits"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

const (
	// groupFilters is the number of filters that are compared with a window at a time.
	groupFilters = 4
	// groupColumns is the number of columns that the assembly needs a multiple of.
	groupColumns = 8
	// blockWords is the number of words of windows that stay in the first-level cache.
	blockWords = 1 << 10
)

// geometry holds the lengths of the tensors.
type geometry struct {
	n, channels, filters int
	y, x                 window.Axis
	words                int    // that hold the channels of a pixel, one bit for each
	taps                 int    // the number of words in a window
	columns              int    // the windows that are loaded at a time, a multiple of groupColumns
	pad                  uint64 // what a word of padding holds, as far as there are channels
	padCounts            bool   // padding is compared with the filter
}

func newGeometry(p *ops.Preparation) (*geometry, error) {
	at := p.Attributes.(*attributes)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	shapes := [3]ir.Shape{p.InputShape(0), p.InputShape(1), out}
	data, filters, output := shapes[0], shapes[1], shapes[2]
	if t := p.Inputs[1].Type; t != ir.U1 {
		return nil, faults.Errorf("filters is %v, expected u1", t)
	}
	v, err := at.Volume(data[2:], filters[2:], output[2:])
	if err != nil {
		return nil, err
	}
	g := &geometry{n: data[0], channels: data[1], filters: filters[0], y: v[1], x: v[2], words: (data[1] + 63) / 64}
	g.padCounts = at.padValue != 0
	if at.padValue == 1 {
		g.pad = math.MaxUint64
	}
	window := memory.Size[uint64](g.words, g.y.Kernel, g.x.Kernel)
	if window > math.MaxInt/8 {
		return nil, errors.New("the window has more bits than fit an int")
	}
	g.taps = int(window / 8)
	groups := (min(g.x.Output, blockWords/max(g.taps, 1)) + groupColumns - 1) / groupColumns
	g.columns = groupColumns * max(groups, 1)
	return g, nil
}

// groups returns the number of groups of filters.
func (g *geometry) groups() int { return (g.filters-1)/groupFilters + 1 }

// packedSize returns the bytes of the packed filters.
func (g *geometry) packedSize() int64 {
	return memory.Size[uint64](g.groups(), groupFilters, g.taps)
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	g, err := newGeometry(p)
	if err != nil {
		return nil, err
	}
	if g.n == 0 || g.filters == 0 || g.y.Output == 0 || g.x.Output == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	var packed []uint64
	if constant := p.Inputs[1].Tensor; constant != nil {
		once, err := p.Once(constant, "binary", g.packedSize(), func() (any, error) {
			packed := memory.Of[uint64](int(g.packedSize() / 8))
			return packed, g.packFilters(p.Stop, packed, constant.Bytes(), 0, g.groups())
		})
		if err != nil {
			return nil, err
		}
		packed = once.([]uint64)
	}
	return g.kernel(p, packed, elementOf(p.Outputs[0].Type)), nil
}

// element reads and writes elements of a type.
type element struct {
	// pack sets a bit of words to whether the elements of t from element at on are positive.
	pack func(words []uint64, t *ir.Tensor, at, bit int)
	// store writes the results, from element at of t on, for windows of which `counted` bits count
	// and `differ` bits differ: the number of equal bits minus the number of different bits.
	store func(t *ir.Tensor, at int, counted, differ []int64)
}

func elementOf(t ir.ElementType) element {
	switch t {
	case ir.F32:
		return element{packPositive[float32], storeNumbers[float32]}
	case ir.F64:
		return element{packPositive[float64], storeNumbers[float64]}
	case ir.I32:
		return element{packPositive[int32], storeNumbers[int32]}
	case ir.I64:
		return element{packPositive[int64], storeNumbers[int64]}
	case ir.F16:
		return element{packHalves(0x1f << 10), storeHalves(half.F32ToF16)}
	default: // bf16
		return element{packHalves(0xff << 7), storeHalves(func(x float32) uint16 { return uint16(half.BFloat16Of(x)) })}
	}
}

// kernel returns the kernel: it packs the bits of data and of filters, unless packed has them, and
// then counts the bits that differ.
func (g *geometry) kernel(p *ops.Preparation, packed []uint64, e element) *ops.Prepared {
	rows, area := g.n*g.y.Output, g.y.Kernel*g.x.Kernel
	rowCost := float64(g.x.Output) * float64(g.filters) * float64(g.taps) / 4
	workers := p.Workers(rows, rowCost)
	var s ops.Scratch
	bits := ops.AreaOf[uint64](&s, g.n, g.y.Input, g.x.Input, g.words)
	packs := 1 // of filters in the scratch memory
	if packed != nil {
		packs = 0
	}
	filterBits := ops.AreasOf[uint64](&s, packs, g.groups(), groupFilters, g.taps)
	patch, mask := ops.AreasOf[uint64](&s, workers, g.taps, g.columns), ops.AreasOf[uint64](&s, workers, g.taps, g.columns)
	counted, differ := ops.AreasOf[int64](&s, workers, g.columns), ops.AreasOf[int64](&s, workers, groupFilters, g.columns)
	packRows := func(r *ops.Run, lo, hi int) error {
		pixels, data := bits.In(r), r.Inputs[0]
		meter := r.Stop.Meter()
		width, plane := g.x.Input, g.y.Input*g.x.Input
		for ; lo < hi; lo++ {
			image, y := lo/g.y.Input, lo%g.y.Input
			for first := 0; first < g.channels; first += 64 {
				words, channels := pixels[(lo*g.words+first/64)*width:][:width], min(64, g.channels-first)
				at := ((image*g.channels+first)*g.y.Input + y) * width
				done := vectorPack(words, data, at, plane, channels)
				clear(words[done:])
				for c := range channels {
					if meter.Spent(2 * width) {
						return parallel.ErrStopped
					}
					e.pack(words[done:], data, at+c*plane+done, c)
				}
			}
		}
		return nil
	}
	packFilters := func(r *ops.Run, lo, hi int) error {
		return g.packFilters(r.Stop, filterBits.In(r), r.Inputs[1].Bytes(), lo, hi)
	}
	convolve := func(r *ops.Run, worker, lo, hi int) error {
		pixels, filters := bits.In(r), packed
		if filters == nil {
			filters = filterBits.In(r)
		}
		meter := r.Stop.Meter()
		w := windows{patch.Of(r, worker), mask.Of(r, worker), counted.Of(r, worker), differ.Of(r, worker)}
		for row := lo; row < hi; row++ {
			image, y := row/g.y.Output, row%g.y.Output
			for x := 0; x < g.x.Output; x += g.columns {
				n := min(g.columns, g.x.Output-x)
				if !g.load(&meter, &w, pixels, image, y, x, n) {
					return parallel.ErrStopped
				}
				for f := range g.filters {
					if f%groupFilters == 0 {
						if meter.Spent(2 * g.taps * n) {
							return parallel.ErrStopped
						}
						countDifferences(w.differ, w.patch, w.mask, filters[f*g.taps:][:groupFilters*g.taps], g.columns)
					}
					at := ((image*g.filters+f)*g.y.Output+y)*g.x.Output + x
					e.store(r.Outputs[0], at, w.counted[:n], w.differ[f%groupFilters*g.columns:])
				}
			}
		}
		return nil
	}
	prepared := &ops.Prepared{
		ScratchBytes: s.Bytes(),
		Flops:        2 * float64(rows) * float64(g.x.Output) * float64(g.filters) * float64(g.channels) * float64(area),
		Kernel: func(r *ops.Run) error {
			if err := r.For(g.n*g.y.Input, ops.Grain(float64(g.channels)*float64(g.x.Input)), packRows); err != nil {
				return err
			}
			if packed == nil {
				if err := r.For(g.groups(), ops.Grain(groupFilters*float64(g.channels)*float64(area)), packFilters); err != nil {
					return err
				}
			}
			return r.ForWorkers(rows, ops.Grain(rowCost), workers, convolve)
		},
	}
	if packed != nil {
		prepared.Released = []int{1}
	}
	return prepared
}

// packPositive is element.pack.
func packPositive[T float32 | float64 | int32 | int64](words []uint64, t *ir.Tensor, at, bit int) {
	row := ir.Data[T](t)[at:][:len(words)]
	for x, v := range row {
		positive := uint64(0)
		if v > 0 {
			positive = 1
		}
		words[x] |= positive << (bit & 63)
	}
}

// packHalves returns element.pack for a 16-bit float whose infinity has the given bits.
func packHalves(inf uint16) func(words []uint64, t *ir.Tensor, at, bit int) {
	return func(words []uint64, t *ir.Tensor, at, bit int) {
		row := cast.Bytes[uint16](t.Bytes())[at:][:len(words)]
		for x, v := range row {
			positive := uint64(0)
			if v-1 < inf {
				positive = 1
			}
			words[x] |= positive << (bit & 63)
		}
	}
}

// storeNumbers is element.store.
func storeNumbers[T float32 | float64 | int32 | int64](t *ir.Tensor, at int, counted, differ []int64) {
	out, differ := ir.Data[T](t)[at:][:len(counted)], differ[:len(counted)]
	for x := range out {
		out[x] = T(counted[x] - 2*differ[x])
	}
}

// storeHalves returns element.store for a 16-bit float.
func storeHalves(of func(float32) uint16) func(t *ir.Tensor, at int, counted, differ []int64) {
	return func(t *ir.Tensor, at int, counted, differ []int64) {
		out := cast.Bytes[uint16](t.Bytes())[at:][:len(counted)]
		for x := range out {
			out[x] = of(float32(counted[x] - 2*differ[x]))
		}
	}
}

// packFilters packs the groups lo to hi-1 of filters: word t of filter f of a group is word 4*t+f
// of the group. The last group can lack filters.
func (g *geometry) packFilters(stop parallel.Stop, packed []uint64, filters []byte, lo, hi int) error {
	meter := stop.Meter()
	area := g.y.Kernel * g.x.Kernel
	parallel.Clear(stop, packed[lo*groupFilters*g.taps:hi*groupFilters*g.taps])
	for f := lo * groupFilters; f < min(hi*groupFilters, g.filters); f++ {
		words := packed[f/groupFilters*groupFilters*g.taps:][:groupFilters*g.taps]
		for c := range g.channels {
			if meter.Spent(2 * area) {
				return parallel.ErrStopped
			}
			for k := range area {
				at := (f*g.channels+c)*area + k
				bit := uint64(filters[at/8]>>(at%8)) & 1
				words[(k*g.words+c/64)*groupFilters+f%groupFilters] |= bit << (c % 64)
			}
		}
	}
	return nil
}

// windows are the windows of successive columns of the output. Word t of column x is element
// t*columns+x of patch. The bits of mask count; the numbers of them are in counted.
type windows struct {
	patch, mask     []uint64
	counted, differ []int64
}

// load sets w to the windows of n columns from x on in row y. It returns false if the work must
// stop.
func (g *geometry) load(meter *parallel.Meter, w *windows, pixels []uint64, image, y, x, n int) bool {
	clear(w.counted)
	if g.words == 0 {
		return true
	}
	for i := range g.y.Kernel {
		iy := y*g.y.Stride + i*g.y.Dilation - g.y.PadBegin
		for j := range g.x.Kernel {
			// The columns from lo to hi-1 are inside of the input.
			from := j*g.x.Dilation - g.x.PadBegin
			lo, hi := inside(from+x*g.x.Stride, g.x.Stride, g.x.Input, n)
			if iy < 0 || iy >= g.y.Input {
				lo, hi = n, n
			}
			if meter.Spent(2 * n) {
				return false
			}
			for c := range n {
				if g.padCounts || c >= lo && c < hi {
					w.counted[c] += int64(g.channels)
				}
			}
			for word := range g.words {
				if meter.Spent(2 * n) {
					return false
				}
				at := ((i*g.x.Kernel+j)*g.words + word) * g.columns
				patch, mask := w.patch[at:][:n], w.mask[at:][:n]
				valid := uint64(0)
				if g.padCounts {
					valid = math.MaxUint64
				}
				pad := g.pad & valid
				if rest := g.channels - 64*word; rest < 64 {
					pad &= 1<<rest - 1
				}
				for c := range patch {
					patch[c], mask[c] = pad, valid
				}
				if lo >= hi {
					continue
				}
				row := pixels[((image*g.y.Input+iy)*g.words+word)*g.x.Input:][:g.x.Input]
				for c := lo; c < hi; c++ {
					patch[c], mask[c] = row[from+(x+c)*g.x.Stride], math.MaxUint64
				}
			}
		}
	}
	return true
}

// inside returns the first of n positions, each stride behind the one before, that is at least 0,
// and the first behind it that is at least length, or n.
func inside(first, stride, length, n int) (lo, hi int) {
	if first < 0 {
		lo = min((-1-first)/stride+1, n)
	}
	if first < length {
		hi = min((length-1-first)/stride+1, n)
	}
	return lo, max(lo, hi)
}

// countDifferences sets differ[f*columns+x] to the number of bits of mask at which window x and
// filter f of the group differ.
func countDifferences(differ []int64, patch, mask, group []uint64, columns int) {
	if vectorDifferences(differ, patch, mask, group, columns) {
		return
	}
	for x := range columns {
		var n [groupFilters]int
		for t, at := 0, x; t+groupFilters <= len(group); t, at = t+groupFilters, at+columns {
			f, p, m := (*[groupFilters]uint64)(group[t:]), patch[at], mask[at]
			n[0] += bits.OnesCount64((p ^ f[0]) & m)
			n[1] += bits.OnesCount64((p ^ f[1]) & m)
			n[2] += bits.OnesCount64((p ^ f[2]) & m)
			n[3] += bits.OnesCount64((p ^ f[3]) & m)
		}
		for f, count := range n {
			differ[f*columns+x] = int64(count)
		}
	}
}
