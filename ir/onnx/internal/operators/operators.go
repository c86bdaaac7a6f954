// Package operators lists the rules of all operators. There is a package for each family, as there
// is for layer types below ops.
package operators

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/activation"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/attention"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/blocks"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/blockweights"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/constant"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/control"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/convolution"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/detection"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/elementwise"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/experimental"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/feature"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/foreign"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/gate"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/gatherscatter"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/generation"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/loss"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/matrix"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/mixture"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/movement"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/normalization"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/pattern"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/predictor"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/product"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/qlinear"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/quantization"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/random"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/recurrent"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/reduce"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/refused"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/resize"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/sampling"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/selection"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/sequence"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/spectrum"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/stringtransform"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/text"
)

// Rules returns the rules of all operators.
func Rules() []convert.Rule {
	var rules []convert.Rule
	for _, family := range families {
		rules = append(rules, family()...)
	}
	return rules
}

// families has Rules of each family.
var families = []func() []convert.Rule{
	activation.Rules,
	attention.Rules,
	blocks.Rules,
	blockweights.Rules,
	constant.Rules,
	control.Rules,
	convolution.Rules,
	detection.Rules,
	elementwise.Rules,
	experimental.Rules,
	feature.Rules,
	foreign.Rules,
	gate.Rules,
	gatherscatter.Rules,
	generation.Rules,
	loss.Rules,
	matrix.Rules,
	mixture.Rules,
	movement.Rules,
	normalization.Rules,
	pattern.Rules,
	predictor.Rules,
	product.Rules,
	qlinear.Rules,
	quantization.Rules,
	random.Rules,
	recurrent.Rules,
	reduce.Rules,
	refused.Rules,
	resize.Rules,
	sampling.Rules,
	selection.Rules,
	sequence.Rules,
	spectrum.Rules,
	stringtransform.Rules,
	text.Rules,
}
