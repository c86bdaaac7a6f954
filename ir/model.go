package ir

import (
	"fmt"
	"slices"

	"github.com/beevik/etree"
)

// Model is the graph of one IR file, or of one body of an If, Loop or
// TensorIterator layer. A Model that was read is not changed by anything in
// this module: shapes that are inferred stand in a Shapes of their own.
type Model struct {
	Name    string
	Version int // of the IR: 10 or 11
	// Layers holds every layer in document order, those that no Result or
	// Assign depends on included.
	Layers []*Layer
	// Parameters and Results are the inputs and outputs in document order.
	Parameters, Results []*Layer
	// Sinks are the Assign layers, and the layers whose bodies hold one.
	Sinks []*Layer
	// Order holds the layers that Results, Sinks and Parameters depend on,
	// each after the layers that it reads: what is inferred, compiled and run.
	Order []*Layer
	// RTInfo is the model's rt_info element, nil where there is none; that of
	// older files is made from their meta_data and quantization_parameters.
	RTInfo *etree.Element
	// Notes are what the reader passed over in silence, as OpenVINO does, no more
	// than a thousand for a file. Validate reports them.
	Notes []Note
	// BinSize is the length of the .bin, -1 where the model was read without it.
	BinSize int64

	storage Storage // of the Constants; nil if they lie in the memory of the program
	owner   bool    // of storage, which Close closes; clones share it
}

// Storage is memory that holds Constants of a model and that the garbage collector does
// not manage, such as a mapping of the .bin.
type Storage interface {
	// Close releases the memory. Nothing in it may be used after that.
	Close() error
	// Discard says that data is not going to be read soon. If it lies in the storage, it
	// needs no memory until then.
	Discard(data []byte)
}

// SetStorage makes m the owner of the storage that its Constants lie in.
func (m *Model) SetStorage(s Storage) { m.storage, m.owner = s, s != nil }

// Close releases the storage of a model that was read with a mapped .bin. Nothing that
// was made from the model, tensors included, may be used after it. For other models,
// and for clones, it does nothing.
func (m *Model) Close() error {
	s, owner := m.storage, m.owner
	m.storage, m.owner = nil, false
	if !owner {
		return nil
	}
	return s.Close()
}

// Discard says that the elements of t, a Constant of m, are not going to be read soon. If
// they lie in a mapping of the .bin, they need no memory until then.
func (m *Model) Discard(t *Tensor) {
	data := t.data
	if raw := t.Unaligned(); raw != nil {
		data = raw
	}
	if m.storage != nil && len(data) > 0 {
		m.storage.Discard(data)
	}
}

// LacksValues reports whether a Constant in m.Order, or in a body of m, has no value, as the
// model was read without its .bin.
func (m *Model) LacksValues() bool {
	return slices.ContainsFunc(m.Order, func(layer *Layer) bool {
		return layer.Type == "Constant" && layer.Constant == nil || layer.LacksValues()
	})
}

// LacksValues reports whether a Constant in a body of l has no value.
func (l *Layer) LacksValues() bool {
	return slices.ContainsFunc(l.Bodies, func(b Body) bool { return b.Model.LacksValues() })
}

// Layer is a node of the graph.
type Layer struct {
	// Index is the layer's position in Model.Layers.
	Index int
	ID    uint64 // as in the file; unique in its graph, in no order
	Name  string // the friendly name; need not be unique
	// Type is OpenVINO's name of the layer type: "Constant", "Relu". FileType is
	// its spelling in the file: "Const", "ReLU".
	Type, FileType string
	// Opset is the version attribute: "opset8", or a namespace such as
	// "extension".
	Opset string
	// Line is that of the layer's tag in the XML; of a layer that was added, that of its
	// Origin.
	Line int
	// Data holds the attributes of the data element in document order.
	Data    []Attribute
	Inputs  []Input
	Outputs []Output
	// Constant is the value of a Constant; nil where the model was read without
	// its .bin.
	Constant *Tensor
	// Const says where a Constant's bytes are, for reports.
	Const  ConstRange
	Bodies []Body
	// Owner is the layer whose body OwnerBody holds this one; nil outside of bodies.
	Owner     *Layer
	OwnerBody int
	RTInfo    *etree.Element
	// Origin is the layer of the file for whose sake this one was added, by the reader, by
	// a reshape or by compiling; nil for layers of the file.
	Origin *Layer
	// OutputNames are the names of a Result's output: its output_names, or else the
	// tensor names of what it reads.
	OutputNames []string
}

