// Package builtin lists every family of layer types that vinoir has. A program
// that needs only some of them, and wants a smaller binary, lists those itself.
package builtin

import (
	"slices"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/batchnorm"
	"github.com/vinoir/vinoir/ops/binaryconvolution"
	"github.com/vinoir/vinoir/ops/broadcast"
	"github.com/vinoir/vinoir/ops/colorconvert"
	"github.com/vinoir/vinoir/ops/concat"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/convert"
	"github.com/vinoir/vinoir/ops/convolution"
	"github.com/vinoir/vinoir/ops/convolutionbackpropdata"
	"github.com/vinoir/vinoir/ops/deformableconvolution"
	"github.com/vinoir/vinoir/ops/eltwise"
	"github.com/vinoir/vinoir/ops/embeddingbag"
	"github.com/vinoir/vinoir/ops/fft"
	"github.com/vinoir/vinoir/ops/gather"
	"github.com/vinoir/vinoir/ops/gatherelements"
	"github.com/vinoir/vinoir/ops/gathernd"
	"github.com/vinoir/vinoir/ops/identity"
	"github.com/vinoir/vinoir/ops/ifop"
	"github.com/vinoir/vinoir/ops/loop"
	"github.com/vinoir/vinoir/ops/matmul"
	"github.com/vinoir/vinoir/ops/pad"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/pooling"
	"github.com/vinoir/vinoir/ops/rangeop"
	"github.com/vinoir/vinoir/ops/reduce"
	"github.com/vinoir/vinoir/ops/reshape"
	"github.com/vinoir/vinoir/ops/result"
	"github.com/vinoir/vinoir/ops/rnn"
	"github.com/vinoir/vinoir/ops/scatterelements"
	"github.com/vinoir/vinoir/ops/scatterndupdate"
	"github.com/vinoir/vinoir/ops/scatterupdate"
	"github.com/vinoir/vinoir/ops/selectop"
	"github.com/vinoir/vinoir/ops/shapeof"
	"github.com/vinoir/vinoir/ops/slice"
	"github.com/vinoir/vinoir/ops/slicescatter"
	"github.com/vinoir/vinoir/ops/split"
	"github.com/vinoir/vinoir/ops/squeeze"
	"github.com/vinoir/vinoir/ops/stft"
	"github.com/vinoir/vinoir/ops/stridedslice"
	"github.com/vinoir/vinoir/ops/stringtensor"
	"github.com/vinoir/vinoir/ops/tensoriterator"
	"github.com/vinoir/vinoir/ops/tile"
	"github.com/vinoir/vinoir/ops/transpose"
	"github.com/vinoir/vinoir/ops/unary"
	"github.com/vinoir/vinoir/ops/unsqueeze"
	"github.com/vinoir/vinoir/ops/variable"
)

// families is sorted by package name, one line each.
var families = [][]ops.Op{
	batchnorm.Ops,
	binaryconvolution.Ops,
	broadcast.Ops,
	colorconvert.Ops,
	concat.Ops,
	constant.Ops,
	convert.Ops,
	convolution.Ops,
	convolutionbackpropdata.Ops,
	deformableconvolution.Ops,
	eltwise.Ops,
	embeddingbag.Ops,
	fft.Ops,
	gather.Ops,
	gatherelements.Ops,
	gathernd.Ops,
	identity.Ops,
	ifop.Ops,
	loop.Ops,
	matmul.Ops,
	pad.Ops,
	parameter.Ops,
	pooling.Ops,
	rangeop.Ops,
	reduce.Ops,
	reshape.Ops,
	result.Ops,
	rnn.Ops,
	scatterelements.Ops,
	scatterndupdate.Ops,
	scatterupdate.Ops,
	selectop.Ops,
	shapeof.Ops,
	slice.Ops,
	slicescatter.Ops,
	split.Ops,
	squeeze.Ops,
	stft.Ops,
	stridedslice.Ops,
	stringtensor.Ops,
	tensoriterator.Ops,
	tile.Ops,
	transpose.Ops,
	unary.Ops,
	unsqueeze.Ops,
	variable.Ops,
}

// Ops returns the layer types of all families.
func Ops() []ops.Op { return slices.Concat(families...) }
