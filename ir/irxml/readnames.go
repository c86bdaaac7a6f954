package irxml

import (
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/ir"
)

// tensorNames makes the tensor names of a graph unique, as OpenVINO does. If several tensors
// have the same name, the first one keeps it; outputs of Parameters come first, then the
// tensors that Results read, then the others in order. In the remaining ones, "_1", "_2", ...
// is appended to the name.
type tensorNames struct {
	owners map[string]*ir.Output
	// lastSuffix is the last number that was appended to a name.
	lastSuffix map[string]int
	// sets has the names of outputs with many names.
	sets map[*ir.Output]map[string]bool
	// claimed has the outputs with many names that claim has registered: many Results can read one.
	claimed map[*ir.Output]bool
	// renamed maps the old names of an output to the new ones.
	renamed map[*ir.Output]map[string]string
}

// nameTensors makes tensor names unique, and sets the output names of every Result: its
// output_names or, if there are none, the names of the tensor that it reads.
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

// resultSource returns the output that a Result reads; nil if there is none.
func resultSource(result *ir.Layer) *ir.Output {
	if len(result.Inputs) == 0 {
		return nil
	}
	in := result.Inputs[0]
	return &in.Source.Outputs[in.SourceIndex]
}

// add adds names to the names of out, except those that it has.
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

// added updates the set of has after name was added to out.
func (n *tensorNames) added(out *ir.Output, name string) {
	if set := n.sets[out]; set != nil {
		set[name] = true
	}
}

// claimAll calls claim for all outputs of layer.
func (n *tensorNames) claimAll(layer *ir.Layer) {
	for i := range layer.Outputs {
		n.claim(&layer.Outputs[i])
	}
}

// claim registers out as the owner of its names, and renames those that have another owner.
func (n *tensorNames) claim(out *ir.Output) {
	if len(out.Names) > manyPorts {
		if n.claimed[out] {
			return
		}
		if n.claimed == nil {
			n.claimed = make(map[*ir.Output]bool)
		}
		n.claimed[out] = true
	}
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

// rename returns a new name for a name of out that has another owner.
func (n *tensorNames) rename(out *ir.Output, name string) string {
	if n.lastSuffix == nil {
		n.lastSuffix = make(map[string]int)
		n.renamed = make(map[*ir.Output]map[string]string)
	}
	for {
		n.lastSuffix[name]++
		fresh := name + "_" + strconv.Itoa(n.lastSuffix[name])
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
