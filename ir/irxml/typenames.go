package irxml

import "strings"

// typeNames maps lower-case names of layer types in files to OpenVINO's names. It has the types
// that files write differently and those that the reader needs. Letter case never matters in
// files.
var typeNames = map[string]string{
	"assign":         "Assign",
	"const":          "Constant",
	"constant":       "Constant",
	"if":             "If",
	"loop":           "Loop",
	"parameter":      "Parameter",
	"prelu":          "PRelu",
	"readvalue":      "ReadValue",
	"relu":           "Relu",
	"result":         "Result",
	"softmax":        "Softmax",
	"tensoriterator": "TensorIterator",
}

// typeName returns OpenVINO's name of a layer type: that in the table, else the name in the
// file.
func typeName(fileType string) string {
	if len(fileType) > len("tensoriterator") {
		return fileType
	}
	if name, ok := typeNames[strings.ToLower(fileType)]; ok {
		return name
	}
	return fileType
}
