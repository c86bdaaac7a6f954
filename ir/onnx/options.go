package onnx

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
	"github.com/vinoir/vinoir/ir/onnx/internal/wire"
)

// Options specifies how a model is read. Rules must be set; the other fields have useful zero
// values.
type Options struct {
	// Rules are those of a plugin.Registry: they infer each layer that is made for a node.
	Rules infer.Rules
	// Files has the files with external data for Read, by their location in the model.
	Files map[string][]byte
	// MMap means that ReadFile maps the file, and files with external data, into memory instead of
	// reading them, as with irxml.ReadOptions.MMap.
	MMap bool
	// Lengths has the lengths of inputs that are sequences, by name: an input x of length 2 becomes
	// the inputs x.0 and x.1. It is NoValue for an optional that has no value.
	Lengths map[string]int
	// Constants has the values of inputs that are the same for all inferences, by name. They are no
	// inputs of the model then, and what depends on them alone is computed once: the branch of an
	// If, the number of trips of a Loop, the lengths into which a tensor is split.
	Constants map[string]*ir.Tensor
	// Stateful makes variables of the inputs and outputs that hold what a decoder knows of the text
	// so far, as OpenVINO's own language models have them: package generate runs such models. Their
	// names differ only in the words past and present, as past_key_values.0.key and present.0.key;
	// the variable has both names, one behind the other. If the batch is unknown, the model has one
	// more input, beam_idx, i32[batch]: for each text, the one of the inference before that it
	// continues. Texts of different lengths must be padded on the left, also for
	// GroupQueryAttention. A model without such inputs is an error.
	Stateful bool
	// Limits bounds the resources that reading a file takes.
	Limits Limits

	report *reporter // not nil for CheckFile and Check
}

// NoValue stands in Options.Lengths for an optional without a value.
const NoValue = convert.NoValue

// Limits bounds the resources that reading takes, whatever the file contains. A zero field means
// the default, which is far above the needs of real models.
type Limits struct {
	// FileBytes is the largest size of the file: 2 GiB, which is also the largest that protocol
	// buffers allow.
	FileBytes int64
	// ExternalBytes is the largest size of all files with external data together: 64 GiB.
	ExternalBytes int64
	// TensorBytes is the largest size of a tensor: 16 GiB.
	TensorBytes int64
	// CopiedBytes bounds the memory of tensors whose elements are not shared with a file: those of
	// typed fields, sparse ones, and those that must be copied because of their alignment. The
	// default is 256 MiB plus eight times the size of the file.
	CopiedBytes int64
	// Messages is the largest number of messages in the file, such as nodes, attributes and dims:
	// 10,000,000.
	Messages int
	// Depth is the largest nesting depth of messages: 200, enough for 64 graphs in each other.
	Depth int
	// Nodes is the largest number of nodes, with those in functions once for each call. The default
	// is 20,000, plus 100 for each node in the file, and at most 10,000,000.
	Nodes int
	// Graphs is the largest nesting depth of calls of functions and of graphs: 64.
	Graphs int
}

// withDefaults returns l with zero fields replaced by their defaults, except those that depend on
// the file.
func (l Limits) withDefaults() Limits {
	setDefault(&l.FileBytes, 2<<30)
	setDefault(&l.ExternalBytes, 64<<30)
	setDefault(&l.TensorBytes, 16<<30)
	setDefault(&l.Messages, 10_000_000)
	setDefault(&l.Depth, 200)
	setDefault(&l.Graphs, 64)
	l.FileBytes = min(l.FileBytes, math.MaxInt)
	return l
}

func setDefault[T int | int64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// SyntaxError reports a file that is not a protocol buffer, with the byte at which it is wrong.
type SyntaxError = wire.SyntaxError

// NodeError is an error about a node: it has the names of the node and of its output, and the
// operator with its version.
type NodeError = convert.NodeError

// UnsupportedError lists all operators of a model that cannot be converted.
type UnsupportedError = convert.UnsupportedError

// UnsupportedOperator is an operator in an UnsupportedError.
type UnsupportedOperator = convert.UnsupportedOperator

// ShortFileError reports a tensor that is not in its file with external data.
type ShortFileError = tensors.ShortFileError
