// Package fft computes discrete Fourier transforms along some axes of a tensor.
//
//	DFT    Y[k] = sum over n of X[n] * exp(-2πi*k*n/N)
//	IDFT   X[n] = 1/N * sum over k of Y[k] * exp(2πi*k*n/N)
//	RDFT   DFT of real numbers, of which the first N/2+1 of the last axis are kept
//	IRDFT  IDFT to real numbers, of 2*(N-1) elements along the last axis
//
// along one axis, one axis after the other. Complex numbers are pairs of numbers
// along an axis of length 2 behind all others: data of DFT and IDFT has it and keeps
// it, that of IRDFT loses it, and RDFT adds it.
//
// Versions: DFT-7, IDFT-7, RDFT-9, IRDFT-9. Inputs: data, f32, f16 or bf16; axes, a
// vector of i32 or i64, negative ones counted from the back without the axis of
// pairs, each named once; signal_size, optional, a vector of i32 or i64 as long: the
// length N along each of the axes that data is cut or filled with zeros to, -1 for
// data's own, or what IRDFT makes of it. Output: the type of data.
//
// Errors: axes that data does not have, or that are named twice, no axes of RDFT and
// IRDFT, and a signal_size that is not as long as axes.
//
// Specification: OpenVINO operation set, signals.
package fft

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	transform("DFT", 7, inferComplex),
	transform("IDFT", 7, inferComplex),
	transform("IRDFT", 9, inferToReal),
	transform("RDFT", 9, inferReal),
}

func transform(name string, version int, infer func(*ops.Inference) error) ops.Op {
	return ops.Op{
		Type: name, Version: version,
		Inputs: ops.Between(2, 3),
		Types:  []ir.ElementType{ir.F32, ir.F16, ir.BF16},
		Values: []int{1, 2},
		Infer:  infer,
	}
}
