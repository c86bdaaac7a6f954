// Package extension lists the families of layer types that OpenVINO's extension for text defines,
// OpenVINO Tokenizers: those of version "extension" and "openvino_tokenizers". A program that runs
// tokenizers as models adds them to those of ops/builtin:
//
//	vinoir.Options{Ops: append(builtin.Ops(), extension.Ops()...)}.Open("openvino_tokenizer.xml")
//
// They are apart so that a program without text does not link them.
package extension

import (
	"slices"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/bpetokenizer"
	"github.com/vinoir/vinoir/ops/bytefallback"
	"github.com/vinoir/vinoir/ops/bytestochars"
	"github.com/vinoir/vinoir/ops/charsmapnormalization"
	"github.com/vinoir/vinoir/ops/contribstring"
	"github.com/vinoir/vinoir/ops/equalstr"
	"github.com/vinoir/vinoir/ops/numerictostring"
	"github.com/vinoir/vinoir/ops/ragged"
	"github.com/vinoir/vinoir/ops/regexnormalization"
	"github.com/vinoir/vinoir/ops/regexsplit"
	"github.com/vinoir/vinoir/ops/sentencepiece"
	"github.com/vinoir/vinoir/ops/specialtokenssplit"
	"github.com/vinoir/vinoir/ops/stringtensor"
	"github.com/vinoir/vinoir/ops/stringtohashbucket"
	"github.com/vinoir/vinoir/ops/trietokenizer"
	"github.com/vinoir/vinoir/ops/unigramtokenizer"
	"github.com/vinoir/vinoir/ops/utf8validate"
	"github.com/vinoir/vinoir/ops/vocab"
	"github.com/vinoir/vinoir/ops/wordpiecetokenizer"
)

// families holds the layer types of each family, sorted by package name.
var families = [][]ops.Op{
	bpetokenizer.Ops,
	bytefallback.Ops,
	bytestochars.Ops,
	charsmapnormalization.Ops,
	contribstring.Ops,
	equalstr.Ops,
	numerictostring.Ops,
	ragged.Ops,
	regexnormalization.Ops,
	regexsplit.Ops,
	sentencepiece.Ops,
	specialtokenssplit.Ops,
	stringtensor.Extension,
	stringtohashbucket.Ops,
	trietokenizer.Ops,
	unigramtokenizer.Ops,
	utf8validate.Ops,
	vocab.Ops,
	wordpiecetokenizer.Ops,
}

// Ops returns the layer types of all families.
func Ops() []ops.Op { return slices.Concat(families...) }
