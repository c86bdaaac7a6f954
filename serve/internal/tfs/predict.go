package tfs

import (
	"net/http"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/jsontensor"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// predict computes a request, in which the tensors are written by row, as instances, or by column,
// as inputs. The answer has the form of the request.
func (h *handler) predict(w http.ResponseWriter, r *http.Request) error {
	model, version, call := target(r)
	if call != "predict" {
		return oip.Errorf(oip.NotFound, "the call %.100q is unknown, expected predict", call)
	}
	ctx, cancel, err := httpapi.WithDeadline(r)
	if err != nil {
		return err
	}
	defer cancel()
	body := httpapi.NewBody(r, h.Limits.MaxBodyBytes, &h.pool)
	// The response can share memory with the inputs, so this is given back last.
	defer body.Close()
	request, rows, err := h.readRequest(body, model, version)
	if err != nil {
		h.Service.Refused(model, version, err)
		return body.Refuse(w, err)
	}
	response, err := h.Service.Infer(ctx, request)
	if err != nil {
		return err
	}
	defer response.Release()
	text, err := appendResponse(nil, response.Outputs, rows)
	if err != nil {
		return err
	}
	h.compressors.Write(w, r, text)
	return nil
}

// readRequest reads a request, and says whether it is written by row.
func (h *handler) readRequest(body *httpapi.Body, model, version string) (request *oip.InferRequest, rows bool, err error) {
	metadata, err := h.Service.ModelMetadata(model, version)
	if err != nil {
		return nil, false, err
	}
	data, err := body.ReadAll()
	if err != nil {
		return nil, false, err
	}
	reader := &requestReader{
		Scanner: jsonscan.New(data, h.Limits.MaxJSONDepth), ports: metadata.Inputs,
		options: jsontensor.Options{Memory: body.Memory.Get, Base64: true},
	}
	if err := reader.read(); err != nil {
		return nil, false, err
	}
	return &oip.InferRequest{Model: model, Version: version, Inputs: reader.inputs}, reader.rows, nil
}

// requestReader reads the JSON of a request.
type requestReader struct {
	*jsonscan.Scanner
	ports   []oip.Port
	options jsontensor.Options

	inputs []oip.Input
	rows   bool
}

// read reads the JSON.
func (r *requestReader) read() error {
	found := 0
	err := r.Object(func(name []byte) error {
		switch string(name) {
		case "instances":
			found++
			r.rows = true
			return r.instances()
		case "inputs":
			found++
			return r.columns()
		default:
			return r.Skip()
		}
	})
	if err != nil {
		return err
	}
	if found != 1 {
		return oip.Errorf(oip.Malformed, "the request has %d members instances or inputs, expected one", found)
	}
	return r.End()
}

// columns reads an object with the tensors by their names, or the only tensor.
func (r *requestReader) columns() error {
	if r.Kind() != '{' || len(r.ports) == 1 && r.isBase64() {
		return r.only()
	}
	return r.Object(func(name []byte) error {
		port, err := r.port(string(name))
		if err != nil {
			return err
		}
		return r.add(port)
	})
}

// isBase64 says whether the next value is an object {"b64": …}, which is an element.
func (r *requestReader) isBase64() bool {
	probe := jsonscan.New(r.Data(), 1)
	probe.Seek(r.Offset())
	is := false
	_ = probe.Object(func(name []byte) error {
		is = string(name) == "b64"
		return probe.Skip()
	})
	return is
}

// only reads the tensor of a model that has one input.
func (r *requestReader) only() error {
	if len(r.ports) != 1 {
		return oip.Errorf(oip.Malformed, "the model has %d inputs, expected an object with their names", len(r.ports))
	}
	return r.add(r.ports[0])
}

// port returns the input with a name.
func (r *requestReader) port(name string) (oip.Port, error) {
	for _, port := range r.ports {
		if port.Name == name {
			return port, nil
		}
	}
	return oip.Port{}, oip.Errorf(oip.Malformed, "the model has no input %.100q", name)
}

// add reads the tensor of an input.
func (r *requestReader) add(port oip.Port) error {
	tensor, err := r.tensor(port)
	if err != nil {
		return err
	}
	r.inputs = append(r.inputs, oip.Input{Name: port.Name, Tensor: tensor})
	return nil
}

// tensor reads a value for an input.
func (r *requestReader) tensor(port oip.Port) (*ir.Tensor, error) {
	elementType, _ := port.Datatype.ElementType()
	tensor, err := jsontensor.ReadNested(r.Scanner, elementType, r.options)
	if err != nil {
		return nil, oip.Errorf(oip.ErrorOf(err).Code, "input %.100q: %v", port.Name, err)
	}
	return tensor, nil
}

// instances reads an array with an element for each row: an object with the rows of the inputs by
// their names, or the row of the only input.
func (r *requestReader) instances() error {
	if r.Kind() != '[' {
		return jsonscan.Broken(r.Data(), r.Offset(), "expected an array of instances")
	}
	if !r.hasObjects() {
		return r.only()
	}
	rows := make([][]*ir.Tensor, len(r.ports))
	count := 0
	err := r.Array(func(int) error {
		count++
		return r.instance(rows, count)
	})
	if err != nil {
		return err
	}
	for i, port := range r.ports {
		tensor, err := stack(rows[i])
		if err != nil {
			return oip.Errorf(oip.Malformed, "input %.100q: %v", port.Name, err)
		}
		r.inputs = append(r.inputs, oip.Input{Name: port.Name, Tensor: tensor})
	}
	return nil
}

// hasObjects says whether the first element of the next array is an object with names of inputs.
func (r *requestReader) hasObjects() bool {
	from := r.Offset()
	defer r.Seek(from)
	r.Seek(from + 1)
	return r.Kind() == '{' && !r.isBase64()
}

// instance reads row number count of the inputs.
func (r *requestReader) instance(rows [][]*ir.Tensor, count int) error {
	err := r.Object(func(name []byte) error {
		port, err := r.port(string(name))
		if err != nil {
			return err
		}
		row, err := r.tensor(port)
		if err != nil {
			return err
		}
		for i := range r.ports {
			if r.ports[i].Name == port.Name {
				rows[i] = append(rows[i], row)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, port := range r.ports {
		if len(rows[i]) != count {
			return oip.Errorf(oip.Malformed, "instance %d has not one input %.100q", count-1, port.Name)
		}
	}
	return nil
}

// stack returns the tensor with the given rows, of which there is at least one.
func stack(rows []*ir.Tensor) (*ir.Tensor, error) {
	first := rows[0]
	shape := append(ir.Shape{len(rows)}, first.Shape()...)
	var data []byte
	var texts []string
	for i, row := range rows {
		if row.Shape().String() != first.Shape().String() {
			return nil, oip.Errorf(oip.Malformed, "instance %d has shape %v, instance 0 has %v", i, row.Shape(), first.Shape())
		}
		data = append(data, row.Bytes()...)
		texts = append(texts, row.Strings()...)
	}
	if first.ElementType() == ir.String {
		return ir.StringTensor(shape, texts)
	}
	return ir.TensorOfBytes(first.ElementType(), shape, data)
}
