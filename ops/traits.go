package ops

// Traits are properties that few layer types have. Optimizations read them, so that none needs a
// list of layer types that have a property.
type Traits struct {
	// Stateful means that the outputs do not depend on the inputs alone, as in layers of random
	// numbers and variables. Such a layer runs in each inference, even if its inputs are constant.
	Stateful bool
	// OwnType means that the numbers of the outputs depend on the element type itself, such as on
	// its lowest number. Such a layer is not computed in f32 instead of f16 or bf16.
	OwnType bool
	// Deferrable means that a layer whose inputs are constant can be computed when its output is
	// first read, rather than when the model is compiled. The layer must have one output, and its
	// kernel must accept all data. An example is the Convert of weights.
	Deferrable bool
	// Moves means that all outputs consist of elements of input 0, whatever these are: the layer
	// moves or repeats them and adds no others. Joins means the same of output 0 and all inputs.
	Moves, Joins bool
	// Selects means that output 0 consists of elements of input 0, the greatest of each window.
	Selects bool
	// States is the number of states of a recurrent layer, the inputs from 1 on, if a layer of the
	// same type in the namespace "vinoir" takes weights of 8 bits; 0 for other layers.
	States int
	// Linear describes the weights of a layer that sums products of data, input 0, and weights.
	// nil means that it is no such layer.
	Linear *Linear
	// Reads and Assigns return the variable_id of the variable that the layer reads or assigns.
	// attributes is the result of Op.Attributes. nil means that the layer does not read or assign
	// a variable.
	Reads, Assigns func(attributes any) string
}

// Linear describes a layer whose output 0 is a sum of products of data, input 0, and weights: if
// the weights of a channel are multiplied by a factor, so is that channel of the output.
type Linear struct {
	// Weights is the number of the input that holds the weights.
	Weights int
	// In and Out are the axes of the weights for the channels of data and of the output. Channels
	// are on axis 1 of these.
	In, Out int
	// Grouped means that axis 0 of the weights is the group: channels of data are numbered along
	// axes 0 and In, those of the output along axes 0 and Out, in row-major order.
	Grouped bool
	// Matrix means that the layer multiplies matrices: channels are on the last axis of data and
	// of the output. The attribute transpose_a exchanges the last two axes of data, transpose_b
	// exchanges In and Out.
	Matrix bool
	// Transposed means that the outputs are sums of different elements of the filters, as in a
	// transposed convolution.
	Transposed bool
	// Integers is the type, in the namespace "vinoir", of the layer that multiplies numbers of
	// levels by weights of 8 bits; "" if there is none.
	Integers string
}
