package ir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/printable"
)

// Parameter returns the Parameter with the given tensor name or, if there is none, layer name. The
// error is a *NameError.
func (m *Model) Parameter(name string) (*Layer, error) {
	for _, p := range m.Parameters {
		for _, out := range p.Outputs {
			if slices.Contains(out.Names, name) {
				return p, nil
			}
		}
	}
	for _, p := range m.Parameters {
		if p.Name == name {
			return p, nil
		}
	}
	e := &NameError{Kind: "input", Name: name}
	for _, p := range m.Parameters {
		names := []string{p.Name}
		if len(p.Outputs) > 0 {
			names = append(names, p.Outputs[0].Names...)
		}
		e.Names = append(e.Names, names)
	}
	return nil, e
}

// NameError reports that the model has nothing of a given name, and lists the names that it
// has.
type NameError struct {
	Kind string // what was looked up: "input", "output", "variable"
	Name string
	// Names lists, for each thing of that kind in order, its names. Error shows the first one, and
	// a few of the others in brackets.
	Names [][]string
}

// maxListedNames is the number of names that a NameError shows.
const maxListedNames = 20

func (e *NameError) Error() string {
	text := fmt.Sprintf("%s %s: the model has no %s of that name", e.Kind, printable.Quote(e.Name, 200), e.Kind)
	if len(e.Names) == 0 {
		return text + ", it has none at all"
	}
	list := make([]string, 0, len(e.Names))
	for i, names := range e.Names {
		if i == maxListedNames {
			list = append(list, "...")
			break
		}
		list = append(list, nameText(names))
	}
	return text + ", it has " + strings.Join(list, ", ")
}

// nameText returns the first of names and, in brackets, a few of the others.
func nameText(names []string) string {
	if len(names) == 0 {
		return "one without a name"
	}
	text := printable.Quote(names[0], maxOtherText)
	var others []string
	for _, other := range names[1:] {
		if other != names[0] && len(others) < maxOtherNames {
			others = append(others, printable.Quote(other, maxOtherText))
		}
	}
	if len(others) > 0 {
		text += " (" + strings.Join(others, ", ") + ")"
	}
	return text
}

// maxOtherNames is the number of further names of one thing that a NameError shows.
const maxOtherNames = 3
