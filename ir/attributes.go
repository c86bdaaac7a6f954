package ir

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Attributes reads the data element of a layer by the rules of OpenVINO's
// reader: a missing attribute takes its default, a malformed bool counts as
// missing, a number is what leads the text. The first malformed value is kept
// and returned by Err, so that a parser can read all of its attributes and
// check once.
//
// It keeps notes of what it passes over in silence, for Validate.
type Attributes struct {
	layer *Layer
	err   error
	read  uint64 // bit i: Layer.Data[i] was read
	notes []string
	infos *[]AttributeInfo // nil unless the reads are to be described
}

// AttributesOf returns the reader of layer's attributes.
func AttributesOf(layer *Layer) *Attributes { return &Attributes{layer: layer} }

// Layer returns the layer whose attributes these are.
func (a *Attributes) Layer() *Layer { return a.layer }

// Err returns the first error that a read met.
func (a *Attributes) Err() error { return a.err }

// Fail records that attribute name is at fault, unless an earlier one was.
func (a *Attributes) Fail(name, format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("attribute %s: %s", name, fmt.Sprintf(format, args...))
	}
}

// Lookup returns the text of attribute name, and whether it is there.
func (a *Attributes) Lookup(name string) (string, bool) {
	for i := range a.layer.Data {
		if a.layer.Data[i].Name == name {
			a.read |= 1 << i
			return a.layer.Data[i].Value, true
		}
	}
	return "", false
}

// Expect keeps a note where attribute name is missing: the specification wants it,
// OpenVINO takes a default in silence.
func (a *Attributes) Expect(name string) {
	if _, ok := a.Lookup(name); !ok {
		a.note(name, "missing")
	}
}

// note keeps a note of attribute name.
func (a *Attributes) note(name, format string, args ...any) {
	a.notes = append(a.notes, fmt.Sprintf("attribute %s: %s", name, fmt.Sprintf(format, args...)))
}

// Notes returns the notes, one text each. Call it once, after all attributes were read: it
// adds a note for each attribute that was not.
func (a *Attributes) Notes() []string {
	if a.layer.Type == "Constant" {
		return a.notes // the reader read the others
	}
	for i := range a.layer.Data {
		if a.read&(1<<i) == 0 && i < 64 {
			a.note(a.layer.Data[i].Name, "%.100s has none of that name", a.layer.Type)
		}
	}
	return a.notes
}

// String returns the text of attribute name, def where it is missing.
func (a *Attributes) String(name, def string) string {
	if a.infos != nil {
		a.describe(name, "string", def)
	}
	if s, ok := a.Lookup(name); ok {
		return s
	}
	return def
}

// Bool returns attribute name: true or 1, false or 0, in any letter case. Any
// other text counts as missing, as it does in OpenVINO.
func (a *Attributes) Bool(name string, def bool) bool {
	if a.infos != nil {
		a.describe(name, "bool", def)
	}
	s, ok := a.Lookup(name)
	switch strings.ToLower(s) {
	case "true", "1":
		return true
	case "false", "0":
		return false
	}
	if ok {
		a.note(name, "%q is neither true nor false: %t is taken", s, def)
	}
	return def
}

// Int returns attribute name as a whole number.
func (a *Attributes) Int(name string, def int64) int64 {
	if a.infos != nil {
		a.describe(name, "int", def)
	}
	s, ok := a.Lookup(name)
	if !ok {
		return def
	}
	n, err := leadingInt(s)
	if err != nil {
		a.Fail(name, "%v", err)
	}
	return n
}

// Ints returns attribute name as a list of whole numbers, nil where it is missing
// or empty.
func (a *Attributes) Ints(name string) []int64 {
	if a.infos != nil {
		a.describe(name, "ints", nil)
	}
	s, ok := a.Lookup(name)
	if !ok {
		return nil
	}
	var list []int64
	for _, item := range splitList(s) {
		n, err := leadingInt(item)
		if err != nil {
			a.Fail(name, "%v", err)
			return nil
		}
		list = append(list, n)
	}
	return list
}

// Float returns attribute name as a number.
func (a *Attributes) Float(name string, def float64) float64 {
	if a.infos != nil {
		a.describe(name, "float", def)
	}
	s, ok := a.Lookup(name)
	if !ok {
		return def
	}
	f, err := leadingFloat(s)
	if err != nil {
		a.Fail(name, "%v", err)
	}
	return f
}

// Floats returns attribute name as a list of numbers, each within the range of
// float32, nil where it is missing or empty.
func (a *Attributes) Floats(name string) []float64 {
	if a.infos != nil {
		a.describe(name, "floats", nil)
	}
	s, ok := a.Lookup(name)
	if !ok {
		return nil
	}
	var list []float64
	for _, item := range splitList(s) {
		f, err := leadingFloat(item)
		if err == nil && math.Abs(f) > math.MaxFloat32 && !math.IsInf(f, 0) {
			err = fmt.Errorf("%q is beyond float32", item)
		}
		if err != nil {
			a.Fail(name, "%v", err)
			return nil
		}
		list = append(list, f)
	}
	return list
}

// Enum returns attribute name in lower case; it must be one of members, in any letter
// case, def where it is missing. Members are in lower case but for those that OpenVINO
// writes otherwise.
func (a *Attributes) Enum(name, def string, members ...string) string {
	if a.infos != nil {
		a.describe(name, "enum", def, members...)
	}
	s, ok := a.Lookup(name)
	if !ok {
		return def
	}
	i := slices.IndexFunc(members, func(m string) bool { return strings.EqualFold(m, s) })
	if i < 0 {
		a.Fail(name, "%q is none of %s", s, strings.ToLower(strings.Join(members, ", ")))
		return def
	}
	lower := strings.ToLower(s)
	if s != lower && s != members[i] {
		a.note(name, "%q is not in lower case", s)
	}
	return lower
}

// ElementType returns attribute name as an element type.
func (a *Attributes) ElementType(name string, def ElementType) ElementType {
	if a.infos != nil {
		a.describe(name, "element type", def)
	}
	s, ok := a.Lookup(name)
	if !ok {
		return def
	}
	t, err := ParseElementType(s)
	if err != nil {
		a.Fail(name, "%v", err)
	}
	return t
}

// PartialShape returns attribute name as a partial shape.
func (a *Attributes) PartialShape(name string, def PartialShape) PartialShape {
	if a.infos != nil {
		a.describe(name, "shape", def)
	}
	s, ok := a.Lookup(name)
	if !ok {
		return def
	}
	shape, err := ParsePartialShape(s)
	if err != nil {
		a.Fail(name, "%v", err)
	}
	return shape
}
