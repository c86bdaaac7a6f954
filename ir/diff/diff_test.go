package diff_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/diff"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
)

var rules = sync.OnceValue(func() infer.Rules {
	_, rules := exampletest.Reshape()
	return rules
})

var numpy = edit.Attributes("auto_broadcast", "numpy")

// network returns a network of n blocks: MatMul, Add, Relu.
func network(t testing.TB, n int) *ir.Model {
	b := edit.NewBuilder(t.Context(), rules(), "net")
	s := b.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim, ir.Dim(2)))
	for i := range n {
		name := "block" + strconv.Itoa(i)
		weights := b.Name(b.ConstantOf([]float32{1, float32(i), 3, 4}, 2, 2), name+"/weights")
		s = b.Name(b.Layer("MatMul", 1, edit.Attributes("transpose_a", "false", "transpose_b", "false"), s, weights), name+"/matmul")
		s = b.Name(b.Layer("Add", 1, numpy, s, b.Name(b.ConstantOf([]float32{1, 2}, 1, 2), name+"/bias")), name+"/add")
		s = b.Name(b.Layer("Relu", 1, nil, s), name+"/relu")
	}
	b.Result("y", s)
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

// changed returns m after edits.
func changed(t testing.TB, m *ir.Model, change func(b *edit.Builder)) *ir.Model {
	b := edit.Change(t.Context(), m, rules())
	change(b)
	c, err := b.Model()
	require.NoError(t, err)
	return c
}

// shapes returns what is inferred of m.
func shapes(t testing.TB, m *ir.Model) *infer.Shapes {
	s, _ := infer.Propagate(context.Background(), m, rules(), nil)
	require.NotNil(t, s)
	return s
}

// compare returns the differences of a and b as text. Those that follow from others are marked.
func compare(t testing.TB, a, b *ir.Model) []string {
	var list []string
	for _, d := range diff.Models(a, b, diff.Options{ShapesA: shapes(t, a), ShapesB: shapes(t, b)}).Differences {
		text := d.String()
		if d.Follows {
			text += " (follows)"
		}
		list = append(list, text)
	}
	return list
}

// scramble returns a copy of m whose layers have other names, ids and places in the file.
func scramble(m *ir.Model, random *rand.Rand) *ir.Model {
	c := m.Clone()
	for i, layer := range c.Layers {
		layer.Name = fmt.Sprintf("%s_%d", layer.Type, random.IntN(1e9))
		layer.ID = uint64(len(c.Layers) - i)
		layer.Line += 7
	}
	ends := func(layer *ir.Layer) bool {
		return layer.Type == "Parameter" || layer.Type == "Result" || layer.Type == "Assign"
	}
	first := slices.IndexFunc(c.Layers, ends)
	if first < 0 {
		return c
	}
	// The inputs and outputs keep their order.
	var inner, outer []*ir.Layer
	for _, layer := range c.Layers {
		if ends(layer) {
			outer = append(outer, layer)
		} else {
			inner = append(inner, layer)
		}
	}
	random.Shuffle(len(inner), func(i, k int) { inner[i], inner[k] = inner[k], inner[i] })
	c.Layers = append(inner, outer...)
	for i, layer := range c.Layers {
		layer.Index = i
	}
	if err := edit.Sort(c); err != nil {
		panic(err)
	}
	return c
}

func TestModels_equal(t *testing.T) {
	m := network(t, 5)
	assert.Empty(t, compare(t, m, m))
	assert.Empty(t, compare(t, m, m.Clone()))
	report := diff.Models(m, m.Clone(), diff.Options{})
	assert.Equal(t, diff.Report{LayersA: 27, LayersB: 27, Matched: 27}, *report)
	report = diff.Models(m, scramble(m, rand.New(rand.NewPCG(1, 1))), diff.Options{})
	assert.Len(t, report.Differences, 27)
	assert.Equal(t, 27, report.Matched)
	for _, d := range report.Differences {
		assert.Equal(t, diff.Name, d.Kind, "%v", &d)
	}
}