// maxOwners is the number of layers around one that its identity names.
const maxOwners = 4

// String returns the identity of l that errors start with: its id, name, type and opset,
// those of its Origin, and those of the layers whose bodies it is in. Names that nobody
// wrote by hand are cut, and of deep bodies only the inner ones are named.
func (l *Layer) String() string {
	text := fmt.Sprintf("layer %d %.500q (%.100s, %.100s)", l.ID, l.Name, l.Type, l.Opset)
	if o := l.Origin; o != nil {
		text += fmt.Sprintf(", added for layer %d %.100q (%.100s, %.100s)", o.ID, o.Name, o.Type, o.Opset)
	}
	for n := 0; l.Owner != nil; n++ {
		if n == maxOwners {
			return text + ", which is in a body too"
		}
		body := l.OwnerBody
		l = l.Owner
		text += fmt.Sprintf(" in body %d of layer %d %.100q (%.100s, %.100s)", body, l.ID, l.Name, l.Type, l.Opset)
	}
	return text
}

// SetAttribute sets an attribute of the data element. It copies Data first, which clones of
// a model share.
func (l *Layer) SetAttribute(name, value string) {
	l.Data = slices.Clone(l.Data)
	for i := range l.Data {
		if l.Data[i].Name == name {
			l.Data[i].Value = value
			return
		}
	}
	l.Data = append(l.Data, Attribute{name, value})
}

// Attribute is a name and a value as they stand in the XML.
type Attribute struct {
	Name, Value string
}

// ConstRange is the range of a Constant in the .bin.
type ConstRange struct {
	Offset, Size uint64
}

// Input is an input port that an edge leads into.
type Input struct {
	Port uint64 // id in the file: a label, not the position
	// DeclaredType and Declared are the precision and dims that stand in the
	// file, of no consequence; DeclaredType is Dynamic where there is none that
	// has a meaning.
	DeclaredType ElementType
	Declared     PartialShape
	RTInfo       *etree.Element
	// Source is output SourceIndex of the layer that the edge comes from.
	Source      *Layer
	SourceIndex int
}

// Output is an output port.
type Output struct {
	Port   uint64
	Names  []string // tensor names
	RTInfo *etree.Element
	// DeclaredType and Declared are the precision and dims that stand in the
	// file. OpenVINO does not use them; Validate compares them with inference.
	DeclaredType ElementType
	Declared     PartialShape
}

// Body is a subgraph of a layer with the maps of its ports. TensorIterator and
// Loop have one, If has two: then, else.
type Body struct {
	Model   *Model
	Inputs  []BodyPort
	Outputs []BodyPort
	// BackEdges lead from a body Result to the body Parameter that takes its
	// value in the next iteration.
	BackEdges []BackEdge
}

// BodyPort maps an input or output of a layer to a Parameter or Result of its body.
type BodyPort struct {
	// External is the position among the layer's inputs or outputs; -1 where the
	// port is only there for its Purpose.
	External int
	// Internal is the body's Parameter or Result.
	Internal *Layer
	// Sliced says that the port is cut or joined along Axis, PartSize elements
	// at each Stride from Start to End.
	Sliced                             bool
	Axis, Start, End, Stride, PartSize int64
	Purpose                            string // "current_iteration", "execution_condition"
}

// BackEdge leads from Result to Parameter of the same body.
type BackEdge struct {
	From, To *Layer
}
