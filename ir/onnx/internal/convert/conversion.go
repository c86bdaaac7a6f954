package convert

import (
	"context"
	"slices"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
)

// Options configure Model.
type Options struct {
	Table *Table
	// Rules are those of the layers that are made.
	Rules infer.Rules
	// Tensors loads the constants.
	Tensors *tensors.Loader
	// Nodes is the largest number of nodes that are converted, those in functions once for each
	// call.
	Nodes int
	// Lengths has the lengths of inputs that are sequences, by name, and NoValue for those that are
	// optionals without a value.
	Lengths map[string]int
	// Constants has the values of inputs that become Constants, by name.
	Constants map[string]*ir.Tensor
	// Stateful makes variables of the inputs and outputs of the past.
	Stateful bool
	// Depth is the largest number of functions and graphs that are in each other.
	Depth int
	// Observer can be nil.
	Observer *Observer
}

// NewestVersion is the newest version of ONNX's own domain that rules are written for. A model of a
// newer one is read as one of this.
const NewestVersion = 28

// NoValue stands in Options.Lengths for an optional without a value.
const NoValue = -1

// Model converts a model. The error is an *UnsupportedError, joined with others if there are any, a
// *NodeError, or one about an input or an output.
func Model(ctx context.Context, m *proto.Model, options Options) (*ir.Model, error) {
	options.Rules = infer.KeepBodies(options.Rules)
	c := &conversion{
		ctx: ctx, Options: options, missing: make(unsupported),
		origins: make(map[originKey]*etree.Element), captured: make(map[*proto.Graph][]string),
	}
	c.functions = make(map[functionKey]*proto.Function, len(m.Functions))
	for _, f := range m.Functions {
		key := functionKey{operator{domainOf(f.Domain), f.Name}, f.Overload}
		if c.functions[key] != nil {
			return nil, faults.Errorf("function %s is there twice", operatorText(f.Domain, f.Name, 0))
		}
		c.functions[key] = f
	}
	imports, err := c.imports(m.Imports, nil)
	if err != nil {
		return nil, err
	}
	g := newGraph(c, m.Graph, edit.NewBuilder(ctx, options.Rules, m.Graph.Name), imports)
	if err := g.convertModel(m.Graph); err != nil {
		return nil, err
	}
	model, err := g.builder.Model()
	if err != nil {
		return nil, err
	}
	model.Notes = append(model.Notes, c.notes...)
	return model, nil
}

// conversion is the state of converting one model.
type conversion struct {
	Options
	ctx       context.Context
	functions map[functionKey]*proto.Function
	converted int // number of nodes
	missing   unsupported
	// err is the first error about a node. Nodes after it are not converted, only judged.
	err     error
	notes   []ir.Note
	count   ir.NoteCount
	origins map[originKey]*etree.Element // rt_info of nodes without a name
	// captured has the names that a graph reads from graphs around it.
	captured map[*proto.Graph][]string
	states   states
}

type functionKey struct {
	operator
	overload string
}

// domainOf returns the name of a domain: "" for "ai.onnx", which is the same.
func domainOf(domain string) string {
	if domain == "ai.onnx" {
		return ""
	}
	return domain
}

// imports returns the version of each domain in list, and of those in outer that are not in it. Of
// several imports of a domain the last one counts.
func (c *conversion) imports(list []proto.Import, outer map[string]int) (map[string]int, error) {
	versions := make(map[string]int, len(list)+len(outer))
	for domain, v := range outer {
		versions[domain] = v
	}
	for _, i := range list {
		domain := domainOf(i.Domain)
		if i.Version < 1 {
			return nil, faults.Errorf("the model imports version %d of domain %s, expected at least 1", i.Version, printable.Quote(i.Domain, maxNameText))
		}
		if domain == "" && i.Version > NewestVersion {
			c.note("the model imports version %d of ONNX's operators, and is read as one of version %d", i.Version, NewestVersion)
			i.Version = NewestVersion
		}
		versions[domain] = int(min(i.Version, 1<<30))
	}
	return versions, nil
}

// note adds a note about the model.
func (c *conversion) note(format string, args ...any) {
	c.notes = c.count.Append(c.notes, ir.Note{Text: faults.Errorf(format, args...).Error()})
}

// failed returns what ends the conversion: the operators that are not supported, and the first
// error.
func (c *conversion) failed() error {
	if missing := c.missing.err(); missing != nil {
		return faults.Join(slices.DeleteFunc([]error{missing, c.err}, func(err error) bool { return err == nil })...)
	}
	return c.err
}