func TestModels(t *testing.T) {
	m := network(t, 3)
	for name, tt := range map[string]struct {
		change func(b *edit.Builder)
		want   []string
	}{
		"weights": {func(b *edit.Builder) {
			b.Connect(b.Find("block1/matmul").Layer, 1, b.ConstantOf([]float32{1, 1, 3, 5}, 2, 2))
		}, []string{
			`layer 5 "block1/weights" (Constant, opset1): name: "block1/weights" -> "Constant_17"`,
			`layer 5 "block1/weights" (Constant, opset1): weights: f32[2,2] -> f32[2,2]: 1 of 4 elements differ, the largest difference is 1, at 3, the largest relative one 0.2, at 3`,
		}},
		"insert": {func(b *edit.Builder) {
			b.InsertAfter(b.Find("block1/add"), func(s edit.Source) edit.Source {
				return b.Name(b.Layer("Clamp", 1, edit.Attributes("min", "0", "max", "6"), s), "clamp")
			})
		}, []string{
			`+ layer 14 "clamp" (Clamp, opset1)`,
			`layer 8 "block1/relu" (Relu, opset1): input 0: "block1/add" (Add) -> "clamp" (Clamp)`,
		}},
		"remove": {func(b *edit.Builder) { b.Remove(b.Find("block0/relu").Layer) }, []string{
			`- layer 4 "block0/relu" (Relu, opset1)`,
			`layer 6 "block1/matmul" (MatMul, opset1): input 0: "block0/relu" (Relu) -> "block0/add" (Add)`,
		}},
		"replace": {func(b *edit.Builder) {
			old := b.Find("block0/relu")
			b.Replace(old, b.Layer("Abs", 1, nil, b.Find("block0/add")))
		}, []string{
			`- layer 4 "block0/relu" (Relu, opset1)`,
			`+ layer 14 "Abs_17" (Abs, opset1)`,
			`layer 6 "block1/matmul" (MatMul, opset1): input 0: "block0/relu" (Relu) -> "Abs_17" (Abs)`,
		}},
		"shape": {func(b *edit.Builder) { b.SetInput(b.Find("x"), ir.F32, ir.StaticShape(3, 2)) }, []string{
			`layer 0 "x" (Parameter, opset1): attribute shape: "?,2" -> "3,2"`,
			`layer 0 "x" (Parameter, opset1): output 0: f32[?,2] -> f32[3,2] (follows)`,
			`layer 2 "block0/matmul" (MatMul, opset1): output 0: f32[?,2] -> f32[3,2] (follows)`,
		}},
		"names": {func(b *edit.Builder) {
			b.NameTensor(b.Find("block1/add"), "hidden")
			b.Name(b.Find("block1/relu"), "activation")
		}, []string{
			`layer 8 "block1/add" (Add, opset1): tensor names 0: none -> "hidden"`,
			`layer 9 "block1/relu" (Relu, opset1): name: "block1/relu" -> "activation"`,
		}},
		"output": {func(b *edit.Builder) { b.Result("hidden", b.Find("block1/add")) }, []string{
			`+ layer 14 "hidden/sink_port_0" (Result, opset1)`,
		}},
	} {
		got := strings.Join(compare(t, m, changed(t, m, tt.change)), "\n")
		for _, want := range tt.want {
			assert.Contains(t, renumber(got), renumber(want), name)
		}
		if name != "shape" && name != "names" && name != "output" {
			assert.Equal(t, len(tt.want), strings.Count(got, "\n")+1, "%s: %s", name, got)
		}
	}
}

// renumber removes the ids of layers.
func renumber(text string) string {
	fields := strings.Fields(text)
	for i := range fields[:len(fields)-1] {
		if fields[i] == "layer" {
			fields[i+1] = "N"
		}
	}
	return strings.Join(fields, " ")
}

