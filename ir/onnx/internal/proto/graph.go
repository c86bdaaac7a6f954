package proto

import "github.com/vinoir/vinoir/ir/onnx/internal/wire"

// Graph is a GraphProto: that of a model, or one in an attribute of a node.
type Graph struct {
	Name               string
	Nodes              []*Node
	Initializers       []*Tensor
	SparseInitializers []*SparseTensor
	Inputs, Outputs    []*ValueInfo
	ValueInfo          []*ValueInfo // what the file claims about other values
}

// Node is a NodeProto: a call of an operator or of a function.
type Node struct {
	Name                       string
	Domain, Operator, Overload string
	// Inputs and Outputs are the names of values; "" means that there is none.
	Inputs, Outputs []string
	Attributes      []*Attribute
}

// ValueInfo is a ValueInfoProto: the name and the type of a value.
type ValueInfo struct {
	Name string
	Type *Type // nil if it is unknown
}

func (g *Graph) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Message(appends(&g.Nodes, (*Node).read))
		case 2:
			r.Text(&g.Name)
		case 5:
			r.Message(appends(&g.Initializers, (*Tensor).read))
		case 11:
			r.Message(appends(&g.Inputs, (*ValueInfo).read))
		case 12:
			r.Message(appends(&g.Outputs, (*ValueInfo).read))
		case 13:
			r.Message(appends(&g.ValueInfo, (*ValueInfo).read))
		case 15:
			r.Message(appends(&g.SparseInitializers, (*SparseTensor).read))
		default:
			r.Skip()
		}
	}
}

func (n *Node) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Texts(&n.Inputs)
		case 2:
			r.Texts(&n.Outputs)
		case 3:
			r.Text(&n.Name)
		case 4:
			r.Text(&n.Operator)
		case 5:
			r.Message(appends(&n.Attributes, (*Attribute).read))
		case 7:
			r.Text(&n.Domain)
		case 8:
			r.Text(&n.Overload)
		default:
			r.Skip()
		}
	}
}

func (v *ValueInfo) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Text(&v.Name)
		case 2:
			r.Message(reads(&v.Type, (*Type).read))
		default:
			r.Skip()
		}
	}
}
