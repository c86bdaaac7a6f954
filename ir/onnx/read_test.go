package onnx_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// options returns options with the rules of all layer types.
func options(t testing.TB) onnx.Options {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	return onnx.Options{Rules: registry}
}

// external returns a model whose output is 16 floats in another file.
func external(location string) *proto.Model {
	m := onnxtest.Model(13, &proto.Graph{
		Name:    "g",
		Nodes:   []*proto.Node{onnxtest.Node("Identity", "w", "y")},
		Outputs: []*proto.ValueInfo{{Name: "y"}},
		Initializers: []*proto.Tensor{{
			Name: "w", DataType: proto.Float, Dims: []int64{16}, External: true,
			Location: []proto.Entry{{Key: "location", Value: location}, {Key: "offset", Value: "3"}, {Key: "length", Value: "64"}},
		}},
	})
	m.ProducerName, m.ProducerVersion, m.Domain, m.ModelVersion = "test", "1.2", "org", 5
	m.Metadata = []proto.Entry{{Key: "names", Value: "{0: 'cat'}"}, {Key: "a key", Value: "v"}, {Key: "9", Value: "v"}, {Key: "none"}}
	return m
}

// weights returns the content of the other file: 16 floats of value 1 behind three bytes.
func weights() []byte {
	data := make([]byte, 3, 67)
	for range 16 {
		data = append(data, 0, 0, 0x80, 0x3f)
	}
	return data
}

// checkOnes checks that the model is that of external.
func checkOnes(t *testing.T, m *ir.Model, err error) {
	t.Helper()
	require.NoError(t, err)
	ones := m.Results[0].Inputs[0].Source.Constant
	require.Equal(t, 16, ones.Len())
	assert.Equal(t, float32(1), ir.Data[float32](ones)[15])
}

func TestRead(t *testing.T) {
	opts := options(t)
	opts.Files = map[string][]byte{"w.bin": weights()}
	m, err := onnx.Read(t.Context(), onnxtest.Encode(external("w.bin")), opts)
	checkOnes(t, m, err)
	assert.Equal(t, []string{"w", "y"}, m.Results[0].OutputNames)

	framework := m.RTInfo.SelectElement("framework")
	entries := make(map[string]string)
	for _, e := range framework.ChildElements() {
		entries[e.Tag] = e.SelectAttrValue("value", "")
	}
	assert.Equal(t, map[string]string{
		"format": "onnx", "producer_name": "test", "producer_version": "1.2", "domain": "org", "ir_version": "8", "model_version": "5",
		"names": "{0: 'cat'}", "a_key": "v", "_9": "v",
	}, entries)
}

