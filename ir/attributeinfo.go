package ir

import "slices"

// AttributeInfo is one attribute that a layer type's parser reads.
type AttributeInfo struct {
	Name string
	// Kind is "int", "ints", "float", "floats", "bool", "enum", "string", "element
	// type" or "shape".
	Kind string
	// Default is what a layer without the attribute has; nil for lists, which then
	// are empty.
	Default any
	// Members are the values of an enum.
	Members []string
}

// DescribeAttributes returns what parse reads of a layer without attributes, in the
// order of the first read of each. Attributes that parse reads only where another
// one is set are not among them.
func DescribeAttributes(parse func(*Attributes) (any, error)) []AttributeInfo {
	var infos []AttributeInfo
	if parse != nil {
		a := AttributesOf(&Layer{})
		a.infos = &infos
		_, _ = parse(a) // a parser reads everything before it refuses anything
	}
	return infos
}

// describe keeps what a read of attribute name asks for. The reads call it only
// where somebody wants to know: making def an interface can allocate.
func (a *Attributes) describe(name, kind string, def any, members ...string) {
	if !slices.ContainsFunc(*a.infos, func(i AttributeInfo) bool { return i.Name == name }) {
		*a.infos = append(*a.infos, AttributeInfo{name, kind, def, members})
	}
}
