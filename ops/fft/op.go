// Package fft computes the discrete Fourier transforms along some axes of a tensor.
//
//	DFT    Y[k] = sum over n of X[n] * exp(-2πi*k*n/N)
//	IDFT   X[n] = 1/N * sum over k of Y[k] * exp(2πi*k*n/N)
//	RDFT   DFT of real numbers; it keeps the first N/2+1 elements of the last axis
//	IRDFT  IDFT to real numbers; it gives 2*(N-1) elements along the last axis
//
// The formulas are for one axis. Several axes are transformed one after the other, and the last
// axis is the last of them. Complex numbers are pairs of numbers along an additional axis of length
// 2 at the end of the shape. The data of DFT, IDFT and IRDFT has this axis, and so has the output
// of DFT, IDFT and RDFT.
//
// Versions: DFT-7, IDFT-7, RDFT-9, IRDFT-9.
//
// Inputs:
//   - data of type f32, f16 or bf16.
//   - axes, a vector of i32 or i64 without duplicates. Negative axes count from the back, without
//     the axis of pairs.
//   - signal_size, optional, a vector of i32 or i64 with an element for each of the axes: the
//     length N that data is cut or padded with zeros to. -1 means the length of data, or 2*(N-1)
//     for the last axis of IRDFT.
//
// Output: the type of data. The kernel computes in float32; the 16-bit types are rounded once.
// Lengths with small prime factors and all others are computed in a time proportional to N*log(N).
//
// Borders:
//   - IRDFT reads signal_size/2+1 elements along the last axis, or zeros beyond the end of data. It
//     ignores the imaginary parts of element 0 and, if signal_size is even, of element
//     signal_size/2.
//   - Without axes, DFT and IDFT return data.
//   - NaN and infinities reach elements of their own row only.
//   - IRDFT of one element without signal_size is empty. OpenVINO does not survive it.
//   - RDFT pads data if signal_size is longer. OpenVINO refuses to.
//
// Errors: axes that data does not have, duplicate axes, no axes for RDFT and IRDFT, and a
// signal_size whose length differs from that of axes.
//
// Specification: OpenVINO operation set, signals.
package fft

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	op("DFT", 7, inferComplex, prepareWith(complexForward, complexForward)),
	op("IDFT", 7, inferComplex, prepareWith(complexInverse, complexInverse)),
	op("IRDFT", 9, inferToReal, prepareWith(complexInverse, realInverse)),
	op("RDFT", 9, inferReal, prepareWith(complexForward, realForward)),
}

func op(name string, version int, infer func(*ops.Inference) error, prepare func(*ops.Preparation) (*ops.Prepared, error)) ops.Op {
	return ops.Op{
		Type: name, Version: version,
		Inputs: ops.Between(2, 3),
		Types:  []ir.ElementType{ir.F32, ir.F16, ir.BF16},
		Values: []int{1, 2},
		Infer:  infer,

		Prepare: prepare,
	}
}