func TestRead_errors(t *testing.T) {
	opts := options(t)
	good := onnxtest.Encode(external("w.bin"))
	_, err := onnx.Read(t.Context(), good, opts)
	assert.ErrorContains(t, err, `the file "w.bin" is needed`)
	opts.Files = map[string][]byte{}
	_, err = onnx.Read(t.Context(), good, opts)
	assert.ErrorContains(t, err, `the file "w.bin" is not in Options.Files`)
	var node *onnx.NodeError
	require.ErrorAs(t, err, &node)
	assert.Equal(t, "Identity", node.Operator)
	opts.Files = map[string][]byte{"w.bin": weights()[:30]}
	_, err = onnx.Read(t.Context(), good, opts)
	var short *onnx.ShortFileError
	require.ErrorAs(t, err, &short)

	var format *ir.FormatError
	var syntax *onnx.SyntaxError
	_, err = onnx.Read(t.Context(), []byte("<html>"), opts)
	require.ErrorAs(t, err, &format)
	require.ErrorAs(t, err, &syntax)
	assert.ErrorContains(t, err, "not an ONNX model: byte ")
	_, err = onnx.Read(t.Context(), nil, opts)
	assert.ErrorContains(t, err, "the model has no graph")

	m := external("w.bin")
	m.Graph.Nodes[0].Operator = "Unknown"
	_, err = onnx.Read(t.Context(), onnxtest.Encode(m), opts)
	var unsupported *onnx.UnsupportedError
	require.ErrorAs(t, err, &unsupported)
	assert.Equal(t, "Unknown", unsupported.Operators[0].Operator)

	opts.Limits.FileBytes = 10
	_, err = onnx.Read(t.Context(), good, opts)
	assert.ErrorAs(t, err, &format)
	assert.ErrorContains(t, err, "longer than the limit of 10 bytes")
	_, err = onnx.Read(t.Context(), good, onnx.Options{})
	assert.ErrorContains(t, err, "Options.Rules is nil")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = onnx.Read(ctx, good, options(t))
	assert.ErrorIs(t, err, context.Canceled)
	assert.False(t, errors.As(err, &format))
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.onnx")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "w.bin"), weights(), 0o600))
	for _, mmap := range []bool{false, true} {
		opts := options(t)
		opts.MMap = mmap
		require.NoError(t, os.WriteFile(path, onnxtest.Encode(external("sub/../sub/w.bin")), 0o600))
		m, err := onnx.ReadFile(t.Context(), path, opts)
		checkOnes(t, m, err)
		m.Discard(m.Results[0].Inputs[0].Source.Constant)
		require.NoError(t, m.Close())

		for _, location := range []string{"missing", "sub", "../w.bin", "/etc/passwd", `sub\w.bin`, "C:w.bin", "sub/../../w.bin", "w\x00", ".", "http://a/b"} {
			require.NoError(t, os.WriteFile(path, onnxtest.Encode(external(location)), 0o600))
			_, err := onnx.ReadFile(t.Context(), path, opts)
			var format *ir.FormatError
			assert.ErrorAs(t, err, &format, location)
			assert.ErrorContains(t, err, path)
		}
		_, err = onnx.ReadFile(t.Context(), dir, opts)
		assert.ErrorContains(t, err, "not a regular file")
		_, err = onnx.ReadFile(t.Context(), filepath.Join(dir, "no.onnx"), opts)
		assert.ErrorIs(t, err, os.ErrNotExist)
		opts.Limits.FileBytes = 10
		_, err = onnx.ReadFile(t.Context(), path, opts)
		var format *ir.FormatError
		assert.ErrorAs(t, err, &format)
	}
}

// TestReadFile_link checks that a link out of the folder is not followed.
func TestReadFile_link(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "w.bin"), weights(), 0o600))
	if err := os.Symlink(filepath.Join(outside, "w.bin"), filepath.Join(dir, "w.bin")); err != nil {
		t.Skip("SKIPPED: the system has no symbolic links")
	}
	path := filepath.Join(dir, "m.onnx")
	require.NoError(t, os.WriteFile(path, onnxtest.Encode(external("w.bin")), 0o600))
	_, err := onnx.ReadFile(t.Context(), path, options(t))
	assert.ErrorContains(t, err, "escapes")
}

func TestReadFS(t *testing.T) {
	fsys := fstest.MapFS{
		"models/m.onnx": {Data: onnxtest.Encode(external("w.bin"))}, "models/w.bin": {Data: weights()},
		"bad.onnx": {Data: []byte("x")}, "alone.onnx": {Data: onnxtest.Encode(external("w.bin"))},
	}
	m, err := onnx.ReadFS(t.Context(), fsys, "models/m.onnx", options(t))
	checkOnes(t, m, err)
	for _, name := range []string{"bad.onnx", "alone.onnx", "missing.onnx", "models"} {
		_, err := onnx.ReadFS(t.Context(), fsys, name, options(t))
		assert.ErrorContains(t, err, name)
	}
	opts := options(t)
	opts.Limits.ExternalBytes = 10
	_, err = onnx.ReadFS(t.Context(), fsys, "models/m.onnx", opts)
	assert.ErrorContains(t, err, "longer than the limit of 10 bytes")
}

