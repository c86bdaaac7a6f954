package ir

import (
	"fmt"
	"iter"
	"slices"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/printable"
)

// Model is the graph of an IR file, or of a body of an If, Loop or TensorIterator layer. No
// function of this module changes a Model that was read, unless its comment says so: inferred
// shapes are kept apart, in an infer.Shapes.
type Model struct {
	Name    string
	Version int // IR version: 10 or 11
	// Layers lists all layers in document order, including those that no Result or Assign depends
	// on.
	Layers []*Layer
	// Parameters and Results list the inputs and outputs in document order.
	Parameters, Results []*Layer
	// Sinks lists the layers that change a variable, and those that have such a layer in a body:
	// Assign, and AppendState, which the compiler inserts.
	Sinks []*Layer
	// Order lists the Parameters, Results and Sinks and all layers that they depend on, each after
	// the layers that it reads. Only these layers are inferred, compiled and run.
	Order []*Layer
	// RTInfo is the model's rt_info element, or nil. For older files it is made from their
	// meta_data and quantization_parameters elements.
	RTInfo *etree.Element
	// Notes lists what the reader ignored, as OpenVINO does: at most 1000 notes per file. Package
	// validate reports them.
	Notes []Note
	// BinSize is the length of the .bin in bytes; -1 if the model was read without it.
	BinSize int64
	// BinEnd is the byte of the .bin at which the last Constant of the file ends, also one that
	// nothing reads. It is 0 without such Constants.
	BinEnd uint64

	storage Storage // memory of the Constants; nil if the garbage collector manages it
	owner   bool    // Close closes storage; false for clones, which share it
}

// Storage is memory of Constants that the garbage collector does not manage, such as a mapping
// of the .bin.
type Storage interface {
	// Close releases the memory. It must not be used afterwards.
	Close() error
	// Discard is a hint that data will not be read soon. If data is in the storage, its pages can
	// be released until then.
	Discard(data []byte)
}

// SetStorage sets the memory that the Constants of m are in. m owns it: Close closes it.
func (m *Model) SetStorage(s Storage) { m.storage, m.owner = s, s != nil }

// Close releases the storage of a model that was read with a mapped .bin. After that, nothing
// that was made from the model may be used, including tensors. For clones and for other models,
// Close does nothing.
func (m *Model) Close() error {
	s, owner := m.storage, m.owner
	m.storage, m.owner = nil, false
	if !owner {
		return nil
	}
	return s.Close()
}

// Discard is a hint that t, a Constant of m, will not be read soon. If its elements are in a
// mapping of the .bin, they need no memory until then.
func (m *Model) Discard(t *Tensor) {
	data := t.data
	if raw := t.Unaligned(); raw != nil {
		data = raw
	}
	if m.storage != nil && len(data) > 0 {
		m.storage.Discard(data)
	}
}

// AllLayers yields the layers of m.Order and those of the bodies, breadth-first: the layers of a
// graph come before those of its bodies.
func (m *Model) AllLayers() iter.Seq[*Layer] {
	return func(yield func(*Layer) bool) {
		for graphs := []*Model{m}; len(graphs) > 0; graphs = graphs[1:] {
			for _, layer := range graphs[0].Order {
				if !yield(layer) {
					return
				}
				for i := range layer.Bodies {
					graphs = append(graphs, layer.Bodies[i].Model)
				}
			}
		}
	}
}

// LacksValues reports whether a Constant in m.Order or in a body has no value, because the
// model was read without its .bin.
func (m *Model) LacksValues() bool {
	for layer := range m.AllLayers() {
		if layer.Type == "Constant" && layer.Constant == nil {
			return true
		}
	}
	return false
}

