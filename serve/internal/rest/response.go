package rest

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/jsontensor"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// writeResponse writes the answer to request.
func (h *handler) writeResponse(w http.ResponseWriter, r *http.Request, request *inferRequest, response *oip.InferResponse) error {
	binary, hasBinary, err := binaryOutputs(request, response)
	if err != nil {
		return err
	}
	memory := h.pool.Get(estimate(response, binary))
	defer h.pool.Put(memory)
	text, err := appendResponse((*memory)[:0], response, binary)
	if err != nil {
		return err
	}
	if !hasBinary {
		h.compressors.Write(w, r, text)
		return nil
	}
	size := len(text)
	for i, output := range response.Outputs {
		if binary[i] {
			size += oip.BinarySize(output.Tensor)
		}
	}
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set(headerLength, strconv.Itoa(len(text)))
	header.Set("Content-Length", strconv.Itoa(size))
	if _, err := w.Write(text); err != nil {
		return nil // the client has gone
	}
	for i, output := range response.Outputs {
		if !binary[i] {
			continue
		}
		data, shared := oip.SharedBinary(output.Tensor)
		if !shared {
			data = oip.AppendBinary(nil, output.Tensor)
		}
		if _, err := w.Write(data); err != nil {
			return nil
		}
	}
	return nil
}

// binaryOutputs says which outputs of the response are binary, and whether one is.
func binaryOutputs(request *inferRequest, response *oip.InferResponse) (binary []bool, any bool, err error) {
	binary = make([]bool, len(response.Outputs))
	for i, output := range response.Outputs {
		binary[i] = request.binaryOutputs
		for _, requested := range request.Outputs {
			if requested.Name != output.Name {
				continue
			}
			binary[i], err = boolParameter(requested.Parameters, parameterBinaryOutput, request.binaryOutputs)
			if err != nil {
				return nil, false, of("output", output.Name, err)
			}
		}
		any = any || binary[i]
	}
	return binary, any, nil
}

// estimate returns about how many bytes the JSON of a response has.
func estimate(response *oip.InferResponse, binary []bool) int {
	const perOutput, perByte = 256, 3
	n := perOutput
	for i, output := range response.Outputs {
		n += perOutput
		if !binary[i] {
			n += perByte * len(output.Tensor.Bytes())
		}
	}
	return n
}

// appendResponse appends the JSON of a response.
func appendResponse(b []byte, response *oip.InferResponse, binary []bool) ([]byte, error) {
	b = append(b, `{"model_name":`...)
	b = appendText(b, response.Model)
	b = append(b, `,"model_version":`...)
	b = appendText(b, response.Version)
	if response.ID != "" {
		b = append(b, `,"id":`...)
		b = appendText(b, response.ID)
	}
	if len(response.Parameters) > 0 {
		b = append(b, `,"parameters":`...)
		b = appendParameters(b, response.Parameters)
	}
	b = append(b, `,"outputs":[`...)
	for i, output := range response.Outputs {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendOutput(b, output, binary[i]); err != nil {
			return b, err
		}
	}
	return append(b, "]}"...), nil
}

// appendOutput appends the JSON of an output.
func appendOutput(b []byte, output oip.Output, binary bool) ([]byte, error) {
	datatype, ok := oip.DatatypeOf(output.Tensor.ElementType())
	if !ok {
		return b, oip.Errorf(oip.Internal, "output %.100q has element type %v, for which the protocol has no name",
			output.Name, output.Tensor.ElementType())
	}
	b = append(b, `{"name":`...)
	b = appendText(b, output.Name)
	b = append(b, `,"datatype":"`...)
	b = append(b, datatype...)
	b = append(b, `","shape":[`...)
	b = appendShape(b, output.Tensor.Shape())
	if binary {
		b = append(b, `],"parameters":{"`+parameterBinarySize+`":`...)
		b = strconv.AppendInt(b, int64(oip.BinarySize(output.Tensor)), 10)
		return append(b, "}}"...), nil
	}
	b = append(b, `],"data":`...)
	b, err := jsontensor.Append(b, output.Tensor)
	if err != nil {
		return b, of("output", output.Name, oip.Errorf(oip.ErrorOf(err).Code, "%v; ask for it with the parameter %s", err, parameterBinaryOutput))
	}
	return append(b, '}'), nil
}

func appendShape(b []byte, shape ir.Shape) []byte {
	for i, dim := range shape {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(dim), 10)
	}
	return b
}

// appendText appends a name. What is no UTF-8 in it is replaced.
func appendText(b []byte, text string) []byte {
	b, ok := jsonscan.AppendText(b, text)
	if !ok {
		b, _ = jsonscan.AppendText(b, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return b
}

// appendParameters appends the parameters of a response.
func appendParameters(b []byte, parameters map[string]any) []byte {
	b = append(b, '{')
	separator := ""
	for name, value := range parameters {
		b = append(b, separator...)
		b = appendText(b, name)
		b = append(b, ':')
		switch value := value.(type) {
		case bool:
			b = strconv.AppendBool(b, value)
		case int64:
			b = strconv.AppendInt(b, value, 10)
		case uint64:
			b = strconv.AppendUint(b, value, 10)
		case string:
			b = appendText(b, value)
		case float64:
			if value-value == 0 {
				b = strconv.AppendFloat(b, value, 'g', -1, 64)
				break
			}
			b = append(b, "null"...)
		default:
			b = append(b, "null"...)
		}
		separator = ","
	}
	return append(b, '}')
}
