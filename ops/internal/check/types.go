package check

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// OneType returns the element type that all inputs share, or an error if they differ. Errors
// refer to an input without a name by its number.
func OneType(inputs []ir.Fact, names ...string) (ir.ElementType, error) {
	t := ir.Dynamic
	for i := range inputs {
		both, ok := ir.MergeElementTypes(t, inputs[i].Type)
		if !ok {
			name := fmt.Sprintf("input %d", i)
			if i < len(names) {
				name = names[i]
			}
			return t, faults.Errorf("%s is %v, the inputs before it are %v", name, inputs[i].Type, t)
		}
		t = both
	}
	return t, nil
}

// Integer returns an error unless t is an integer type or Dynamic.
func Integer(name string, t ir.ElementType) error {
	if !t.IsInteger() && t != ir.Dynamic {
		return faults.Errorf("%s is %v, not a type of integers", name, t)
	}
	return nil
}

// Number returns an error unless t is an integer type, a floating-point type or Dynamic.
func Number(name string, t ir.ElementType) error {
	if !t.IsInteger() && !t.IsFloat() && t != ir.Dynamic {
		return faults.Errorf("%s is %v, not a type of numbers", name, t)
	}
	return nil
}

// Real returns an error unless t is Dynamic or a type that OpenVINO counts as floating-point.
func Real(name string, t ir.ElementType) error {
	if t == ir.Dynamic {
		return nil
	}
	return KnownReal(name, t)
}

// KnownReal returns an error unless t is a type that OpenVINO counts as floating-point.
func KnownReal(name string, t ir.ElementType) error {
	if !t.IsReal() {
		return faults.Errorf("%s is %v, expected a floating-point type", name, t)
	}
	return nil
}

// KnownIndex returns an error unless t is i32 or i64.
func KnownIndex(name string, t ir.ElementType) error {
	if t != ir.I32 && t != ir.I64 {
		return faults.Errorf("%s is %v, expected i32 or i64", name, t)
	}
	return nil
}

// Index returns an error unless t is i32, i64 or Dynamic.
func Index(name string, t ir.ElementType) error {
	if t == ir.Dynamic {
		return nil
	}
	return KnownIndex(name, t)
}

// IndexAttribute reads an attribute that names an element type, i32 or i64.
func IndexAttribute(a *ir.Attributes, name string, def ir.ElementType) ir.ElementType {
	t := a.ElementType(name, def)
	if t != ir.I32 && t != ir.I64 {
		a.Fail(name, "%v is neither i32 nor i64", t)
	}
	return t
}
