package deformableconvolution

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/plaingemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// layer describes a layer whose shapes are known.
type layer struct {
	batch, in, out     int // channels
	groups, deformable int
	y, x               window.Axis
	pad                bool // bilinear_interpolation_pad
	mask               bool
}

// taps returns the number of elements of the kernel, points that of the places of the output, depth
// that of the products that are added for an element of the output, and inGroup and outGroup the
// numbers of channels of a group.
func (l *layer) taps() int     { return l.y.Kernel * l.x.Kernel }
func (l *layer) points() int   { return l.y.Output * l.x.Output }
func (l *layer) depth() int    { return l.taps() * l.inGroup() }
func (l *layer) inGroup() int  { return l.in / l.groups }
func (l *layer) outGroup() int { return l.out / l.groups }

// prepare returns a kernel that samples columns of the input and multiplies them by the filters:
//
//	column[y,(k,c)] = mask[k,y] * sample of data[c] at the place of kernel element k
//	output[o,y] = sum over (k,c) of filters[o,(k,c)] * column[y,(k,c)]
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	data, filters := p.InputShape(0), p.InputShape(2)
	at := p.Attributes.(*attributes)
	l := &layer{
		batch: out[0], in: data[1], out: out[1], groups: int(at.group), deformable: int(at.deformableGroup),
		pad: at.bilinearInterpolationPad, mask: len(p.Inputs) > 3,
	}
	if at.deformableGroup > int64(max(data[1], 1)) || data[1]%int(at.deformableGroup) != 0 {
		return nil, faults.Errorf("data has %d channels, no multiple of deformable_group %d", data[1], at.deformableGroup)
	}
	if l.y, err = at.Axis(0, data[2], filters[2], out[2]); err != nil {
		return nil, err
	}
	if l.x, err = at.Axis(1, data[3], filters[3], out[3]); err != nil {
		return nil, err
	}
	if l.mask && !slices.Contains(sampling.Numbers, p.Inputs[3].Type) {
		return nil, faults.Errorf("mask is %v, expected one of %v", p.Inputs[3].Type, sampling.Numbers)
	}
	switch {
	case out.Elements() == 0:
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	case data.Elements() == 0 || filters.Elements() == 0:
		return &ops.Prepared{Kernel: func(r *ops.Run) error {
			parallel.Clear(r.Stop, r.Outputs[0].Bytes())
			return nil
		}}, nil
	case p.Outputs[0].Type == ir.F64:
		return product[float64](p, l)
	}
	return product[float32](p, l)
}

// blockPoints is the number of places whose columns are multiplied at once, at least.
const blockPoints = 64

// kernel computes a layer in T.
type kernel[T sampling.Float] struct {
	*layer
	// nil if T is float64, which is multiplied in plain loops and not packed
	gemm    *gemm.FloatKernel
	packed  []T         // the filters, if they are constant
	own     ops.Area[T] // for them, if they are not
	ordered ops.Area[T] // for all filters in another order, before they are packed into own
	permute int         // the length of the filters
	length  int         // of the packed filters of a group
	block   int         // places of a block
	panels  int         // the length of the packed columns of a block of the depth
	direct  bool
}

func product[T sampling.Float](p *ops.Preparation, l *layer) (*ops.Prepared, error) {
	k := &kernel[T]{layer: l, block: min(blockPoints, l.points()), permute: l.out * l.depth(), length: l.outGroup() * l.depth()}
	size := int64(unsafe.Sizeof(*new(T)))
	depth := float64(l.taps()) * float64(l.inGroup())
	if depth*float64(l.out) > math.MaxInt32*64 || depth*blockPoints*8 > math.MaxInt/float64(size) {
		return nil, errors.New("the columns and filters need more memory than fits an int")
	}
	if size == 4 {
		k.gemm = gemm.New()
		k.block = min((blockPoints+k.gemm.NR-1)/k.gemm.NR*k.gemm.NR, l.points())
		k.panels, k.length = k.gemm.PackedLenB(k.block, min(l.depth(), k.gemm.KC)), k.gemm.PackedLenA(l.outGroup(), l.depth())
	}
	k.direct = p.Outputs[0].Type == ir.F32 || p.Outputs[0].Type == ir.F64
	filters := memory.Sum(memory.Size[T](k.permute), memory.Size[T](l.groups, k.length))
	samples := float64(l.batch) * float64(l.points()) * float64(l.taps()) * float64(l.deformable)
	s := &sampling.Layer{
		Images: []int{0}, Items: l.batch, Points: l.points(), Quads: samples / float64(l.deformable),
		Stores: true, RowElements: l.groups * l.depth(), Block: k.block, Elements: k.panels + l.outGroup()*k.block,
	}
	constant := p.Inputs[2].Tensor
	if constant == nil {
		k.own, k.ordered = ops.AreaOf[T](&s.Scratch, l.groups, k.length), ops.AreaOf[T](&s.Scratch, k.permute)
	}
	prepared, err := sampling.Kernel(p, s, k.part)
	if err != nil {
		return nil, err
	}
	prepared.Flops += 2 * float64(l.batch) * float64(l.points()) * float64(l.out) * depth
	prepared.Algorithm = "sampled columns, GEMM"
	if constant != nil {
		// The permuted filters are needed only until they are packed.
		once, err := p.Once(constant, fmt.Sprint("deformable groups ", l.groups), filters, func() (any, error) {
			packed := memory.Of[T](l.groups * k.length)
			k.pack(p.Stop, packed, memory.Of[T](k.permute), constant)
			return packed, p.Stop.Err()
		})
		if err != nil {
			return nil, err
		}
		k.packed, prepared.Released = once.([]T), []int{2}
		return prepared, nil
	}
	sampled := prepared.Kernel
	prepared.Kernel = func(r *ops.Run) error {
		k.pack(r.Stop, k.own.In(r), k.ordered.In(r), r.Inputs[2])
		return sampled(r)
	}
	return prepared, nil
}

