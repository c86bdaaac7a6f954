package irxml

import (
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/ir"
)

// tensorNames makes the tensor names of a graph unique, as OpenVINO does: of
// tensors with the same name, those of Parameters keep it first, then those of
// Results, then the others in order; the rest get "_1", "_2", ... behind it.
type tensorNames struct {
	owners map[string]*ir.Output
	next   map[string]int // the last number that was tried behind a name
	// sets hold the names of the outputs that have many.
	sets map[*ir.Output]map[string]bool
	// renamed are the names of an output that were changed.
	renamed map[*ir.Output]map[string]string
}

// nameTensors makes tensor names unique and gives every Result the names of its
// output: its output_names, or else those of the tensor that it reads.
func (g *graph) nameTensors() {
	m := g.model
	n := tensorNames{owners: make(map[string]*ir.Output, len(m.Order))}
	for _, result := range m.Results {
		if source := resultSource(result); source != nil {
			n.add(source, result.OutputNames)
		}
	}
	for _, p := range m.Parameters {
		n.claimAll(p)
	}
	for _, result := range m.Results {
		if source := resultSource(result); source != nil {
			n.claim(source)
		}
	}
	for _, layer := range m.Order {
		n.claimAll(layer)
	}
	for _, result := range m.Results {
		source := resultSource(result)
		switch {
		case source == nil:
		case result.OutputNames == nil:
			result.OutputNames = source.Names
		default:
			for i, name := range result.OutputNames {
				if changed, ok := n.renamed[source][name]; ok {
					result.OutputNames[i] = changed
				}
			}
		}
	}
}

// resultSource returns the output that a Result reads.
func resultSource(result *ir.Layer) *ir.Output {
	if len(result.Inputs) == 0 {
		return nil
	}
	in := result.Inputs[0]
	return &in.Source.Outputs[in.SourceIndex]
}

// add gives out those of names that it lacks.
func (n *tensorNames) add(out *ir.Output, names []string) {
	for _, name := range names {
		if !n.has(out, name) {
			out.Names = append(out.Names, name)
			n.added(out, name)
		}
	}
}

// has reports whether name is a name of out.
func (n *tensorNames) has(out *ir.Output, name string) bool {
	if len(out.Names) < manyPorts {
		return slices.Contains(out.Names, name)
	}
	set := n.sets[out]
	if set == nil {
		set = make(map[string]bool, len(out.Names))
		for _, own := range out.Names {
			set[own] = true
		}
		if n.sets == nil {
			n.sets = make(map[*ir.Output]map[string]bool)
		}
		n.sets[out] = set
	}
	return set[name]
}

// added tells has of a name that out has got.
func (n *tensorNames) added(out *ir.Output, name string) {
	if set := n.sets[out]; set != nil {
		set[name] = true
	}
}

func (n *tensorNames) claimAll(layer *ir.Layer) {
	for i := range layer.Outputs {
		n.claim(&layer.Outputs[i])
	}
}

// claim makes out the owner of its names, and renames those that have another.
func (n *tensorNames) claim(out *ir.Output) {
	for i, name := range out.Names {
		owner, taken := n.owners[name]
		switch {
		case !taken:
			n.owners[name] = out
		case owner != out:
			out.Names[i] = n.rename(out, name)
		}
	}
}

func (n *tensorNames) rename(out *ir.Output, name string) string {
	if n.next == nil {
		n.next = make(map[string]int)
		n.renamed = make(map[*ir.Output]map[string]string)
	}
	for {
		n.next[name]++
		fresh := name + "_" + strconv.Itoa(n.next[name])
		if _, taken := n.owners[fresh]; taken || n.has(out, fresh) {
			continue
		}
		n.owners[fresh] = out
		n.added(out, fresh)
		if n.renamed[out] == nil {
			n.renamed[out] = make(map[string]string)
		}
		n.renamed[out][name] = fresh
		return fresh
	}
}
