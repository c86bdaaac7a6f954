package text

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/broadcast"
	"github.com/vinoir/vinoir/ops/concat"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/convert"
	"github.com/vinoir/vinoir/ops/eltwise"
	"github.com/vinoir/vinoir/ops/gather"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/rangeop"
	"github.com/vinoir/vinoir/ops/reduce"
	"github.com/vinoir/vinoir/ops/reshape"
	"github.com/vinoir/vinoir/ops/result"
	"github.com/vinoir/vinoir/ops/reverse"
	"github.com/vinoir/vinoir/ops/scatterndupdate"
	"github.com/vinoir/vinoir/ops/selectop"
	"github.com/vinoir/vinoir/ops/shapeof"
	"github.com/vinoir/vinoir/ops/slice"
	"github.com/vinoir/vinoir/ops/squeeze"
	"github.com/vinoir/vinoir/ops/stringtensor"
	"github.com/vinoir/vinoir/ops/unsqueeze"
	"github.com/vinoir/vinoir/ops/variable"
)

// families holds the layer types of OpenVINO's opsets that converters write into tokenizers.
var families = [][]ops.Op{
	broadcast.Ops, concat.Ops, constant.Ops, convert.Ops, eltwise.Ops, gather.Ops, parameter.Ops, rangeop.Ops,
	reduce.Ops, reshape.Ops, result.Ops, reverse.Ops, scatterndupdate.Ops, selectop.Ops, shapeof.Ops, slice.Ops,
	squeeze.Ops, stringtensor.Ops, unsqueeze.Ops, variable.Ops,
}
