package check

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// schemaText has the forms of ONNX's operators, as testdata/schemas.py prints them. A line has the
// name, the version that the form came with, a letter for each input and output, and the attributes
// with their types: "Conv 11 sso s auto_pad:s group:i". s is a parameter that must be there, o one
// that can be absent, and v0 any number of them, v1 at least one. An attribute with ! is required.
//
//go:embed schemas.txt
var schemaText string

const mlDomain = "ai.onnx.ml"

// schema is the form of an operator since a version of its domain.
type schema struct {
	since           int64
	deprecated      bool
	inputs, outputs parameters
	attributes      map[string]proto.AttributeType
	required        []string // attributes
}

// parameters are the inputs or outputs of an operator.
type parameters struct {
	min, max int    // number of them; max is -1 if there is no limit
	required []bool // of those that are listed by themselves
}

// String returns the number of parameters: "2", "1 to 3", "at least 1".
func (p *parameters) String() string {
	switch {
	case p.max < 0:
		return fmt.Sprintf("at least %d", p.min)
	case p.min == p.max:
		return strconv.Itoa(p.min)
	}
	return fmt.Sprintf("%d to %d", p.min, p.max)
}

// readSchemas returns the forms of each operator, the oldest first. The key has the domain before
// the name, unless it is ONNX's own.
func readSchemas() map[string][]schema {
	all := make(map[string][]schema)
	for line := range strings.Lines(schemaText) {
		fields := strings.Fields(line)
		since, _ := strconv.ParseInt(fields[1], 10, 64)
		s := schema{since: since, deprecated: fields[2] == "deprecated"}
		if !s.deprecated {
			s.inputs, s.outputs = parseParameters(fields[2]), parseParameters(fields[3])
			s.attributes = make(map[string]proto.AttributeType, len(fields)-4)
			for _, text := range fields[4:] {
				name, kind, _ := strings.Cut(text, ":")
				s.attributes[name] = attributeTypes[kind[0]]
				if strings.HasSuffix(kind, "!") {
					s.required = append(s.required, name)
				}
			}
		}
		all[fields[0]] = append(all[fields[0]], s)
	}
	return all
}

// attributeTypes has the type for each letter.
var attributeTypes = map[byte]proto.AttributeType{
	'f': proto.AttributeFloat, 'i': proto.AttributeInt, 's': proto.AttributeString, 't': proto.AttributeTensor, 'g': proto.AttributeGraph,
	'x': proto.AttributeSparseTensor, 'p': proto.AttributeTypeProto, 'F': proto.AttributeFloats, 'I': proto.AttributeInts, 'S': proto.AttributeStrings,
	'T': proto.AttributeTensors, 'G': proto.AttributeGraphs, 'X': proto.AttributeSparseTensors, 'P': proto.AttributeTypeProtos,
}

// parseParameters returns the parameters that a text such as "sso" or "v1" describes; "-" is none.
func parseParameters(text string) parameters {
	var p parameters
	letters, least, variadic := strings.Cut(strings.TrimPrefix(text, "-"), "v")
	for i := range letters {
		p.required = append(p.required, letters[i] == 's')
		if letters[i] == 's' {
			p.min = i + 1
		}
	}
	p.max = len(letters)
	if n, _ := strconv.Atoi(least); variadic {
		p.max = -1
		if n > 0 {
			p.min = len(letters) + n
		}
	}
	return p
}

// find returns the form in a version of the domain; nil if the operator is newer.
func find(list []schema, version int64) *schema {
	var found *schema
	for i := range list {
		if list[i].since <= version {
			found = &list[i]
		}
	}
	return found
}