// TestModels_typeOfLayer changes a layer in place.
func TestModels_typeOfLayer(t *testing.T) {
	a := network(t, 2)
	b := a.Clone()
	for _, layer := range b.Layers {
		switch layer.Name {
		case "block0/relu":
			layer.Type, layer.Opset = "HSwish", "opset4"
		case "block1/matmul":
			layer.SetAttribute("transpose_b", "true")
			layer.Data = append(layer.Data, ir.Attribute{Name: "odd", Value: "1"})
		}
	}
	assert.Equal(t, []string{
		`layer 5 "block0/relu" (Relu, opset1): type: Relu -> HSwish`,
		`layer 5 "block0/relu" (Relu, opset1): opset: opset1 -> opset4`,
		`layer 7 "block1/matmul" (MatMul, opset1): attribute transpose_b: "false" -> "true"`,
		`layer 7 "block1/matmul" (MatMul, opset1): attribute odd: none -> "1"`,
	}, compare(t, a, b))
}

// TestModels_files compares each model in testdata with a copy of other names and order, and then
// with one of another attribute and other weights.
func TestModels_files(t *testing.T) {
	var paths []string
	require.NoError(t, filepath.WalkDir("../../testdata/ir", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".xml") {
			paths = append(paths, path)
		}
		return err
	}))
	require.NotEmpty(t, paths)
	random := rand.New(rand.NewPCG(2, 2))
	compared := 0
	for _, path := range paths {
		m, err := irxml.ReadFile(path, irxml.ReadOptions{})
		if err != nil {
			continue
		}
		compared++
		require.Empty(t, compare(t, m, m.Clone()), path)
		c := scramble(m, random)
		report := diff.Models(m, c, diff.Options{ShapesA: shapes(t, m), ShapesB: shapes(t, c)})
		require.Equal(t, report.LayersA, report.Matched, path)
		for _, d := range report.Differences {
			require.Equal(t, diff.Name, d.Kind, "%s: %v", path, &d)
		}
		for _, layer := range c.Order {
			if layer.Type != "Parameter" && layer.Type != "Constant" && layer.Type != "Result" {
				layer.SetAttribute("odd", "1")
				found := false
				for _, d := range diff.Models(m, c, diff.Options{}).Differences {
					found = found || d.Kind == diff.Attribute && d.Attribute == "odd" && d.LayerB == layer
				}
				require.True(t, found, path)
				break
			}
		}
	}
	assert.Greater(t, compared, 100)
}

func TestModels_bodies(t *testing.T) {
	loop := func(shape string, steps int64) *ir.Model {
		x := irtest.Parameter("x", "2")
		l := irtest.Layer("loop", "Loop", x)
		body, sum := irtest.Body(shape)
		irtest.AddBody(l, body)
		l.Bodies[0].Inputs = []ir.BodyPort{{Internal: body.Parameters[0], Sliced: true, Stride: steps}}
		l.Bodies[0].Outputs = []ir.BodyPort{{Internal: sum}}
		return irtest.Model(x, l)
	}
	assert.Empty(t, diff.Models(loop("2", 1), loop("2", 1), diff.Options{}).Differences)
	report := diff.Models(loop("2", 1), loop("3", 2), diff.Options{})
	var texts []string
	for _, d := range report.Differences {
		texts = append(texts, d.String())
	}
	assert.Equal(t, []string{
		`layer 0 "inner" (Parameter, opset1) in body 0 of layer 1 "loop" (Loop, opset1): attribute shape: "2" -> "3"`,
		`layer 1 "loop" (Loop, opset1): body 0: input 0 is parameter 0, sliced along axis 0 from 0 to 0 by 1 in parts of 0 -> input 0 is parameter 0, sliced along axis 0 from 0 to 0 by 2 in parts of 0`,
	}, texts)
	assert.Equal(t, 4, report.Matched)

	without := loop("2", 1)
	without.Layers[1].Bodies = nil
	report = diff.Models(loop("2", 1), without, diff.Options{})
	assert.Equal(t, `layer 1 "loop" (Loop, opset1): body: 1 bodies -> 0 bodies`, report.Differences[0].String())
}

