package tfs

import (
	"net/http"
	"strconv"

	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// signature is the name of the only signature of a model.
const signature = "serving_default"

// dataTypes has TensorFlow's names of datatypes.
var dataTypes = map[oip.Datatype]string{
	"BOOL": "DT_BOOL", "INT8": "DT_INT8", "INT16": "DT_INT16", "INT32": "DT_INT32", "INT64": "DT_INT64",
	"UINT8": "DT_UINT8", "UINT16": "DT_UINT16", "UINT32": "DT_UINT32", "UINT64": "DT_UINT64",
	"FP16": "DT_HALF", "BF16": "DT_BFLOAT16", "FP32": "DT_FLOAT", "FP64": "DT_DOUBLE", "BYTES": "DT_STRING",
}

type metadataJSON struct {
	ModelSpec modelSpec               `json:"model_spec"`
	Metadata  map[string]signatureMap `json:"metadata"`
}

type modelSpec struct {
	Name          string `json:"name"`
	SignatureName string `json:"signature_name"`
	Version       string `json:"version"`
}

type signatureMap struct {
	SignatureDef map[string]signatureJSON `json:"signature_def"`
}

type signatureJSON struct {
	Inputs     map[string]tensorJSON `json:"inputs"`
	Outputs    map[string]tensorJSON `json:"outputs"`
	MethodName string                `json:"method_name"`
}

type tensorJSON struct {
	DType       string    `json:"dtype"`
	TensorShape shapeJSON `json:"tensor_shape"`
	Name        string    `json:"name"`
}

type shapeJSON struct {
	Dim         []dimJSON `json:"dim"`
	UnknownRank bool      `json:"unknown_rank"`
}

// dimJSON is a dimension, whose size is -1 if it is not known.
type dimJSON struct {
	Size string `json:"size"`
	Name string `json:"name"`
}

func tensorsJSON(ports []oip.Port) map[string]tensorJSON {
	tensors := make(map[string]tensorJSON, len(ports))
	for _, port := range ports {
		shape := shapeJSON{Dim: make([]dimJSON, len(port.Shape))}
		for i, dim := range port.Shape {
			shape.Dim[i].Size = strconv.FormatInt(dim, 10)
		}
		tensors[port.Name] = tensorJSON{dataTypes[port.Datatype], shape, port.Name}
	}
	return tensors
}

func (h *handler) metadata(w http.ResponseWriter, r *http.Request) error {
	model, version := r.PathValue("model"), r.PathValue("version")
	metadata, err := h.Service.ModelMetadata(model, version)
	if err != nil {
		return err
	}
	if n := len(metadata.Versions); version == "" && n > 0 {
		version = metadata.Versions[n-1]
	}
	return httpapi.WriteJSON(w, http.StatusOK, metadataJSON{
		ModelSpec: modelSpec{Name: model, Version: version},
		Metadata: map[string]signatureMap{"signature_def": {SignatureDef: map[string]signatureJSON{signature: {
			Inputs: tensorsJSON(metadata.Inputs), Outputs: tensorsJSON(metadata.Outputs),
		}}}},
	})
}
