// Package integerconv computes convolutions and transposed convolutions of integers. Sums and
// products wrap, so that they are exact modulo the range of the type.
//
// The kernels for float32 are many times faster than loops over integers, and exact as long as the
// largest element of data times the sum of a filter's elements, all without signs, is below 2^24.
// Data that is too large for the filters is split into digits:
//
//	data = sum over j of digit[j] * 2^(j*bits), output = sum over j of conv(digit[j], filters) * 2^(j*bits)
//
// Each digit is convolved in float32. Data or filters that would need more than maxDigits digits
// are computed as integers.
package integerconv

import (
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Types lists the element types of Kernel.
var Types = []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64}

// AllTypes lists those of convolutions: the floating-point types of package floats, and Types.
var AllTypes = slices.Concat(floats.Types, Types)

// Geometry describes a convolution in three dimensions.
//
// Data has Groups*InChannels channels, the output has Groups*OutChannels. Filters are
// [Groups,OutChannels,InChannels,kernel...], or [Groups,InChannels,OutChannels,kernel...] if
// Transposed is true. Axes then are those of the convolution in the opposite direction: their Input
// belongs to the output.
type Geometry struct {
	Batch, Groups           int
	InChannels, OutChannels int // of a group
	Axes                    window.Volume
	Transposed              bool
}

// planes returns the number of elements of a plane of data and of the output.
func (g *Geometry) planes() (in, out int) {
	if g.Transposed {
		return g.Axes.Output(), g.Axes.Input()
	}
	return g.Axes.Input(), g.Axes.Output()
}

// filters returns the index of the first filter of an output channel, one for each input channel,
// and how many filters apart the others are.
func (g *Geometry) filters(o int) (first, apart int) {
	if g.Transposed {
		return o/g.OutChannels*g.InChannels*g.OutChannels + o%g.OutChannels, g.OutChannels
	}
	return o * g.InChannels, 1
}

// Kernel returns the kernel for data, input 0, and filters, input 1, of the type of the output, one
// of Types. prepare prepares the layer for float32.
func Kernel(p *ops.Preparation, g *Geometry, prepare Prepare) (*ops.Prepared, error) {
	integers, err := integerKernel(p, g)
	if err != nil {
		return nil, err
	}
	sum := float32(-1)
	layer, err := newFloat32Layer(p, func(p *ops.Preparation) (*ops.Prepared, error) {
		if filters := p.Inputs[1].Tensor; filters != nil {
			sum = g.largestSum(p.Stop, ir.Data[float32](filters), 0, g.Groups*g.OutChannels)
		}
		return prepare(p)
	})
	if err != nil {
		return nil, err
	}
	prepared := &ops.Prepared{Algorithm: layer.inner.Algorithm, Flops: layer.inner.Flops, Precision: ir.F32}
	d, err := newDigits(g, layer, p)
	if err != nil {
		return nil, err
	}
	d.sum = sum
	prepared.ScratchBytes = max(d.end, integers.ScratchBytes)
	prepared.Kernel = func(r *ops.Run) error {
		if done, err := d.run(r); done || err != nil {
			return err
		}
		return integers.Kernel(r)
	}
	return prepared, nil
}

// integerKernel returns the kernel that computes with integers. Each thread computes whole planes
// of the output:
//
//	for each n, o, c, k...: output[n,o] += filters[o,c,k...] * shifted data[n,c]
func integerKernel(p *ops.Preparation, g *Geometry) (*ops.Prepared, error) {
	n, grain := g.Batch*g.Groups*g.OutChannels, g.Axes.Grain(g.InChannels)
	prepared := &ops.Prepared{}
	// The low bits of sums and products of wider integers, signed or not, are those of the narrow
	// ones.
	switch t := p.Outputs[0].Type; t {
	case ir.I32, ir.U32:
		prepared.Kernel = whole[uint32](g, n, grain)
	case ir.I64, ir.U64:
		prepared.Kernel = whole[uint64](g, n, grain)
	case ir.I8, ir.U8:
		prepared.Kernel = wide(g, n, grain, cast.Convert[uint32, uint8], cast.Convert[uint8, uint32])
	case ir.I16, ir.U16:
		prepared.Kernel = wide(g, n, grain, cast.Convert[uint32, uint16], cast.Convert[uint16, uint32])
	default:
		return nil, faults.Errorf("element type %v is no integer", t)
	}
	if p.Outputs[0].Type.Size() >= 4 {
		return prepared, nil
	}
	for _, fact := range []*ir.Fact{&p.Outputs[0], &p.Inputs[0], &p.Inputs[1]} {
		shape, err := fact.Shape.Static()
		if err != nil {
			return nil, err
		}
		if prepared.ScratchBytes, err = floats.AddScratch(prepared.ScratchBytes, shape); err != nil {
			return nil, err
		}
	}
	return prepared, nil
}

// whole returns the kernel of a type that is computed as it is.
func whole[T uint32 | uint64](g *Geometry, n, grain int) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		convolve(g, r.Stop, cast.Bytes[T](r.Outputs[0].Bytes()), cast.Bytes[T](r.Inputs[0].Bytes()), cast.Bytes[T](r.Inputs[1].Bytes()), lo, hi)
		return nil
	}
	return func(r *ops.Run) error { return r.For(n, grain, part) }
}

