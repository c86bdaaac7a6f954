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
	"github.com/vinoir/vinoir/ops/internal/widened"
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

// Prepare is the type of ops.Op.Prepare.
type Prepare = widened.PrepareFunc

// Kernel returns the kernel for data, input 0, and filters, input 1, of the type of the output, one
// of Types. prepare prepares the layer for float32.
func Kernel(p *ops.Preparation, g *Geometry, prepare Prepare) (*ops.Prepared, error) {
	elementType := p.Outputs[0].Type
	conversion := widened.Find(widened.Rounded, elementType)
	if !elementType.IsInteger() || conversion == nil {
		return nil, faults.Errorf("element type %v is no integer", elementType)
	}
	for i := range 2 {
		if t := p.Inputs[i].Type; t != elementType {
			return nil, faults.Errorf("input %d is %v, the output %v", i, t, elementType)
		}
	}
	integers, err := widened.Prepare(widened.Small, integerKernel(g), 0, 1)(p)
	if err != nil {
		return nil, err
	}
	sum := float32(-1)
	// The digits of data are written when the layer runs, also if it is constant.
	variable := *p
	variable.Inputs = slices.Clone(p.Inputs)
	variable.Inputs[0].Tensor = nil
	layer, err := widened.New(conversion, &variable, true, func(p *ops.Preparation) (*ops.Prepared, error) {
		if filters := p.Inputs[1].Tensor; filters != nil {
			sum = g.largestSum(p.Stop, ir.Data[float32](filters), 0, g.Groups*g.OutChannels)
		}
		return prepare(p)
	}, 0, 1)
	if err != nil {
		return nil, err
	}
	d, err := newDigits(g, layer, p, sum)
	if err != nil {
		return nil, err
	}
	prepared := &ops.Prepared{Algorithm: layer.Inner.Algorithm, Flops: layer.Inner.Flops, Precision: ir.F32}
	prepared.ScratchBytes = max(layer.Scratch.Bytes(), integers.ScratchBytes)
	prepared.Kernel = func(r *ops.Run) error {
		if done, err := d.run(r); done || err != nil {
			return err
		}
		return integers.Kernel(r)
	}
	return prepared, nil
}

// integerKernel returns the function that prepares the kernel that computes with integers. Each
// thread computes whole planes of the output:
//
//	for each n, o, c, k...: output[n,o] += filters[o,c,k...] * shifted data[n,c]
//
// The low bits of sums and products of wider integers, signed or not, are those of the narrow ones.
func integerKernel(g *Geometry) Prepare {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		if p.Outputs[0].Type.Size() == 8 {
			return ops.Only(whole[uint64](g), nil)
		}
		return ops.Only(whole[uint32](g), nil)
	}
}

// whole returns the kernel of a type. It keeps nothing in Run.Own, which the layer in float32 uses.
func whole[T uint32 | uint64](g *Geometry) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		convolve(g, r.Stop, cast.Bytes[T](r.Outputs[0].Bytes()), cast.Bytes[T](r.Inputs[0].Bytes()), cast.Bytes[T](r.Inputs[1].Bytes()), lo, hi)
		return nil
	}
	n, grain := g.Batch*g.Groups*g.OutChannels, g.Axes.Grain(g.InChannels)
	return func(r *ops.Run) error { return r.For(n, grain, part) }
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