// pack packs the filters of all groups, with the channels of a kernel element next to each other.
// ordered is memory for all filters.
func (k *kernel[T]) pack(stop parallel.Stop, packed, ordered []T, filters *ir.Tensor) {
	taps, channels := k.taps(), k.inGroup()
	var tile [256]T
	meter := stop.Meter()
	for o := range k.out {
		row := ordered[o*taps*channels:][:taps*channels]
		// Elements are read in their order, and written to rows of channels.
		for at := 0; at < len(row) && !meter.Spent(len(tile)); at += len(tile) {
			part := tile[:min(len(tile), len(row)-at)]
			sampling.Load(part, filters, o*taps*channels+at)
			c, tap := at/taps, at%taps
			for _, v := range part {
				row[tap*channels+c] = v
				if tap++; tap == taps {
					c, tap = c+1, 0
				}
			}
		}
	}
	if k.gemm == nil {
		parallel.Copy(stop, packed, ordered)
		return
	}
	m, depth := k.outGroup(), k.depth()
	panels, from, to := k.gemm.PanelsA(m), cast.Slice[float32](ordered), cast.Slice[float32](packed)
	for g := range k.groups {
		matrix := gemm.Matrix[float32]{Data: from[g*m*depth:], RowStride: depth, ColStride: 1}
		for i := range k.gemm.Blocks(depth) {
			k.gemm.PackSomeA(stop, to[g*k.length+panels*k.gemm.MR*i*k.gemm.KC:], matrix, m, depth, i, 0, panels)
		}
	}
}

// part computes places lo to hi-1 of an image.
func (k *kernel[T]) part(w *sampling.Worker[T], image, lo, hi int) error {
	k.sample(w, image, lo, hi)
	packed := k.packed
	if packed == nil {
		packed = k.own.In(w.Run)
	}
	m, depth, n, points := k.outGroup(), k.depth(), hi-lo, k.points()
	rows := w.Rows(lo, hi)
	for g := range k.groups {
		to, stride := w.Memory[k.panels:][:m*n], n
		at := (image*k.out+g*m)*points + lo
		if k.direct {
			to, stride = ir.Data[T](w.Run.Outputs[0])[at:], points
		}
		filters := packed[g*k.length:][:k.length]
		if k.gemm == nil {
			plaingemm.Multiply(w.Run.Stop, cast.Slice[float64](to), stride,
				plaingemm.Matrix[float64]{Data: cast.Slice[float64](filters), RowStride: depth, ColStride: 1},
				plaingemm.Matrix[float64]{Data: cast.Slice[float64](rows[g*depth:]), RowStride: 1, ColStride: k.groups * depth}, m, n, depth)
		} else if !k.multiply(w, cast.Slice[float32](to), stride, cast.Slice[float32](filters), cast.Slice[float32](rows[g*depth:]), n) {
			return nil
		}
		for o := 0; o < m && !k.direct; o++ {
			sampling.Store(w.Run.Outputs[0], at+o*points, to[o*n:][:n])
		}
	}
	return nil
}

// multiply sets the n columns of a group to the product of packed filters and rows of samples. It
// returns false if the work must stop.
func (k *kernel[T]) multiply(w *sampling.Worker[T], to []float32, stride int, packed, rows []float32, n int) bool {
	m, depth := k.outGroup(), k.depth()
	columns := cast.Slice[float32](w.Memory[:k.panels])
	matrix := gemm.Matrix[float32]{Data: rows, RowStride: 1, ColStride: k.groups * depth}
	for i := range k.gemm.Blocks(depth) {
		filters := packed[k.gemm.PanelsA(m)*k.gemm.MR*i*k.gemm.KC:]
		k.gemm.PackB(columns, matrix, n, depth, i, 0, k.gemm.PanelsB(n))
		for first := 0; first < m; first += rowsAtOnce * k.gemm.MR {
			last := min(first+rowsAtOnce*k.gemm.MR, m)
			if w.Meter.Spent((last - first) * n * k.gemm.Depth(i, depth) / 16) {
				return false
			}
			k.gemm.Multiply(&gemm.FloatProduct{C: to, LDC: stride, A: filters, B: columns, Depth: depth, Block: i, MLo: first, MHi: last, NHi: n})
		}
	}
	return true
}

// rowsAtOnce is the number of panels of filters that are multiplied between two checks of the Stop.
const rowsAtOnce = 8
