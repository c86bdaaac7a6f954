// Package onnxextension lists the families of layer types that models from ONNX files need beside
// those of OpenVINO: see package ir/onnx. A program that reads models with trees, encoders or text
// adds them to those of ops/builtin:
//
//	vinoir.Options{Ops: append(builtin.Ops(), onnxextension.Ops()...)}
//
// They are apart so that a program without such models does not link them.
package onnxextension

import (
	"slices"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/bitcast"
	"github.com/vinoir/vinoir/ops/dynamicquantizelstm"
	"github.com/vinoir/vinoir/ops/dynamictimewarping"
	"github.com/vinoir/vinoir/ops/keyindex"
	"github.com/vinoir/vinoir/ops/murmurhash3"
	"github.com/vinoir/vinoir/ops/pairwisecoupling"
	"github.com/vinoir/vinoir/ops/stringtransform"
	"github.com/vinoir/vinoir/ops/tfidfvectorizer"
	"github.com/vinoir/vinoir/ops/tokenizer"
	"github.com/vinoir/vinoir/ops/treeensemble"
)

// families holds the layer types of each family, sorted by package name.
var families = [][]ops.Op{
	bitcast.Ops,
	dynamicquantizelstm.Ops,
	dynamictimewarping.Ops,
	keyindex.Ops,
	murmurhash3.Ops,
	pairwisecoupling.Ops,
	stringtransform.Ops,
	tfidfvectorizer.Ops,
	tokenizer.Ops,
	treeensemble.Ops,
}

// Ops returns the layer types of all families.
func Ops() []ops.Op { return slices.Concat(families...) }
