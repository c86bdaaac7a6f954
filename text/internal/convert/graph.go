package convert

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// graph adds the layers of OpenVINO Tokenizers to a model.
type graph struct{ *edit.Builder }

func newGraph(ctx context.Context, rules infer.Rules, name string) graph {
	return graph{edit.NewBuilder(ctx, rules, name)}
}

// flow is what passes from layer to layer: the strings of all texts.
type flow struct {
	strings []edit.Source // begins, ends, characters
	rows    []edit.Source // begins and ends of the strings of a text; nil if it is one string
	skips   []edit.Source // which strings are special tokens; nil if none is
}

// outputs returns the first n outputs of a layer.
func outputs(s edit.Source, n int) []edit.Source {
	list := make([]edit.Source, n)
	for i := range list {
		list[i] = s.Out(i)
	}
	return list
}

// extension adds a layer of OpenVINO Tokenizers.
func (g graph) extension(layerType string, attributes []string, inputs ...edit.Source) edit.Source {
	return g.Extension(layerType, "extension", edit.Attributes(attributes...), inputs...)
}

// normalize adds a layer that changes the strings one by one, and leaves special tokens as they
// are.
func (g graph) normalize(f *flow, layerType string, attributes []string, constants ...edit.Source) {
	layer := g.extension(layerType, attributes, slices.Concat(f.strings, f.skips, constants)...)
	f.strings = outputs(layer, 3)
	if f.skips != nil {
		f.skips = []edit.Source{layer.Out(3)}
	}
}

// split adds a layer that cuts the strings.
func (g graph) split(f *flow, layerType string, attributes []string, pattern string) {
	layer := g.extension(layerType, attributes, append(slices.Concat(f.rows, f.strings, f.skips), g.text(pattern))...)
	f.setRagged(layer)
}

// setRagged sets the rows and strings to the outputs of a layer.
func (f *flow) setRagged(layer edit.Source) {
	all := outputs(layer, 5)
	f.rows, f.strings = all[:2], all[2:]
	if f.skips != nil {
		f.skips = []edit.Source{layer.Out(5)}
	}
}

// addRows makes a row of each string: row i from i to i+1.
func (g graph) addRows(f *flow) {
	whole := edit.Attributes("output_type", "i64")
	shape := g.Layer("ShapeOf", 3, whole, f.strings[0])
	count := g.Layer("Gather", 8, edit.Attributes("batch_dims", "0"), shape, g.long(0), g.long(0))
	from := edit.Attributes("output_type", "i32")
	next := g.Layer("Add", 1, edit.Attributes("auto_broadcast", "numpy"), count, g.long(1))
	f.rows = []edit.Source{g.Layer("Range", 4, from, g.long(0), count, g.long(1)), g.Layer("Range", 4, from, g.long(1), next, g.long(1))}
}

// text adds a constant string.
func (g graph) text(s string) edit.Source { return g.ConstantOf([]byte(s), len(s)) }

// long, integer and boolean add constant scalars.
func (g graph) long(n int64) edit.Source { return scalar(g, ir.I64, n) }

func (g graph) integer(n int32) edit.Source { return scalar(g, ir.I32, n) }

func (g graph) boolean(b bool) edit.Source { return scalar(g, ir.Boolean, b) }

func scalar[T bool | int32 | int64](g graph, t ir.ElementType, value T) edit.Source {
	tensor, err := ir.NewTensor(t)
	if err != nil {
		return g.Constant(nil) // fails
	}
	ir.Data[T](tensor)[0] = value
	return g.Constant(tensor)
}

func (g graph) integers(list []int32) edit.Source { return g.ConstantOf(list, len(list)) }

// words adds constant strings.
func (g graph) words(list [][]byte) ([]edit.Source, error) {
	size := 0
	for _, word := range list {
		if size += len(word); size > math.MaxInt32 {
			return nil, faults.Errorf("%d words have more than %d bytes", len(list), math.MaxInt32)
		}
	}
	s := ragged.Strings{Begins: make([]int32, 0, len(list)), Ends: make([]int32, 0, len(list)), Chars: make([]byte, 0, size)}
	for _, word := range list {
		s.Append(word)
	}
	return g.strings(s), nil
}

// strings adds constant strings.
func (g graph) strings(s ragged.Strings) []edit.Source {
	return []edit.Source{g.integers(s.Begins), g.integers(s.Ends), g.ConstantOf(s.Chars, len(s.Chars))}
}

// convert adds a conversion to another element type.
func (g graph) convert(s edit.Source, to string) edit.Source {
	return g.Layer("Convert", 1, edit.Attributes("destination_type", to), s)
}

// ids adds the input of a detokenizer: ids of a type, as i32.
func (g graph) ids(t ir.ElementType) edit.Source {
	ids := g.Parameter("token_ids", t, ir.ShapeOfRank(2))
	if t != ir.I32 {
		ids = g.convert(ids, "i32")
	}
	return ids
}

// yesNo is the value of an attribute.
func yesNo(b bool) string { return strconv.FormatBool(b) }
