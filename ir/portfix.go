package ir

// PortFix is what a port of a layer should declare in the file.
type PortFix struct {
	Layer *Layer
	Input bool // an input port, not an output port
	Port  int  // position among the layer's ports of that side
	// Type is the element type to declare. Dynamic leaves the precision as it is.
	Type ElementType
	// Shape is the shape to declare, with -1 for each dimension that is not a single
	// length. nil leaves the dims as they are. If Shape is not Exact, a length in the file
	// that lies in an interval of Shape stays.
	Shape *PartialShape
	Exact bool
}
