package edit

import "github.com/vinoir/vinoir/ir"

// Attributes returns the attributes with the given names and values, which alternate. It is not
// inlined: its callers would be 4.1 KiB larger.
//
//go:noinline
func Attributes(namesAndValues ...string) []ir.Attribute {
	list := make([]ir.Attribute, len(namesAndValues)/2)
	for i := range list {
		list[i] = ir.Attribute{Name: namesAndValues[2*i], Value: namesAndValues[2*i+1]}
	}
	return list
}
