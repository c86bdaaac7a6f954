package edit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// names returns the names of the layers in order.
func names(m *ir.Model) string {
	var all []string
	for _, layer := range m.Order {
		all = append(all, layer.Name)
	}
	return strings.Join(all, " ")
}

// chain returns the model x -> a -> b -> c -> y, in which c also reads a, and its layers by
// name.
func chain() (*ir.Model, map[string]*ir.Layer) {
	x := irtest.Parameter("x", "2")
	a := irtest.Layer("a", "Relu", x)
	b := irtest.Layer("b", "Relu", a)
	c := irtest.Layer("c", "Sum", a, b)
	y := irtest.Layer("y", "Result", c)
	m := irtest.Model(x, a, b, c, y)
	m.Results = []*ir.Layer{y}
	byName := make(map[string]*ir.Layer)
	for _, layer := range m.Layers {
		byName[layer.Name] = layer
	}
	return m, byName
}

func TestEditor_Insert(t *testing.T) {
	m, by := chain()
	by["c"].ID = 40
	e := edit.New(m)
	assert.Equal(t, 2, e.ReaderCount(edit.First(by["a"])))
	scaled := e.Insert(by["b"], "", "Multiply", "opset1", edit.Attributes("auto_broadcast", "numpy"),
		edit.First(by["a"]), edit.First(e.Constant(by["b"], "two", must(ir.NewTensor(ir.F32)))))
	assert.Equal(t, 3, e.ReaderCount(edit.First(by["a"])))
	assert.Equal(t, uint64(42), scaled.ID, "above all ids")
	assert.Equal(t, `layer 41 "b/two" (Constant, opset1), added for layer 2 "b" (Relu, opset1)`, scaled.Inputs[1].Source.String())
	again := e.Insert(scaled, "again", "Relu", "opset1", nil, edit.First(scaled))
	assert.Equal(t, by["b"], again.Origin, "the origin is a layer of the file")
	assert.Equal(t, by["b"].Line, again.Line)

	e.Replace(edit.First(by["b"]), edit.First(again))
	assert.Equal(t, edit.First(again), edit.SourceOf(by["c"].Inputs[1]))
	assert.Empty(t, e.Readers(edit.First(by["b"])))
	assert.Len(t, e.Readers(edit.First(again)), 1)
	assert.True(t, e.Changed())
	require.NoError(t, e.Finish())
	assert.False(t, e.Changed())
	assert.Equal(t, "x a b/two b b/again c y", names(m), "the old b is out of the order")
	require.NoError(t, edit.Check(m))
	require.NoError(t, edit.Check(m.Clone()))
}

func must(t *ir.Tensor, err error) *ir.Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

func TestEditor_Connect(t *testing.T) {
	m, by := chain()
	e := edit.New(m)
	e.Connect(&by["c"].Inputs[1], edit.First(by["x"]))
	assert.Equal(t, 2, e.ReaderCount(edit.First(by["x"])), "counted after the change")
	e.Connect(&by["c"].Inputs[0], edit.First(by["x"]))
	assert.Equal(t, 3, e.ReaderCount(edit.First(by["x"])), "counted with the change")
	assert.Equal(t, 1, e.ReaderCount(edit.First(by["a"])))
	e.Forget(by["a"])
	assert.Equal(t, 2, e.ReaderCount(edit.First(by["x"])))
	e.SetInputs(by["b"], edit.First(by["x"]), edit.First(by["x"]))
	assert.Equal(t, 4, e.ReaderCount(edit.First(by["x"])))
	assert.Equal(t, 0, e.ReaderCount(edit.First(by["a"])))
	require.NoError(t, e.Finish())
	assert.Equal(t, "x c y", names(m))
	require.NoError(t, edit.Check(m))
}

