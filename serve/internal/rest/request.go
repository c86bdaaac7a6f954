package rest

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/jsontensor"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Parameters of requests that are about their form.
const (
	parameterBinarySize    = "binary_data_size"
	parameterBinaryOutput  = "binary_data"
	parameterBinaryOutputs = "binary_data_output"
	parameterSharedMemory  = "shared_memory_region"
)

// inferRequest is a request that is being read.
type inferRequest struct {
	oip.InferRequest
	// inputs says what the JSON has of InferRequest.Inputs.
	inputs []input
	// binaryOutputs says whether outputs are binary that do not say it themselves.
	binaryOutputs bool
}

// input is an input in the JSON of a request.
type input struct {
	name        string
	datatype    oip.Datatype
	elementType ir.ElementType
	shape       ir.Shape
	// binarySize is the number of bytes behind the JSON; -1 if the elements are in the JSON.
	binarySize int64
	// tensor has the elements that are in the JSON.
	tensor *ir.Tensor
}

// requestReader reads the JSON of a request for an inference.
type requestReader struct {
	*jsonscan.Scanner
	limits  oip.Limits
	memory  *buffers.Lender
	request *inferRequest
}

// read reads the JSON.
func (r *requestReader) read() error {
	hasInputs := false
	err := r.Object(func(name []byte) (err error) {
		switch string(name) {
		case "id":
			if r.request.ID, err = r.String(); err == nil && len(r.request.ID) > r.limits.MaxIDBytes {
				err = oip.Errorf(oip.Malformed, "the id has %d bytes, the limit is %d", len(r.request.ID), r.limits.MaxIDBytes)
			}
		case "parameters":
			r.request.Parameters, err = r.parameters()
		case "inputs":
			hasInputs = true
			r.request.inputs = r.request.inputs[:0]
			err = r.Array(func(int) error { return r.input() })
		case "outputs":
			r.request.Outputs = r.request.Outputs[:0]
			if r.Kind() == 'n' {
				return r.Skip()
			}
			err = r.Array(func(int) error { return r.output() })
		default:
			err = r.Skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	if !hasInputs {
		return oip.Errorf(oip.Malformed, "the request has no inputs")
	}
	r.request.binaryOutputs, err = boolParameter(r.request.Parameters, parameterBinaryOutputs, false)
	if err != nil {
		return err
	}
	return r.End()
}

// parameters reads an object of parameters, or null. It leaves out those that are null, arrays or
// objects, which the protocol does not have.
func (r *requestReader) parameters() (map[string]any, error) {
	if r.Kind() == 'n' {
		return nil, r.Skip()
	}
	parameters := make(map[string]any)
	err := r.Object(func(name []byte) error {
		key := string(name)
		value, err := r.Value()
		if value != nil {
			parameters[key] = value
		}
		return err
	})
	return parameters, err
}

// input reads an element of inputs.
func (r *requestReader) input() error {
	if len(r.request.inputs) == r.limits.MaxInputs {
		return oip.Errorf(oip.Malformed, "the request has more inputs than the limit of %d", r.limits.MaxInputs)
	}
	in := input{binarySize: -1}
	hasShape, data := false, -1
	var parameters map[string]any
	err := r.Object(func(name []byte) (err error) {
		switch string(name) {
		case "name":
			in.name, err = r.String()
		case "datatype":
			err = r.datatype(&in)
		case "shape":
			hasShape = true
			in.shape, err = r.shape(in.shape[:0])
		case "parameters":
			parameters, err = r.parameters()
		case "data":
			if data >= 0 {
				return jsonscan.Broken(r.Data(), r.Offset(), "expected data only once")
			}
			r.Kind() // skips white space
			data = r.Offset()
			if hasShape && in.datatype != "" {
				return r.elements(&in)
			}
			err = r.Skip()
		default:
			err = r.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return of("input", in.name, err)
	case in.name == "":
		return oip.Errorf(oip.Malformed, "input %d has no name", len(r.request.inputs))
	case in.datatype == "":
		return oip.Errorf(oip.Malformed, "input %.100q has no datatype", in.name)
	case !hasShape:
		return oip.Errorf(oip.Malformed, "input %.100q has no shape", in.name)
	}
	if data >= 0 && in.tensor == nil {
		// The data came before the type or the shape.
		end := r.Offset()
		r.Seek(data)
		if err := r.elements(&in); err != nil {
			return of("input", in.name, err)
		}
		r.Seek(end)
	}
	if err := in.setParameters(parameters); err != nil {
		return of("input", in.name, err)
	}
	r.request.inputs = append(r.request.inputs, in)
	return nil
}

// of returns err with the name of the input or output that it is about.
func of(what, name string, err error) error {
	known := oip.ErrorOf(err)
	return oip.Errorf(known.Code, "%s %.100q: %s", what, name, known.Text)
}

// elements reads the data of an input whose type and shape are known.
func (r *requestReader) elements(in *input) (err error) {
	if _, err := ir.ByteSize(in.elementType, in.shape); err != nil {
		return oip.Errorf(oip.Malformed, "%v", err)
	}
	in.tensor, err = jsontensor.Read(r.Scanner, in.elementType, in.shape, jsontensor.Options{Memory: r.memory.Get})
	return err
}

// datatype reads the datatype of an input.
func (r *requestReader) datatype(in *input) error {
	name, err := r.String()
	if err != nil {
		return err
	}
	known := false
	in.datatype = oip.Datatype(name)
	if in.elementType, known = in.datatype.ElementType(); !known {
		return oip.Errorf(oip.Malformed, "the datatype %.40q is unknown", name)
	}
	if in.tensor != nil && in.tensor.ElementType() != in.elementType {
		return oip.Errorf(oip.Malformed, "the datatype is there twice")
	}
	return nil
}

// shape reads the shape of an input.
func (r *requestReader) shape(shape ir.Shape) (ir.Shape, error) {
	err := r.Array(func(i int) error {
		if i == r.limits.MaxRank {
			return oip.Errorf(oip.Malformed, "the shape has more dimensions than the limit of %d", r.limits.MaxRank)
		}
		dim, err := r.Int()
		if err != nil {
			return err
		}
		if dim < 0 || int64(int(dim)) != dim {
			return oip.Errorf(oip.Malformed, "dimension %d of the shape is %d", i, dim)
		}
		shape = append(shape, int(dim))
		return nil
	})
	return shape, err
}

// setParameters checks the parameters of an input, and whether it has elements in one way.
func (in *input) setParameters(parameters map[string]any) error {
	if _, ok := parameters[parameterSharedMemory]; ok {
		return oip.Errorf(oip.Malformed, "shared memory is not supported")
	}
	size, binary := parameters[parameterBinarySize]
	switch {
	case !binary && in.tensor == nil:
		return oip.Errorf(oip.Malformed, "neither data nor the parameter %s is there", parameterBinarySize)
	case !binary:
		return nil
	case in.tensor != nil:
		return oip.Errorf(oip.Malformed, "both data and the parameter %s are there", parameterBinarySize)
	}
	n, ok := size.(int64)
	if !ok || n < 0 {
		return oip.Errorf(oip.Malformed, "the parameter %s is %.40s, expected a number of bytes", parameterBinarySize, fmt.Sprint(size))
	}
	in.binarySize = n
	if in.elementType == ir.String {
		return nil
	}
	// The size is checked before memory is taken for it.
	switch want, err := ir.ByteSize(in.elementType, in.shape); {
	case err != nil:
		return oip.Errorf(oip.Malformed, "%v", err)
	case int64(want) != n:
		return oip.Errorf(oip.Malformed, "%s%v needs %d bytes, the parameter %s is %d",
			in.datatype, []int(in.shape), want, parameterBinarySize, n)
	}
	return nil
}

// output reads an element of outputs.
func (r *requestReader) output() error {
	if len(r.request.Outputs) == r.limits.MaxInputs {
		return oip.Errorf(oip.Malformed, "the request has more outputs than the limit of %d", r.limits.MaxInputs)
	}
	var out oip.RequestedOutput
	err := r.Object(func(name []byte) (err error) {
		switch string(name) {
		case "name":
			out.Name, err = r.String()
		case "parameters":
			out.Parameters, err = r.parameters()
		default:
			err = r.Skip()
		}
		return err
	})
	switch {
	case err != nil:
		return of("output", out.Name, err)
	case out.Name == "":
		return oip.Errorf(oip.Malformed, "output %d has no name", len(r.request.Outputs))
	}
	if _, ok := out.Parameters[parameterSharedMemory]; ok {
		return of("output", out.Name, oip.Errorf(oip.Malformed, "shared memory is not supported"))
	}
	r.request.Outputs = append(r.request.Outputs, out)
	return nil
}

// boolParameter returns a parameter that is true or false, or missing if it is not there.
func boolParameter(parameters map[string]any, name string, missing bool) (bool, error) {
	value, ok := parameters[name]
	if !ok {
		return missing, nil
	}
	is, ok := value.(bool)
	if !ok {
		return false, oip.Errorf(oip.Malformed, "the parameter %s is %.40s, expected true or false", name, fmt.Sprint(value))
	}
	return is, nil
}