// TestModels_values tests which texts of attributes are equal.
func TestModels_values(t *testing.T) {
	build := func(value string) *ir.Model {
		l := irtest.Layer("l", "Odd")
		l.Data = edit.Attributes("a", value)
		return irtest.Model(l)
	}
	for _, tt := range []struct {
		a, b  string
		equal bool
	}{
		{"1, 2", "1,2", true}, {"1.0", "1", true}, {"1e-05,?", "0.00001, ?", true}, {"9007199254740993", "9007199254740992", false},
		{"true", "false", false}, {"1,2", "1,2,3", false}, {"", "0", false}, {"x, y", "x,y", true}, {"nan", "nan", true}, {"nan", "NaN", false},
	} {
		assert.Equal(t, tt.equal, len(diff.Models(build(tt.a), build(tt.b), diff.Options{}).Differences) == 0, "%q %q", tt.a, tt.b)
	}
}

func TestModels_models(t *testing.T) {
	a, b := network(t, 1), network(t, 1)
	b.Name, b.Version = "other\x1b", 10
	assert.Equal(t, []string{`model: name: "net" -> "other\x1b"`, `model: version: 11 -> 10`}, compare(t, a, b))
}

func TestModels_order(t *testing.T) {
	build := func(names ...string) *ir.Model {
		b := edit.NewBuilder(t.Context(), rules(), "net")
		for _, name := range names {
			b.Result(name+"2", b.Parameter(name, ir.F32, ir.StaticShape(2)))
		}
		m, err := b.Model()
		require.NoError(t, err)
		return m
	}
	assert.Equal(t, []string{
		`model: order: inputs "p", "q" -> inputs "q", "p"`,
		`model: order: outputs "p2/sink_port_0", "q2/sink_port_0" -> outputs "q2/sink_port_0", "p2/sink_port_0"`,
	}, compare(t, build("p", "q"), build("q", "p")))
	assert.Equal(t, []string{`+ layer 0 "q" (Parameter, opset1)`, `+ layer 1 "q2/sink_port_0" (Result, opset1)`}, compare(t, build("p"), build("q", "p")))
}

func TestModels_weights(t *testing.T) {
	tensor := func(data any) *ir.Tensor {
		value, err := ir.TensorFrom(data)
		require.NoError(t, err)
		return value
	}
	nan := float32(0)
	nan /= nan
	packed := func(v uint8) *ir.Tensor {
		value, err := ir.NewTensor(ir.U4, 3)
		require.NoError(t, err)
		value.SetPacked(2, v)
		return value
	}
	for _, tt := range []struct {
		a, b *ir.Tensor
		want string
	}{
		{tensor([]float32{1, 2, nan}), tensor([]float32{1, 2, nan}), ""},
		{tensor([]float32{1, 2, 0}), tensor([]float32{1, 2.0001, 0}), ""},
		{tensor([]float32{1, 2, nan}), tensor([]float32{1, 4, 0}), "2 of 3 elements differ, the largest difference is 2, at 1, the largest relative one 0.5, at 1, 1 with one that is not finite"},
		{tensor([]float32{1, 100, 0.5}), tensor([]float32{1, 101, -0.5}), "2 of 3 elements differ, the largest difference is 1, at 1, the largest relative one 2, at 2"},
		{tensor([]int64{1 << 60, 5}), tensor([]int64{1<<60 + 1, 5}), "1 of 2 elements differ"},
		{tensor([]int64{7, 5}), tensor([]int64{7, 8}), "1 of 2 elements differ, the largest difference is 3, at 1, the largest relative one 0.375, at 1"},
		{tensor([]string{"a", "b"}), tensor([]string{"a", "c"}), "1 of 2 elements differ"},
		{tensor([]bool{true, false}), tensor([]bool{true, true}), "1 of 2 elements differ, the largest difference is 1, at 1, the largest relative one 1, at 1"},
		{tensor([]float32{1, 2}), tensor([]float64{1, 2}), ""},
		{tensor([]float32{1, 2}), tensor([]float64{1, 3}), "1 of 2 elements differ, the largest difference is 1, at 1, the largest relative one 0.333, at 1"},
		{packed(3), packed(4), "1 of 3 elements differ"},
		{packed(3), tensor([]int64{0, 0, 3}), "3 of 3 elements differ"},
	} {
		constant := func(value *ir.Tensor) *ir.Model {
			c := irtest.Layer("c", "Constant")
			c.Constant = value
			return irtest.Model(c)
		}
		report := diff.Models(constant(tt.a), constant(tt.b), diff.Options{RTol: 1e-3})
		if tt.want == "" {
			assert.Empty(t, report.Differences)
			continue
		}
		require.Len(t, report.Differences, 1)
		assert.Equal(t, tt.want, report.Differences[0].Weights.String())
	}
	a, b := network(t, 1), network(t, 1)
	b.Layers[1].Constant = nil
	report := diff.Models(a, b, diff.Options{})
	assert.Empty(t, report.Differences)
	assert.Equal(t, 1, report.Unread)
}