func TestSort_keepsParametersAndSinks(t *testing.T) {
	x, y := irtest.Parameter("x", "2"), irtest.Parameter("y", "2")
	read := irtest.Layer("read", "ReadValue", y)
	assign := irtest.Layer("assign", "Assign", y)
	unused := irtest.Layer("unused", "Relu", x)
	m := irtest.Model(x, y, unused, assign, read)
	result := irtest.Layer("r", "Result", read)
	m = irtest.Model(append(m.Layers, result)...)
	m.Results = []*ir.Layer{result}
	require.NoError(t, edit.Sort(m))
	assert.Equal(t, "x y read assign r", names(m), "an Assign comes after the ReadValue of its variable")
	assert.Equal(t, []*ir.Layer{assign}, m.Sinks)

	result.Inputs[0].Source = y
	assert.EqualError(t, edit.Sort(m), `layer 3 "assign" (Assign, opset1): no ReadValue has the variable_id ""`)
}

func TestSort_cycle(t *testing.T) {
	m, by := chain()
	by["a"].Inputs[0].Source = by["c"]
	err := edit.Sort(m)
	var at *ir.LayerError
	require.ErrorAs(t, err, &at)
	assert.ErrorContains(t, err, "the graph has a cycle")
}

// TestCheck breaks each property that Check checks.
func TestCheck(t *testing.T) {
	for want, spoil := range map[string]func(m *ir.Model, by map[string]*ir.Layer){
		"its index is":              func(m *ir.Model, by map[string]*ir.Layer) { by["b"].Index = 1 },
		"have one id":               func(m *ir.Model, by map[string]*ir.Layer) { by["b"].ID = by["a"].ID },
		"of another model":          func(m *ir.Model, by map[string]*ir.Layer) { by["b"].Origin = &ir.Layer{} },
		"reads no layer":            func(m *ir.Model, by map[string]*ir.Layer) { by["b"].Inputs[0].Source = &ir.Layer{Index: 1} },
		"reads output 1":            func(m *ir.Model, by map[string]*ir.Layer) { by["b"].Inputs[0].SourceIndex = 1 },
		"but not in the model":      func(m *ir.Model, by map[string]*ir.Layer) { m.Order = append(m.Order, &ir.Layer{Index: 9}) },
		"in the order twice":        func(m *ir.Model, by map[string]*ir.Layer) { m.Order = append(m.Order, by["x"]) },
		"which it reads":            func(m *ir.Model, by map[string]*ir.Layer) { m.Order = m.Order[1:] },
		"an end of the model":       func(m *ir.Model, by map[string]*ir.Layer) { m.Order = m.Order[:4] },
		"has another owner":         func(m *ir.Model, by map[string]*ir.Layer) { body(by["b"]).Layers[0].Owner = by["a"] },
		"input 3 that leads":        func(m *ir.Model, by map[string]*ir.Layer) { body(by["b"]); by["b"].Bodies[0].Inputs[0].External = 3 },
		"output 0 that leads":       func(m *ir.Model, by map[string]*ir.Layer) { body(by["b"]); by["b"].Bodies[0].Outputs[0].Internal = nil },
		"back edge that leads":      func(m *ir.Model, by map[string]*ir.Layer) { body(by["b"]); by["b"].Bodies[0].BackEdges[0].To = by["a"] },
		"comes before layer 0 \"in": func(m *ir.Model, by map[string]*ir.Layer) { b := body(by["b"]); b.Order = b.Order[1:] },
	} {
		m, by := chain()
		body(by["b"])
		require.NoError(t, edit.Check(m))
		spoil(m, by)
		assert.ErrorContains(t, edit.Check(m), want)
	}
}

// body adds a body with port maps and a back edge to layer.
func body(layer *ir.Layer) *ir.Model {
	m, sum := irtest.Body("2")
	irtest.AddBody(layer, m)
	b := &layer.Bodies[0]
	b.Inputs = []ir.BodyPort{{External: 0, Internal: m.Parameters[0]}}
	b.Outputs = []ir.BodyPort{{External: 0, Internal: sum}}
	b.BackEdges = []ir.BackEdge{{From: sum, To: m.Parameters[0]}}
	return m
}
