package oip

import "github.com/vinoir/vinoir/ir"

// InferRequest asks for one inference.
type InferRequest struct {
	Model string
	// Version is a decimal number, or empty for the version that the server chooses.
	Version string
	// ID is the client's name for the request; the response has it too.
	ID string
	// Parameters of the whole request. The values are bool, int64, uint64, float64 or string.
	Parameters map[string]any
	Inputs     []Input
	// Outputs are those that are asked for, in the order of the response; none means all.
	Outputs []RequestedOutput
}

// Input is a tensor with its name.
type Input struct {
	Name string
	// Tensor has the type and shape that the client sent. Its memory can be that of the message.
	Tensor *ir.Tensor
}

// RequestedOutput is an output that a request asks for.
type RequestedOutput struct {
	Name       string
	Parameters map[string]any
}

// InferResponse is the answer to an InferRequest.
type InferResponse struct {
	Model, Version, ID string
	Parameters         map[string]any
	Outputs            []Output
	// Free takes back the memory of the outputs; nil if nothing waits for it. A protocol calls
	// Release when the response is sent, or never if the connection breaks: then the memory is for
	// the garbage collector.
	Free func()
}

// Output is a tensor of a response.
type Output struct {
	Name   string
	Tensor *ir.Tensor
}

// Release ends the use of the outputs. It can be called more than once.
func (r *InferResponse) Release() {
	if r.Free != nil {
		r.Free()
		r.Free = nil
	}
}

// Parameters of a request that the service reads itself.
const (
	// ParameterTimeout is the time in microseconds after which an answer is of no use, as Triton
	// has it.
	ParameterTimeout = "timeout"
	// ParameterPriority orders waiting requests: 1 comes first; 0 means the model's default.
	ParameterPriority = "priority"
)
