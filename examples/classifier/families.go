package classifier

import (
	"slices"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/activation"
	"github.com/vinoir/vinoir/ops/attention"
	"github.com/vinoir/vinoir/ops/batchnorm"
	"github.com/vinoir/vinoir/ops/broadcast"
	"github.com/vinoir/vinoir/ops/concat"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/convert"
	"github.com/vinoir/vinoir/ops/convolution"
	"github.com/vinoir/vinoir/ops/eltwise"
	"github.com/vinoir/vinoir/ops/fakequantize"
	"github.com/vinoir/vinoir/ops/gather"
	"github.com/vinoir/vinoir/ops/lrn"
	"github.com/vinoir/vinoir/ops/matmul"
	"github.com/vinoir/vinoir/ops/mvn"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/pooling"
	"github.com/vinoir/vinoir/ops/rangeop"
	"github.com/vinoir/vinoir/ops/reduce"
	"github.com/vinoir/vinoir/ops/reshape"
	"github.com/vinoir/vinoir/ops/result"
	"github.com/vinoir/vinoir/ops/shapeof"
	"github.com/vinoir/vinoir/ops/softmax"
	"github.com/vinoir/vinoir/ops/split"
	"github.com/vinoir/vinoir/ops/squeeze"
	"github.com/vinoir/vinoir/ops/transpose"
	"github.com/vinoir/vinoir/ops/unary"
	"github.com/vinoir/vinoir/ops/unsqueeze"
)

// families returns the layer types of models that classify pictures: those of DenseNet,
// EfficientNet, Inception, MobileNet, ResNet, ShuffleNet, SqueezeNet, VGG and ViT, in f32 and
// quantised. A program links what is listed here and nothing else. For a model with other layer
// types, the error of New names the packages to add.
func families() []ops.Op {
	return slices.Concat(
		activation.Ops,
		attention.Ops,
		batchnorm.Ops,
		broadcast.Ops,
		concat.Ops,
		constant.Ops,
		convert.Ops,
		convolution.Ops,
		eltwise.Ops,
		fakequantize.Ops,
		gather.Ops,
		lrn.Ops,
		matmul.Ops,
		mvn.Ops,
		parameter.Ops,
		pooling.Ops,
		rangeop.Ops,
		reduce.Ops,
		reshape.Ops,
		result.Ops,
		shapeof.Ops,
		softmax.Ops,
		split.Ops,
		squeeze.Ops,
		transpose.Ops,
		unary.Ops,
		unsqueeze.Ops,
	)
}