// TestModels_many compares networks of many layers in which everything differs, or everything is
// alike.
func TestModels_many(t *testing.T) {
	const n = 20_000
	chain := func(name func(i int) string, layerType func(i int) string, wide bool) *ir.Model {
		layers := []*ir.Layer{irtest.Parameter("x", "2")}
		for i := range n {
			from := layers[i]
			if wide {
				from = layers[0]
			}
			layers = append(layers, irtest.Layer(name(i), layerType(i), from))
		}
		return irtest.Model(layers...)
	}
	number := strconv.Itoa
	relu := func(int) string { return "Relu" }
	backwards := func(i int) string { return number(n - i) }
	for _, wide := range []bool{false, true} {
		report := diff.Models(chain(number, relu, wide), chain(backwards, relu, wide), diff.Options{})
		assert.Equal(t, n+1, report.Matched)
		report = diff.Models(chain(number, relu, wide), chain(backwards, number, wide), diff.Options{})
		assert.GreaterOrEqual(t, report.Matched, 1)
		report = diff.Models(chain(relu, relu, wide), chain(number, backwards, wide), diff.Options{})
		assert.GreaterOrEqual(t, report.Matched, 1)
	}
}

// TestModels_manyInputs compares layers of very many inputs that read a layer of a long name.
func TestModels_manyInputs(t *testing.T) {
	build := func(output int) *ir.Model {
		x := irtest.Parameter(strings.Repeat("x", 10_000), "2")
		x.Outputs = make([]ir.Output, 2)
		concat := irtest.Layer("concat", "Concat")
		for range 100_000 {
			concat.Inputs = append(concat.Inputs, ir.Input{Source: x, SourceIndex: output})
		}
		return irtest.Model(x, concat)
	}
	length := 0
	differences := diff.Models(build(0), build(1), diff.Options{}).Differences
	for _, d := range differences {
		length += len(d.String())
	}
	assert.Len(t, differences, 100)
	assert.Less(t, length, 1_000_000)
	assert.Contains(t, differences[99].B, "and 99900 more differences of the layer")
}

// FuzzModels compares models with random changes. The fuzzer only chooses the seeds: with random
// hashes, it would try in vain to make a file shorter that takes the same way.
func FuzzModels(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed, seed+1)
	}
	xml := []byte(irtest.ReshapeXML)
	f.Fuzz(func(t *testing.T, seedA, seedB uint64) {
		a, err := irxml.Read(irtest.Mutate(xml, rand.New(rand.NewPCG(seedA, 3))), irtest.ReshapeBin, irxml.ReadOptions{})
		if err != nil {
			return
		}
		assert.Empty(t, compare(t, a, a.Clone()))
		b, err := irxml.Read(irtest.Mutate(xml, rand.New(rand.NewPCG(seedB, 3))), irtest.ReshapeBin, irxml.ReadOptions{})
		if err != nil {
			return
		}
		assert.Equal(t, len(compare(t, a, b)) == 0, len(compare(t, b, a)) == 0)
	})
}

// BenchmarkModels compares networks of 3,702 layers.
func BenchmarkModels(b *testing.B) {
	m := network(b, 740)
	other := scramble(m, rand.New(rand.NewPCG(1, 1)))
	b.ReportMetric(float64(len(m.Order)), "layers")
	for b.Loop() {
		diff.Models(m, other, diff.Options{})
	}
}