// Layer is a node of the graph.
type Layer struct {
	// Index is the layer's position in Model.Layers.
	Index int
	ID    uint64 // id in the file; unique in its graph, in any order
	Name  string // OpenVINO's friendly name; may not be unique
	// Type is OpenVINO's name of the layer type: "Constant", "Relu". FileType is its name in the
	// file: "Const", "ReLU".
	Type, FileType string
	// Opset is the version attribute: "opset8", or a namespace such as "extension".
	Opset string
	// Line is the line of the layer's tag in the XML. A layer that was added has the line of its
	// Origin.
	Line int
	// Data lists the attributes of the data element in document order.
	Data    []Attribute
	Inputs  []Input
	Outputs []Output
	// Constant is the value of a Constant; nil if the model was read without its .bin.
	Constant *Tensor
	// Const is the position of a Constant's bytes in the .bin, for reports.
	Const  ConstRange
	Bodies []Body
	// Owner is the layer that has this one in its body number OwnerBody; nil outside of bodies.
	Owner     *Layer
	OwnerBody int
	RTInfo    *etree.Element
	// Origin is the layer of the file that this layer was added for: by the reader, by a reshape or
	// by the compiler. It is nil for layers of the file.
	Origin *Layer
	// OutputNames lists the names of a Result's output: its output_names or, if it has none, the
	// tensor names of the output that it reads.
	OutputNames []string
}

// maxOwners is the number of enclosing layers that Layer.String names.
const maxOwners = 4

// The numbers of characters of a name or type that Layer.String prints: of the layer itself, and
// of types, opsets and other layers.
const (
	maxNameText  = 500
	maxOtherText = 100
)

// String returns the identity of l, for errors: its id, name, type and opset, then those of its
// Origin and of the layers that have it in their bodies. Long names are cut, and only the
// innermost maxOwners enclosing layers are named. Characters that are not printable are escaped.
func (l *Layer) String() string {
	text := l.identity(maxNameText)
	if o := l.Origin; o != nil {
		text += ", added for " + o.identity(maxOtherText)
	}
	for n := 0; l.Owner != nil; n++ {
		if n == maxOwners {
			return text + ", which is in a body too"
		}
		body := l.OwnerBody
		l = l.Owner
		text += fmt.Sprintf(" in body %d of %s", body, l.identity(maxOtherText))
	}
	return text
}

// identity returns the id, name, type and opset of l. The name is cut to limit characters.
func (l *Layer) identity(limit int) string {
	return fmt.Sprintf("layer %d %s (%s, %s)", l.ID, printable.Quote(l.Name, limit), printable.Name(l.Type, maxOtherText), printable.Name(l.Opset, maxOtherText))
}

// SetAttribute sets an attribute of the data element. It copies Data first, because clones of a
// model share it.
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

// Attribute is the name and the value of an attribute, as written in the XML.
type Attribute struct {
	Name, Value string
}

// ConstRange is the position of a Constant in the .bin, in bytes.
type ConstRange struct {
	Offset, Size uint64
}

// Input is an input port that is connected.
type Input struct {
	Port uint64 // id in the file; not the position
	// DeclaredType and Declared are the precision and the dims of the port in the file. They are
	// ignored by inference. DeclaredType is Dynamic if the precision is missing or invalid.
	DeclaredType ElementType
	Declared     PartialShape
	RTInfo       *etree.Element
	// The input reads output number SourceIndex of Source.
	Source      *Layer
	SourceIndex int
}

// Output is an output port.
type Output struct {
	Port   uint64
	Names  []string // tensor names
	RTInfo *etree.Element
	// DeclaredType and Declared are the precision and the dims of the port in the file. They are
	// ignored by inference; package validate compares them with the inferred ones.
	DeclaredType ElementType
	Declared     PartialShape
}

// Body is a subgraph of a layer and its connections to the layer. TensorIterator and Loop have
// one body; If has two: then, else.
type Body struct {
	Model   *Model
	Inputs  []BodyPort
	Outputs []BodyPort
	// BackEdges connect a Result of the body to the Parameter that takes its value in the next
	// iteration.
	BackEdges []BackEdge
}

// BodyPort connects an input or output of a layer to a Parameter or Result of its body.
type BodyPort struct {
	// External is the position among the layer's inputs or outputs; -1 if the port has only a
	// Purpose.
	External int
	// Internal is the body's Parameter or Result.
	Internal *Layer
	// Sliced means that each iteration takes or gives a part of the layer's tensor: PartSize
	// elements along Axis, from Start to End in steps of Stride.
	Sliced                             bool
	Axis, Start, End, Stride, PartSize int64
	Purpose                            string // "current_iteration", "execution_condition"
}

// BackEdge connects the Result From to the Parameter To of the same body.
type BackEdge struct {
	From, To *Layer
}
