package ir_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

// A program that looks at a model walks through its layers, also those in bodies.
func ExampleModel() {
	m, err := irxml.ReadFS(os.DirFS("../examples/scatter"), "model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	counts := make(map[string]int)
	for layer := range m.AllLayers() {
		counts[layer.Type]++
	}
	fmt.Println(m.Name, m.Version, counts)
	nodes, err := m.Parameter("nodes")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(nodes, nodes.Outputs[0].Declared)
	// Output:
	// messages 11 map[Constant:5 Gather:1 Parameter:1 Result:2 ScatterElementsUpdate:2]
	// layer 0 "nodes" (Parameter, opset1) [?,2]
}

// Clones share the weights, and are changed without changing the model.
func ExampleModel_Clone() {
	m, _ := exampletest.Reshape()
	c := m.Clone()
	c.Layers[2].SetAttribute("special_zero", "false")
	c.Layers[2].Name = "flatter"
	fmt.Println(m.Layers[2].Name, m.Layers[2].Data, c.Layers[2].Name, c.Layers[2].Data)
	// Output: flat [{special_zero true}] flatter [{special_zero false}]
}

// Without its .bin, a model can be inferred, but not run.
func ExampleModel_LacksValues() {
	m, err := irxml.ReadFS(os.DirFS("../examples/scatter"), "model.xml", irxml.ReadOptions{NoBin: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.LacksValues(), m.BinSize)
	// Output: true -1
}

// A Storage is memory that the garbage collector does not manage, such as a mapped file. The model
// closes it.
func ExampleStorage() {
	m, _ := exampletest.Reshape()
	m.SetStorage(mapping{})
	m.Discard(m.Layers[1].Constant)
	if err := m.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 16 bytes are not needed soon
	// unmapped
}

// mapping is a Storage that does nothing.
type mapping struct{}

func (mapping) Close() error {
	fmt.Println("unmapped")
	return nil
}

func (mapping) Discard(data []byte) { fmt.Println(len(data), "bytes are not needed soon") }

func ExampleModel_SetStorage() {
	m, _ := exampletest.Reshape()
	m.SetStorage(mapping{})
	fmt.Println(m.Close())
	// Output:
	// unmapped
	// <nil>
}

func ExampleModel_Discard() {
	m, _ := exampletest.Reshape()
	m.SetStorage(mapping{})
	m.Discard(m.Layers[1].Constant)
	// Output: 16 bytes are not needed soon
}

// A layer knows its place in the file and what it reads.
func ExampleLayer() {
	m, _ := exampletest.Reshape()
	for _, layer := range m.Order {
		fmt.Println(layer.Line, layer.ID, layer.Name, layer.Type, layer.FileType, layer.Opset, layer.Data)
		for _, in := range layer.Inputs {
			fmt.Println("  reads output", in.SourceIndex, "of", in.Source.Name, in.Declared)
		}
	}
	// Output:
	// 3 0 x Parameter Parameter opset1 [{shape 1,3,4} {element_type f32}]
	// 7 1 target Constant Const opset1 [{element_type i64} {shape 2} {offset 0} {size 16}]
	// 11 2 flat Reshape Reshape opset1 [{special_zero true}]
	//   reads output 0 of x [1,3,4]
	//   reads output 0 of target [2]
	// 16 3 y Result Result opset1 []
	//   reads output 0 of flat [1,12]
}

func ExampleLayer_SetAttribute() {
	m, _ := exampletest.Reshape()
	m.Layers[2].SetAttribute("special_zero", "false")
	fmt.Println(m.Layers[2].Data)
	// Output: [{special_zero false}]
}

// The parser of a layer type reads all attributes with their default values, and returns the first
// error.
func ExampleAttributes() {
	type attributes struct {
		kernel  []int64
		padding string
		scale   float64
		axis    int64
		ceil    bool
		mode    string
		shape   ir.PartialShape
		to      ir.ElementType
		weights []float64
	}
	parse := func(a *ir.Attributes) (*attributes, error) {
		p := &attributes{
			kernel: a.Ints("kernel"), padding: a.Enum("auto_pad", "explicit", "explicit", "valid"), scale: a.Float("scale", 1), axis: a.Int("axis", -1),
			ceil: a.Bool("ceil", false), mode: a.String("mode", ""), shape: a.PartialShape("shape", ir.UnknownRank),
			to: a.ElementType("type", ir.F32), weights: a.Floats("weights"),
		}
		a.Expect("mode")
		if len(p.kernel) == 0 {
			a.Fail("kernel", "there must be at least one length")
		}
		return p, a.Err()
	}
	layer := &ir.Layer{Type: "Pool", Data: []ir.Attribute{{Name: "kernel", Value: "3,3"}, {Name: "auto_pad", Value: "Valid"}, {Name: "kernal", Value: "5"}}}
	a := ir.AttributesOf(layer)
	p, err := parse(a)
	fmt.Println(p.kernel, p.padding, p.scale, p.axis, p.ceil, p.mode, p.shape, p.to, p.weights, err)
	_, found := a.Lookup("scale")
	fmt.Println(a.Layer().Type, found)
	for _, note := range a.Notes() {
		fmt.Println(note)
	}

	_, err = parse(ir.AttributesOf(&ir.Layer{Type: "Pool"}))
	fmt.Println(err)
	// Output:
	// [3 3] valid 1 -1 false  [...] f32 [] <nil>
	// Pool false
	// attribute auto_pad: "Valid" is not in lower case
	// attribute mode: missing
	// attribute kernal: Pool has none of that name
	// attribute kernel: there must be at least one length
}

// A tool lists the attributes of a layer type.
func ExampleDescribeAttributes() {
	parse := func(a *ir.Attributes) (any, error) {
		return []any{a.Ints("kernel"), a.Enum("auto_pad", "explicit", "explicit", "valid"), a.Float("scale", 1)}, a.Err()
	}
	for _, info := range ir.DescribeAttributes(parse) {
		fmt.Println(info.Name, info.Kind, info.Default, info.Members)
	}
	// Output:
	// kernel ints <nil> []
	// auto_pad enum explicit [explicit valid]
	// scale float 1 []
}

// A reader of models reports what it ignores, a limited number of times.
func ExampleNoteCount() {
	var count ir.NoteCount
	var notes []ir.Note
	for range 1002 {
		notes = count.Append(notes, ir.Note{Line: 3, Text: "odd"})
	}
	fmt.Println(len(notes), notes[0].Text, notes[1000].Text)
	// Output: 1001 odd there are more notes, which are not reported
}

// A mistake in a file is a FormatError, with its line and layer.
func ExampleFormatError() {
	_, err := irxml.Read([]byte(`<net version="11">
<layers><layer id="zero" name="x" type="Parameter" version="opset1"/></layers>
<edges/></net>`), nil, irxml.ReadOptions{})
	var format *ir.FormatError
	if errors.As(err, &format) {
		fmt.Println(format.Line)
	}
	fmt.Println(err)
	// Output:
	// 2
	// line 2: layer 0 "x" (Parameter, opset1): attribute id: "zero" is not a number from 0 to 2^63-1
}

// An error of inference or of a kernel is a LayerError.
func ExampleLayerError() {
	m, _ := exampletest.Reshape()
	var err error = &ir.LayerError{Layer: m.Layers[2], Err: errors.New("12 elements do not fit 10")}
	var at *ir.LayerError
	if errors.As(err, &at) {
		fmt.Println(at.Layer.Line)
	}
	fmt.Println(err)
	// Output:
	// 11
	// layer 2 "flat" (Reshape, opset1): 12 elements do not fit 10
}