// wide returns the kernel of a narrow type, which computes copies in uint32.
func wide[T uint8 | uint16](g *Geometry, n, grain int, load func([]uint32, []T), store func([]T, []uint32)) ops.Kernel {
	split := func(r *ops.Run) (output, data, filters []uint32) {
		s := cast.Bytes[uint32](r.Scratch)
		n, m := r.Outputs[0].Len(), r.Outputs[0].Len()+r.Inputs[0].Len()
		return s[:n], s[n:m], s[m:][:r.Inputs[1].Len()]
	}
	part := func(r *ops.Run, lo, hi int) error {
		output, data, filters := split(r)
		convolve(g, r.Stop, output, data, filters, lo, hi)
		return nil
	}
	return func(r *ops.Run) error {
		output, data, filters := split(r)
		parallel.Convert(r.Stop, data, cast.Bytes[T](r.Inputs[0].Bytes()), load)
		parallel.Convert(r.Stop, filters, cast.Bytes[T](r.Inputs[1].Bytes()), load)
		if err := r.For(n, grain, part); err != nil {
			return err
		}
		parallel.Convert(r.Stop, cast.Bytes[T](r.Outputs[0].Bytes()), output, store)
		return nil
	}
}

// convolve computes output planes lo to hi-1, counted over batch and channels.
func convolve[T uint32 | uint64](g *Geometry, stop parallel.Stop, output, data, filters []T, lo, hi int) {
	meter := stop.Meter()
	inPlane, outPlane := g.planes()
	kernel := g.Axes[0].Kernel * g.Axes[1].Kernel * g.Axes[2].Kernel
	if outPlane == 0 {
		return
	}
	for i := lo; i < hi; i++ {
		out := output[i*outPlane : (i+1)*outPlane]
		parallel.Clear(stop, out)
		if inPlane == 0 || kernel == 0 {
			continue
		}
		group := i / g.OutChannels
		first, apart := g.filters(i % (g.Groups * g.OutChannels))
		for c := 0; c < g.InChannels; c += window.RowsAtOnce {
			in := data[(group*g.InChannels+c)*inPlane:]
			filter := filters[(first+c*apart)*kernel:]
			addPlanes(g, &meter, out, in, filter, apart*kernel, min(g.InChannels-c, window.RowsAtOnce))
			if stop.Requested() {
				return
			}
		}
	}
}

// addPlanes adds the contributions of the first n input planes to an output plane. n is at most
// RowsAtOnce. The filters of neighbouring input planes are apart elements apart. It ends early if
// the work must stop.
func addPlanes[T uint32 | uint64](g *Geometry, meter *parallel.Meter, out, in, filter []T, apart, n int) {
	z, y, x := &g.Axes[0], &g.Axes[1], &g.Axes[2]
	plane, _ := g.planes()
	inStep, outStep := x.Stride, 1
	if g.Transposed {
		inStep, outStep = outStep, inStep
	}
	var weights [window.RowsAtOnce]T
	var rows [window.RowsAtOnce][]T
	for k := range z.Kernel * y.Kernel * x.Kernel {
		zLo, zHi, zFirst := z.Range(k / (y.Kernel * x.Kernel))
		yLo, yHi, yFirst := y.Range(k / x.Kernel % y.Kernel)
		xLo, xHi, xFirst := x.Range(k % x.Kernel)
		if meter.Spent(8) {
			return
		}
		if xLo == xHi {
			continue
		}
		for c := range n {
			weights[c] = filter[c*apart+k]
		}
		for oz := zLo; oz < zHi; oz++ {
			for oy := yLo; oy < yHi; oy++ {
				for lo := xLo; lo < xHi; lo += window.RowPiece {
					count := min(window.RowPiece, xHi-lo)
					if meter.Spent(n * count) {
						return
					}
					to := (oz*y.Output+oy)*x.Output + lo
					from := ((oz*z.Stride+zFirst)*y.Input+oy*y.Stride+yFirst)*x.Input + lo*x.Stride + xFirst
					if g.Transposed {
						from, to = to, from
					}
					if n == 1 {
						addRow(out[to:], in[from:], weights[0], count, outStep, inStep)
						continue
					}
					for c := range rows {
						rows[c] = in[min(c, n-1)*plane+from:] // those from n on are multiplied by 0
					}
					addRows(out[to:], &rows, &weights, count, outStep, inStep)
				}
			}
		}
	}
}

// addRow adds a row that is multiplied by its weight:
//
//	for i < n: out[i*outStep] += weight * in[i*inStep]
func addRow[T uint32 | uint64](out, in []T, weight T, n, outStep, inStep int) {
	if outStep == 1 && inStep == 1 {
		out, in = out[:n], in[:n]
		for i := range out {
			out[i] += weight * in[i]
		}
		return
	}
	for i := range n {
		out[i*outStep] += weight * in[i*inStep]
	}
}

// addRows adds rows that are multiplied by their weights:
//
//	for i < n: out[i*outStep] += sum over c of weights[c] * rows[c][i*inStep]
func addRows[T uint32 | uint64](out []T, rows *[window.RowsAtOnce][]T, weights *[window.RowsAtOnce]T, n, outStep, inStep int) {
	a, b, c, d := rows[0], rows[1], rows[2], rows[3]
	v, w, x, y := weights[0], weights[1], weights[2], weights[3]
	if outStep == 1 && inStep == 1 {
		out, a, b, c, d = out[:n], a[:n], b[:n], c[:n], d[:n]
		for i := range out {
			out[i] += v*a[i] + w*b[i] + x*c[i] + y*d[i]
		}
		return
	}
	for i := range n {
		j := i * inStep
		out[i*outStep] += v*a[j] + w*b[j] + x*c[j] + y*d[j]
	}
}
