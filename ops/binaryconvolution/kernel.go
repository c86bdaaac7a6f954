package binaryconvolution

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// geometry holds the lengths of the tensors.
type geometry struct {
	n, channels, filters int
	y, x                 window.Axis
	words                int // that hold the channels of a pixel, one bit for each
	taps                 int // the number of words in a window
	workers              int
	pad                  uint64 // what a word of padding holds, as far as there are channels
	padCounts            bool   // padding is compared with the filter
	// Where the parts of the scratch memory start: words.
	filterAt, patchAt, total int
}

func newGeometry(p *ops.Preparation) (*geometry, error) {
	at := p.Attributes.(*attributes)
	var shapes [3]ir.Shape
	for i, fact := range []*ir.Fact{&p.Inputs[0], &p.Inputs[1], &p.Outputs[0]} {
		var err error
		if shapes[i], err = fact.Shape.Static(); err != nil {
			return nil, err
		}
	}
	data, filters, output := shapes[0], shapes[1], shapes[2]
	if t := p.Inputs[1].Type; t != ir.U1 {
		return nil, fmt.Errorf("filters is %v, expected u1", t)
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
	g.workers = max(min(p.Threads, g.n*g.y.Output), 1)
	pixels, packed := memory.Size[uint64](g.n, g.y.Input, g.x.Input, g.words), memory.Size[uint64](g.filters, g.taps)
	if memory.Sum(pixels, packed, memory.Size[uint64](g.workers, 2, g.taps)) > math.MaxInt {
		return nil, errors.New("the bits need more bytes of memory than fit an int")
	}
	g.filterAt = int(pixels / 8)
	g.patchAt = g.filterAt + int(packed/8)
	g.total = g.patchAt + 2*g.workers*g.taps
	return g, nil
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	g, err := newGeometry(p)
	if err != nil {
		return nil, err
	}
	switch p.Outputs[0].Type {
	case ir.F32:
		return kernelOf(g, func(x float32) bool { return x > 0 }, func(x int) float32 { return float32(x) }), nil
	case ir.F64:
		return kernelOf(g, func(x float64) bool { return x > 0 }, func(x int) float64 { return float64(x) }), nil
	case ir.I32:
		return kernelOf(g, func(x int32) bool { return x > 0 }, func(x int) int32 { return int32(x) }), nil
	case ir.I64:
		return kernelOf(g, func(x int64) bool { return x > 0 }, func(x int) int64 { return int64(x) }), nil
	case ir.F16:
		return kernelOf(g, func(x uint16) bool { return half.F16ToF32(x) > 0 }, func(x int) uint16 { return half.F32ToF16(float32(x)) }), nil
	default: // bf16
		return kernelOf(g, func(x half.BFloat16) bool { return x.Float32() > 0 }, func(x int) half.BFloat16 { return half.BFloat16Of(float32(x)) }), nil
	}
}

// kernelOf returns the kernel for elements T: it packs the bits of data and of filters, and then
// counts the bits that differ.
func kernelOf[T ir.Element](g *geometry, positive func(T) bool, store func(int) T) *ops.Prepared {
	pack := func(r *ops.Run, lo, hi int) error {
		packed, data := cast.Bytes[uint64](r.Scratch), ir.Data[T](r.Inputs[0])
		meter := r.Stop.Meter()
		width := g.x.Input
		for ; lo < hi; lo++ {
			row := packed[lo*width*g.words:][:width*g.words]
			clear(row)
			image, y := lo/g.y.Input, lo%g.y.Input
			for c := range g.channels {
				if meter.Spent(2 * width) {
					return parallel.ErrStopped
				}
				for x, v := range data[((image*g.channels+c)*g.y.Input+y)*width:][:width] {
					if positive(v) {
						row[x*g.words+c/64] |= 1 << (c % 64)
					}
				}
			}
		}
		return nil
	}
	packFilters := func(r *ops.Run, lo, hi int) error {
		packed, filters := cast.Bytes[uint64](r.Scratch)[g.filterAt:], r.Inputs[1].Bytes()
		meter := r.Stop.Meter()
		area := g.y.Kernel * g.x.Kernel
		clear(packed[lo*g.taps : hi*g.taps])
		for ; lo < hi; lo++ {
			words := packed[lo*g.taps:][:g.taps]
			for c := range g.channels {
				if meter.Spent(2 * area) {
					return parallel.ErrStopped
				}
				for k := range area {
					at := (lo*g.channels+c)*area + k
					bit := uint64(filters[at/8]>>(at%8)) & 1
					words[k*g.words+c/64] |= bit << (c % 64)
				}
			}
		}
		return nil
	}
	rows := g.n * g.y.Output
	convolve := func(r *ops.Run, lo, hi int) error {
		packed, output := cast.Bytes[uint64](r.Scratch), ir.Data[T](r.Outputs[0])
		meter := r.Stop.Meter()
		for worker := lo; worker < hi; worker++ {
			patch := packed[g.patchAt+2*worker*g.taps:][:2*g.taps]
			for row := parallel.Share(rows, g.workers, worker); row < parallel.Share(rows, g.workers, worker+1); row++ {
				image, y := row/g.y.Output, row%g.y.Output
				for x := range g.x.Output {
					counted := g.load(patch[:g.taps], patch[g.taps:], packed, image, y, x)
					for f := range g.filters {
						if meter.Spent(2 * g.taps) {
							return parallel.ErrStopped
						}
						filter := packed[g.filterAt+f*g.taps:][:g.taps]
						output[((image*g.filters+f)*g.y.Output+y)*g.x.Output+x] = store(counted - 2*differences(patch[:g.taps], patch[g.taps:], filter))
					}
				}
			}
		}
		return nil
	}
	const grain = 1 << 14 // bits
	return &ops.Prepared{
		ScratchBytes: 8 * g.total,
		Flops:        2 * float64(rows) * float64(g.x.Output) * float64(g.filters) * float64(g.channels) * float64(g.y.Kernel) * float64(g.x.Kernel),
		Kernel: func(r *ops.Run) error {
			if err := r.For(g.n*g.y.Input, grain/max(g.channels*g.x.Input, 1), pack); err != nil {
				return err
			}
			if err := r.For(g.filters, grain/max(g.channels*g.taps, 1), packFilters); err != nil {
				return err
			}
			return r.For(g.workers, 1, convolve)
		},
	}
}

// load sets patch to the bits of the window at output y, x, and mask to the bits that count. It returns their number.
func (g *geometry) load(patch, mask, packed []uint64, image, y, x int) (counted int) {
	for i := range g.y.Kernel {
		iy := y*g.y.Stride + i*g.y.Dilation - g.y.PadBegin
		for j := range g.x.Kernel {
			ix := x*g.x.Stride + j*g.x.Dilation - g.x.PadBegin
			at := (i*g.x.Kernel + j) * g.words
			inside := iy >= 0 && iy < g.y.Input && ix >= 0 && ix < g.x.Input
			for w := range g.words {
				valid := uint64(math.MaxUint64)
				if rest := g.channels - 64*w; rest < 64 {
					valid = 1<<rest - 1
				}
				switch {
				case inside:
					patch[at+w] = packed[((image*g.y.Input+iy)*g.x.Input+ix)*g.words+w]
				case g.padCounts:
					patch[at+w] = g.pad & valid
				default:
					patch[at+w], valid = 0, 0
				}
				mask[at+w] = valid
			}
			if inside || g.padCounts {
				counted += g.channels
			}
		}
	}
	return counted
}

// differences returns the number of bits of mask at which patch and filter differ.
func differences(patch, mask, filter []uint64) int {
	mask, filter = mask[:len(patch)], filter[:len(patch)]
	n := 0
	for i, p := range patch {
		n += bits.OnesCount64((p ^ filter[i]) & mask[i])
	}
	return n
}
