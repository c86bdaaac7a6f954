package ir

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
)

// Attributes reads the attributes in the data element of a layer as OpenVINO does. A missing
// attribute has its default value. A malformed bool counts as missing. Text after a number is
// ignored. The first error is kept and returned by Err, so that a parser can read all
// attributes and check once.
//
// Attributes also records notes about attributes that OpenVINO ignores or replaces without an
// error. Package validate reports them.
type Attributes struct {
	layer *Layer
	err   error
	read  uint64 // bit i is set if Layer.Data[i] was read
	notes []string
	infos *[]AttributeInfo // set by DescribeAttributes, else nil
}

// AttributesOf returns an Attributes that reads the attributes of layer.
func AttributesOf(layer *Layer) *Attributes { return &Attributes{layer: layer} }

// Layer returns the layer that the attributes belong to.
func (a *Attributes) Layer() *Layer { return a.layer }

// Err returns the first error of the reads and of Fail. It is not inlined, because each family
// calls it.
//
//go:noinline
func (a *Attributes) Err() error { return a.err }

// Fail records an error about attribute name, unless there already is an error. It is not inlined:
// the formatting would be in each parser of attributes.
//
//go:noinline
func (a *Attributes) Fail(name, format string, args ...any) {
	if a.err == nil {
		a.err = errors.New(attributeText(name, format, args))
	}
}

// Lookup returns the text of attribute name, and whether the attribute exists.
//
// It is not inlined: the code of the command would be 7 KiB larger.
//
//go:noinline
func (a *Attributes) Lookup(name string) (string, bool) {
	for i := range a.layer.Data {
		if a.layer.Data[i].Name == name {
			a.read |= 1 << i
			return a.layer.Data[i].Value, true
		}
	}
	return "", false
}

// Expect records a note if attribute name is missing. It is for attributes that the
// specification requires and that have a default in OpenVINO.
func (a *Attributes) Expect(name string) {
	if _, ok := a.Lookup(name); !ok {
		a.note(name, "missing")
	}
}

// note records a note about attribute name.
func (a *Attributes) note(name, format string, args ...any) {
	a.notes = append(a.notes, attributeText(name, format, args))
}

// attributeText returns the text of an error or a note about attribute name. Names of attributes
// and types come from the file: what is not printable is escaped.
func attributeText(name, format string, args []any) string {
	return printable.Escape("attribute " + printable.Cut(name, maxOtherText) + ": " + fmt.Sprintf(format, args...))
}

// Notes returns the recorded notes, and adds one for each attribute that was not read. Call it
// once, after all attributes were read.
func (a *Attributes) Notes() []string {
	if a.layer.Type == "Constant" {
		return a.notes // package irxml reads the rest of its attributes
	}
	for i := range a.layer.Data {
		if a.read&(1<<i) == 0 && i < 64 {
			a.note(a.layer.Data[i].Name, "%s has none of that name", printable.Cut(a.layer.Type, maxOtherText))
		}
	}
	return a.notes
}

// String returns the text of attribute name, or def if it is missing.
func (a *Attributes) String(name, def string) string {
	if a.infos != nil {
		a.describe(name, "string", def)
	}
	if s, ok := a.Lookup(name); ok {
		return s
	}
	return def
}

// Bool returns attribute name: true or 1, false or 0, in any letter case. As in OpenVINO, it
// returns def for any other text and if the attribute is missing.
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

// Int returns attribute name as an integer, or def if it is missing.
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

// Ints returns attribute name as a list of integers; nil if it is missing or empty.
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

// Float returns attribute name as a number, or def if it is missing.
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

// Floats returns attribute name as a list of numbers, each within the range of float32; nil if
// it is missing or empty.
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
			err = faults.Errorf("%q is beyond float32", item)
		}
		if err != nil {
			a.Fail(name, "%v", err)
			return nil
		}
		list = append(list, f)
	}
	return list
}

// Enum returns attribute name in lower case, or def if it is missing. It must be one of
// members, in any letter case. members are in lower case unless OpenVINO writes them
// differently.
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

// ElementType returns attribute name as an element type, or def if it is missing.
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

// PartialShape returns attribute name as a partial shape, or def if it is missing.
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
