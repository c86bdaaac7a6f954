package ir

import "slices"

// AttributeInfo describes an attribute that the parser of a layer type reads.
type AttributeInfo struct {
	Name string
	// Kind is "int", "ints", "float", "floats", "bool", "enum", "string", "element
	// type" or "shape".
	Kind string
	// Default is the value of a missing attribute; nil for lists, which are then empty.
	Default any
	// Members lists the values of an enum.
	Members []string
}

// DescribeAttributes returns the attributes that parse reads from a layer without attributes,
// in the order of their first read. Attributes that parse reads only if another one is set are
// missing from the result.
func DescribeAttributes(parse func(*Attributes) (any, error)) []AttributeInfo {
	var infos []AttributeInfo
	if parse != nil {
		a := AttributesOf(&Layer{})
		a.infos = &infos
		_, _ = parse(a) // a parser reads all attributes before it returns an error
	}
	return infos
}

// describe records the read of attribute name. The callers check infos first, because the
// conversion of def to an interface can allocate.
func (a *Attributes) describe(name, kind string, def any, members ...string) {
	if !slices.ContainsFunc(*a.infos, func(i AttributeInfo) bool { return i.Name == name }) {
		*a.infos = append(*a.infos, AttributeInfo{name, kind, def, members})
	}
}
