package irxml_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/limittest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

// fuzzLimits keeps the resources of fuzzed files small.
var fuzzLimits = irxml.Limits{XMLBytes: 1 << 16, BinBytes: 1 << 16, TensorBytes: 1 << 20, CopiedBytes: 1 << 20}

// stageLimits is what one operation on a fuzzed file may take.
var stageLimits = limittest.Limits{Bytes: 32 << 20, Time: 5 * time.Second}

// readLimited reads a file within the limits.
func readLimited(t *testing.T, xml, bin []byte, noBin bool) {
	limittest.Run(t, stageLimits, func(context.Context) {
		m, err := irxml.Read(xml, bin, irxml.ReadOptions{NoBin: noBin, Limits: fuzzLimits})
		checkRead(t, m, err)
	})
}

// fuzzSeeds returns models of different kinds.
func fuzzSeeds(f *testing.F) (xmls [][]byte) {
	xmls = [][]byte{
		[]byte(smallXML), constXML(`element_type="string" shape="2" offset="0" size="16"`),
		v10("f16", "FP16"), v10("i64", "I64"), nestedBodies(3), nestedBodies(40),
		withBody("TensorIterator", "<port_map>"+slicedMap+"</port_map><body>"+bodyLayers+"</body>"),
		withBody("If", "<then_body>"+bodyLayers+"</then_body><else_body>"+bodyLayers+"</else_body>"),
		[]byte("<net version='11'/>"), []byte("<!DOCTYPE net [<!ENTITY a 'b'>]><net version='10'>&a;</net>"),
	}
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "ir", "bad", "*", "model.xml"))
	require.NoError(f, err)
	for _, path := range paths {
		if xml, err := os.ReadFile(path); err == nil && len(xml) < 4096 {
			xmls = append(xmls, xml)
		}
	}
	return xmls
}

func FuzzReadXML(f *testing.F) {
	for _, xml := range fuzzSeeds(f) {
		f.Add(xml)
	}
	f.Fuzz(func(t *testing.T, xml []byte) { readLimited(t, xml, nil, true) })
}

func FuzzRead(f *testing.F) {
	for _, xml := range fuzzSeeds(f) {
		f.Add(xml, smallBin)
		f.Add(xml, packStrings("a", "bc"))
	}
	f.Fuzz(func(t *testing.T, xml, bin []byte) { readLimited(t, xml, bin, false) })
}

// checkRead checks the properties of a model, or of an error, that callers of the reader rely
// on.
func checkRead(t *testing.T, m *ir.Model, err error) {
	if err != nil {
		var format *ir.FormatError
		require.ErrorAs(t, err, &format)
		require.NotEmpty(t, err.Error())
		require.Nil(t, m)
		return
	}
	checkModel(t, m)
}

func checkModel(t *testing.T, m *ir.Model) {
	must := func(ok bool, what string, layer *ir.Layer) {
		if !ok {
			require.Fail(t, what, "layer %+v", layer)
		}
	}
	at := make(map[*ir.Layer]int)
	for i, layer := range m.Order {
		_, twice := at[layer]
		must(!twice, "a layer stands in the order twice", layer)
		at[layer] = i
	}
	for i, layer := range m.Layers {
		must(layer.Index == i, "Index is not the position", layer)
	}
	for _, list := range [][]*ir.Layer{m.Parameters, m.Results, m.Sinks} {
		for _, layer := range list {
			_, ok := at[layer]
			must(ok, "not in the order", layer)
		}
	}
	for i, layer := range m.Order {
		must(m.Layers[layer.Index] == layer, "not in Layers", layer)
		for _, in := range layer.Inputs {
			must(in.Source != nil, "an input without a source", layer)
			from, ok := at[in.Source]
			must(ok && from < i, "a source that does not come before", layer)
			must(in.SourceIndex < len(in.Source.Outputs), "an output that is not there", layer)
		}
		if c := layer.Constant; c != nil {
			size, err := ir.ByteSize(c.ElementType(), c.Shape())
			require.NoError(t, err)
			if c.ElementType() == ir.String {
				size = c.Len()
			}
			must(len(c.Bytes())+len(c.Strings()) == size, "a tensor of another size", layer)
		}
		for _, body := range layer.Bodies {
			checkModel(t, body.Model)
			for _, in := range body.Inputs {
				must(in.External < len(layer.Inputs) && slices.Contains(body.Model.Parameters, in.Internal), "a body input", layer)
			}
			for _, out := range body.Outputs {
				must(slices.Contains(body.Model.Results, out.Internal), "a body output", layer)
			}
			for _, e := range body.BackEdges {
				must(slices.Contains(body.Model.Results, e.From) && slices.Contains(body.Model.Parameters, e.To), "a back edge", layer)
			}
		}
	}
}
