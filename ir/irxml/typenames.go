package irxml

import "strings"

// typeNames maps the lower-case spelling of a layer type in the file to OpenVINO's
// name of the type: the types that the file spells otherwise, and those that
// the reader itself looks for. The letter case of a type never counts.
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

// typeName returns OpenVINO's name of a layer type, as the file spells it where
// the table has none.
func typeName(fileType string) string {
	if len(fileType) > len("tensoriterator") {
		return fileType
	}
	if name, ok := typeNames[strings.ToLower(fileType)]; ok {
		return name
	}
	return fileType
}