// bodies returns a model of an operator with a body, which reads its inputs and those of the model.
func bodies(operator, inputs, read, results string, attributes ...*proto.Attribute) *proto.Model {
	body := &proto.Graph{Nodes: []*proto.Node{onnxtest.Node("Mul", "s x", "z"), onnxtest.Node("Identity", "go", "next")}}
	for _, name := range strings.Fields(read) {
		body.Inputs = append(body.Inputs, &proto.ValueInfo{Name: name})
	}
	for _, name := range strings.Fields(results) {
		body.Outputs = append(body.Outputs, &proto.ValueInfo{Name: name})
	}
	node := onnxtest.Node(operator, inputs, "y v", append(attributes, onnxtest.Attribute("body", body))...)
	return onnxtest.Model(13, &proto.Graph{
		Name: "g", Nodes: []*proto.Node{node}, Outputs: []*proto.ValueInfo{{Name: "y"}, {Name: "v"}},
		Inputs: []*proto.ValueInfo{onnxtest.Value("x", ir.F32, "n", 2), onnxtest.Value("n", ir.I64), onnxtest.Value("go", ir.Boolean)},
	})
}

// TestDimNames tests that names of lengths are kept, also in an IR that is written.
func TestDimNames(t *testing.T) {
	g := &proto.Graph{
		Nodes: []*proto.Node{onnxtest.Node("Relu", "x", "y"), onnxtest.Node("Relu", "w", "z")}, Outputs: []*proto.ValueInfo{{Name: "y"}, {Name: "z"}},
		Inputs: []*proto.ValueInfo{onnxtest.Value("x", ir.F32, "batch", 3, "past + 1", "batch", "", "a\x00"), onnxtest.Value("w", ir.F32, 2, "")},
	}
	m, err := onnx.Read(t.Context(), onnxtest.Encode(onnxtest.Model(13, g)), options(t))
	require.NoError(t, err)
	names := []string{"batch", "", "past + 1", "batch", "", ""}
	assert.Equal(t, names, onnx.DimNames(m.Parameters[0]))
	assert.Nil(t, onnx.DimNames(m.Parameters[1]))
	assert.Nil(t, onnx.DimNames(m.Results[0]))

	path := filepath.Join(t.TempDir(), "m.xml")
	require.NoError(t, irxml.WriteFile(t.Context(), path, m, irxml.WriteOptions{}))
	m, err = irxml.ReadFile(path, irxml.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, names, onnx.DimNames(m.Parameters[0]))
}

// sequences returns a model with an operator of each kind on sequences and optionals.
func sequences() *proto.Model {
	graph := func(inputs, outputs string, nodes ...*proto.Node) *proto.Graph {
		g := &proto.Graph{Nodes: nodes}
		for name := range strings.FieldsSeq(inputs) {
			g.Inputs = append(g.Inputs, &proto.ValueInfo{Name: name})
		}
		for name := range strings.FieldsSeq(outputs) {
			g.Outputs = append(g.Outputs, &proto.ValueInfo{Name: name})
		}
		return g
	}
	node := onnxtest.Node
	body := onnxtest.Attribute("body", graph("i c t", "c u", node("SequenceAt", "rows i", "row"), node("SequenceInsert", "t row", "u")))
	twice := onnxtest.Attribute("body", graph("a", "b", node("Add", "a a", "b")))
	g := graph("", "y z l h", node("SplitToSequence", "x", "rows", onnxtest.Attribute("keepdims", 0)), node("SequenceEmpty", "", "e"),
		node("Loop", "n go e", "collected", body), node("ConcatFromSequence", "collected", "y", onnxtest.Attribute("axis", 0)),
		node("SequenceConstruct", "x x", "pair"), node("SequenceMap", "pair", "doubled", twice), node("SequenceErase", "doubled", "one"),
		node("If", "go", "z", onnxtest.Attribute("then_branch", graph("", "one")), onnxtest.Attribute("else_branch", graph("", "s", node("SequenceConstruct", "x", "s")))),
		node("SequenceLength", "collected", "l"), node("Optional", "one", "o"), node("OptionalHasElement", "o", "h"))
	g.Inputs = []*proto.ValueInfo{onnxtest.Value("x", ir.F32, "n", 2), onnxtest.Value("n", ir.I64), onnxtest.Value("go", ir.Boolean)}
	return onnxtest.Model(17, g)
}

