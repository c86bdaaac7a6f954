package rest

import (
	"net/http"
	"strconv"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// headerLength is the header with the number of bytes of JSON before the bytes of tensors, in
// requests and answers.
const headerLength = "Inference-Header-Content-Length"

func (h *handler) infer(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel, err := httpapi.WithDeadline(r)
	if err != nil {
		return err
	}
	defer cancel()
	body := httpapi.NewBody(r, h.Limits.MaxBodyBytes, &h.pool)
	// The response can share memory with the inputs, so this is given back last.
	defer body.Close()
	request := new(inferRequest)
	request.Model, request.Version = target(r)
	if err := h.readRequest(r, body, request); err != nil {
		h.Service.Refused(request.Model, request.Version, err)
		return body.Refuse(w, err)
	}
	response, err := h.Service.Infer(ctx, &request.InferRequest)
	if err != nil {
		return err
	}
	defer response.Release()
	if err := oip.Classify(h.Service, &request.InferRequest, response); err != nil {
		return err
	}
	return h.writeResponse(w, r, request, response)
}

// readRequest reads a request from body.
func (h *handler) readRequest(r *http.Request, body *httpapi.Body, request *inferRequest) error {
	length, ok, err := lengthOf(r.Header)
	if err != nil {
		return err
	}
	if ok && length == 0 {
		return h.readRaw(body, request)
	}
	var text []byte
	if ok {
		text, err = body.ReadFull(length)
	} else {
		text, err = body.ReadAll()
	}
	if err != nil {
		return err
	}
	reader := requestReader{jsonscan.New(text, h.Limits.MaxJSONDepth), h.Limits, body.Memory, request}
	if err := reader.read(); err != nil {
		return err
	}
	return readTensors(body, request)
}

// lengthOf returns the number of bytes of JSON that a header has; false if it has none.
func lengthOf(header http.Header) (length int64, ok bool, err error) {
	values := header[headerLength]
	if len(values) == 0 {
		return 0, false, nil
	}
	length, err = strconv.ParseInt(values[0], 10, 64)
	if err != nil || length < 0 || values[0][0] == '+' || len(values) > 1 {
		return 0, false, oip.Errorf(oip.Malformed, "header %s is %.100q, expected one number of bytes", headerLength, values)
	}
	return length, true, nil
}

// readTensors reads the tensors behind the JSON, in the order of the inputs.
func readTensors(body *httpapi.Body, request *inferRequest) error {
	total, binary := int64(0), 0
	for i := range request.inputs {
		if size := request.inputs[i].binarySize; size >= 0 {
			binary++
			// A sum that overflows is larger than any body.
			if total += size; total < 0 {
				total = 1<<63 - 1
			}
		}
	}
	if left, ok := body.Left(); ok && left != total {
		return oip.Errorf(oip.Malformed, "%d bytes follow the JSON, the sum of %s of %d inputs is %d",
			left, parameterBinarySize, binary, total)
	}
	request.Inputs = make([]oip.Input, len(request.inputs))
	for i := range request.inputs {
		in := &request.inputs[i]
		if in.binarySize >= 0 {
			data, err := body.ReadFull(in.binarySize)
			if err != nil {
				return of("input", in.name, err)
			}
			if in.tensor, err = oip.BinaryTensor(in.elementType, in.shape, data); err != nil {
				return of("input", in.name, err)
			}
		}
		request.Inputs[i] = oip.Input{Name: in.name, Tensor: in.tensor}
	}
	return body.End()
}

// readRaw reads a request whose body is the only input of its model.
func (h *handler) readRaw(body *httpapi.Body, request *inferRequest) error {
	config, err := h.Service.ModelConfig(request.Model, request.Version)
	if err != nil {
		return err
	}
	if len(config.Inputs) != 1 {
		return oip.Errorf(oip.Malformed, "a body without JSON needs a model with one input, %.100q has %d", request.Model, len(config.Inputs))
	}
	data, err := body.ReadAll()
	if err != nil {
		return err
	}
	port := config.Inputs[0]
	shape, err := rawShape(port, len(data))
	if err != nil {
		return of("input", port.Name, err)
	}
	if config.MaxBatchSize > 0 {
		shape = append(ir.Shape{1}, shape...)
	}
	tensor, err := rawTensor(port.Datatype, shape, data)
	if err != nil {
		return of("input", port.Name, err)
	}
	request.binaryOutputs = true
	request.Inputs = []oip.Input{{Name: port.Name, Tensor: tensor}}
	return nil
}

// rawTensor returns the tensor whose elements are data, which for BYTES is the only element.
func rawTensor(datatype oip.Datatype, shape ir.Shape, data []byte) (*ir.Tensor, error) {
	elementType, _ := datatype.ElementType()
	if elementType != ir.String {
		return oip.BinaryTensor(elementType, shape, data)
	}
	tensor, err := ir.StringTensor(shape, []string{string(data)})
	if err != nil {
		return nil, oip.Errorf(oip.Malformed, "a body without JSON is one element of BYTES: %v", err)
	}
	return tensor, nil
}

// rawShape returns the shape of the input of a port with n bytes: at most one dimension is not
// known before. For BYTES, which are one element, all are 1 that are not known.
func rawShape(port oip.Port, n int) (ir.Shape, error) {
	elementType, _ := port.Datatype.ElementType()
	shape := make(ir.Shape, len(port.Shape))
	unknown := -1
	for i, dim := range port.Shape {
		shape[i] = int(dim)
		if dim >= 0 {
			continue
		}
		if shape[i] = 1; elementType == ir.String {
			continue
		}
		if unknown >= 0 {
			return nil, oip.Errorf(oip.Malformed, "a body without JSON can have one unknown dimension, the shape is %v", port.Shape)
		}
		unknown = i
	}
	if unknown < 0 {
		return shape, nil
	}
	row, err := ir.ByteSize(elementType, shape)
	if err != nil || row == 0 || n%row != 0 {
		return nil, oip.Errorf(oip.Malformed, "%d bytes are no %s%v", n, port.Datatype, port.Shape)
	}
	shape[unknown] = n / row
	return shape, nil
}
