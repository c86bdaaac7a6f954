// Package batchnorm normalises the channels of a tensor with known statistics:
//
//	output[b,c,...] = (data[b,c,...]-mean[c]) / sqrt(variance[c]+epsilon) * gamma[c] + beta[c]
//
// Versions: BatchNormInference-1 with the inputs gamma, beta, data, mean and variance, and
// BatchNormInference-5, whose first input is data. Inputs: data of at least two axes, and four
// vectors as long as axis 1 of data, all of type T. T: f32, f64, f16, bf16; the 16-bit types
// are computed in float32 and rounded once. Attribute: epsilon, by default 0. If variance and
// epsilon are 0, the output is infinite, or NaN if data is the mean.
//
// Specification: OpenVINO operation set, normalization, BatchNormInference-1 and -5.
package batchnorm

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{
	batchNorm(1, ports{gamma: 0, beta: 1, data: 2, mean: 3, variance: 4}),
	batchNorm(5, ports{data: 0, gamma: 1, beta: 2, mean: 3, variance: 4}),
}

// ports holds the indices of the inputs.
type ports struct {
	data, gamma, beta, mean, variance int
}

// channels returns the indices of the four vectors.
func (p *ports) channels() [4]int { return [4]int{p.gamma, p.beta, p.mean, p.variance} }

type attributes struct {
	ports
	epsilon float64
}

func batchNorm(version int, p ports) ops.Op {
	return ops.Op{
		Type: "BatchNormInference", Version: version,
		Inputs: ops.Exactly(5),
		Types:  []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16},
		Attributes: func(a *ir.Attributes) (any, error) {
			a.Expect("epsilon")
			epsilon := a.Float("epsilon", 0)
			if !(epsilon >= 0) {
				a.Fail("epsilon", "%v is negative or no number", epsilon)
			}
			return attributes{p, epsilon}, a.Err()
		},
		Infer:   infer,
		Memory:  ops.Memory{InPlace: []int{p.data}},
		Fusion:  ops.Fusion{Applies: true},
		Prepare: prepare,
	}
}