// TestRead_bodies tests that the seeds of FuzzRead with graphs in attributes are models.
func TestRead_bodies(t *testing.T) {
	for _, m := range seeds() {
		_, err := onnx.Read(t.Context(), onnxtest.Encode(m), options(t))
		require.NoError(t, err)
	}
}

// seeds returns models with graphs in attributes.
func seeds() []*proto.Model {
	return []*proto.Model{
		bodies("Loop", "n go x", "i go s", "next z s"),
		bodies("Scan", "x x", "s e", "z e", onnxtest.Attribute("num_scan_inputs", 1)),
		sequences(),
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(onnxtest.Encode(external("w.bin"))))
	for _, m := range append(seeds(), decoder()) {
		f.Add([]byte(onnxtest.Encode(m)))
	}
	opts := options(f)
	opts.Files = map[string][]byte{"w.bin": weights()}
	opts.Limits = onnx.Limits{FileBytes: 1 << 16, TensorBytes: 1 << 20, CopiedBytes: 1 << 20, Messages: 1 << 12, Nodes: 1 << 10}
	lists := opts
	lists.Lengths = map[string]int{"q": 2}
	q := &proto.ValueInfo{Name: "q", Type: &proto.Type{Kind: proto.KindSequence, Element: onnxtest.TensorType(ir.F32, "n")}}
	f.Add([]byte(onnxtest.Encode(onnxtest.Model(17, &proto.Graph{
		Nodes: []*proto.Node{onnxtest.Node("SequenceErase", "q", "y")}, Inputs: []*proto.ValueInfo{q}, Outputs: []*proto.ValueInfo{{Name: "y"}},
	}))))
	stateful := opts
	stateful.Stateful = true
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opts := range []onnx.Options{opts, lists, stateful} {
			m, err := onnx.Read(t.Context(), data, opts)
			if err != nil {
				assert.NotContains(t, err.Error(), "BUG: ")
				continue
			}
			assert.NotEmpty(t, m.Results)
		}
	})
}

// decoder is a model whose state is the sum of its inputs so far.
func decoder() *proto.Model {
	return onnxtest.Model(13, &proto.Graph{
		Name:    "g",
		Inputs:  []*proto.ValueInfo{onnxtest.Value("input_ids", ir.F32, "batch", 2), onnxtest.Value("past_key_values.0.key", ir.F32, "batch", 2)},
		Nodes:   []*proto.Node{onnxtest.Node("Add", "input_ids past_key_values.0.key", "present.0.key"), onnxtest.Node("Relu", "present.0.key", "logits")},
		Outputs: []*proto.ValueInfo{{Name: "logits"}, {Name: "present.0.key"}},
	})
}

func TestRead_stateful(t *testing.T) {
	opts := options(t)
	opts.Stateful = true
	m, err := onnx.Read(t.Context(), onnxtest.Encode(decoder()), opts)
	require.NoError(t, err)
	assert.Len(t, m.Results, 1)
	require.Len(t, m.Sinks, 1)
	assert.Equal(t, "past_key_values.0.keypresent.0.key", ir.AttributesOf(m.Sinks[0]).String("variable_id", ""))
	_, err = onnx.Read(t.Context(), onnxtest.Encode(external("w.bin")), opts)
	assert.ErrorContains(t, err, "no input and output are a state of the past")
}
