// Package convert makes a model of OpenVINO's layers from an ONNX graph. It knows no operator: a
// Rule converts the nodes of one, and a Table has the rules. It resolves names, versions,
// functions and constants, drops what no output needs, and collects what is not supported.
//
// Nodes are converted one after the other. An edit.Builder infers each layer as soon as it is
// added, with values as far as they are known, so that a rule sees the types, shapes and constants
// that it may depend on: Node.Type, Node.Shape, Node.Constant. What exporters write as arithmetic
// on shapes is a constant by then if the shapes are known.
package convert
