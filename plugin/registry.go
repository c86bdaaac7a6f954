package plugin

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
)

// Registry maps the type and opset of a layer to its Op. It is immutable and safe for
// concurrent use. It implements infer.Rules.
type Registry struct {
	revisions map[string][]revision // by type as it is written and in lower case, newest first
	ops       []ops.Op
}

// revision is one version of a layer type.
type revision struct {
	op   *ops.Op
	rule *infer.Rule
}

// NewRegistry returns a registry of the given layer types. builtin.Ops() lists all of vinoir's. A
// program is smaller if it lists fewer families, and it can add its own types. It is an error to
// list the same type, version and namespace twice.
func NewRegistry(list ...ops.Op) (*Registry, error) {
	r := &Registry{revisions: make(map[string][]revision), ops: slices.Clone(list)}
	// Unlike slices.SortStableFunc, sort.SliceStable has no instance of its own for each type.
	sort.SliceStable(r.ops, func(i, j int) bool {
		a, b := &r.ops[i], &r.ops[j]
		if a.Type != b.Type {
			return a.Type < b.Type
		}
		return a.Version < b.Version
	})
	for i := range r.ops {
		op := &r.ops[i]
		if op.Type == "" || op.Infer == nil {
			return nil, faults.Errorf("layer type %s: Type and Infer are needed", op)
		}
		if op.Namespace == "" && (op.Version < 1 || op.Version > newestOpset) {
			return nil, faults.Errorf("layer type %s: version %d is no opset from 1 to %d", op, op.Version, newestOpset)
		}
		key := strings.ToLower(op.Type)
		for _, other := range r.revisions[key] {
			if other.op.Version == op.Version && other.op.Namespace == op.Namespace {
				return nil, faults.Errorf("layer type %s is listed twice", op)
			}
		}
		for _, pass := range op.Passes {
			if !slices.Contains(Optimizations(), Optimization(pass.Name)) || pass.Run == nil {
				return nil, faults.Errorf("layer type %s: the pass %q is none of the optimizations", op, pass.Name)
			}
		}
		rule := op.Rule()
		rule.Fold = op.Fold
		r.revisions[key] = append([]revision{{op, rule}}, r.revisions[key]...)
	}
	for i := range r.ops {
		written := r.ops[i].Type
		r.revisions[written] = r.revisions[strings.ToLower(written)]
	}
	return r, nil
}

// Ops returns the registered layer types, sorted by type and version.
func (r *Registry) Ops() []ops.Op { return slices.Clone(r.ops) }

// Op returns the revision of the type of layer that is in the opset of layer: the newest one that
// is not newer than the opset. The error is an *UnsupportedLayerError.
func (r *Registry) Op(layer *ir.Layer) (*ops.Op, error) {
	rev, err := r.find(layer)
	if err != nil {
		return nil, err
	}
	return rev.op, nil
}

// Rule returns the shape rule of layer. The error is an *UnsupportedLayerError. It
// implements infer.Rules.
func (r *Registry) Rule(layer *ir.Layer) (*infer.Rule, error) {
	rev, err := r.find(layer)
	if err != nil {
		return nil, err
	}
	return rev.rule, nil
}

// find returns the revision for Op and Rule.
func (r *Registry) find(layer *ir.Layer) (revision, error) {
	unsupported := func(format string, args ...any) (revision, error) {
		return revision{}, &UnsupportedLayerError{layer.Type, layer.Opset, fmt.Sprintf(format, args...)}
	}
	revisions, ok := r.revisions[layer.Type]
	if !ok {
		revisions = r.revisions[strings.ToLower(layer.Type)]
	}
	opset, numbered, err := opsetOf(layer)
	if err != nil {
		return unsupported("%v", err)
	}
	for _, rev := range revisions {
		if numbered && rev.op.Namespace == "" && rev.op.Version <= opset {
			if isLeftOut(rev.op, opset) {
				return unsupported("opset%d leaves out %s", opset, rev.op)
			}
			return rev, nil
		}
		if !numbered && rev.op.Namespace == layer.Opset && layer.Opset != "" {
			return rev, nil
		}
	}
	if path := ops.Extension(layer.Type, layer.Opset); path != "" && !numbered {
		return unsupported("the type of this version is not registered; it is in the Ops of %s", path)
	}
	if len(revisions) == 0 {
		if family := ops.Family(layer.Type); family != "" && numbered {
			return unsupported("no such type is registered; it is in the Ops of %s", family)
		}
		return unsupported("no such type is registered")
	}
	return unsupported("the oldest revision registered is %s", revisions[len(revisions)-1].op)
}

// newestOpset is the newest opset that a model may name.
const newestOpset = 17

// relabelled lists the layer types that OpenVINO's reader looks up in another opset than the one
// in old files.
var relabelled = []struct {
	from  string
	types []string
	to    int
}{
	{"opset1", []string{"mvn", "roipooling", "reorgyolo"}, 2},
	{"experimental", experimentalTypes, 6},
	{"extension", experimentalTypes, 6},
}

var experimentalTypes = []string{
	"experimentaldetectrondetectionoutput", "experimentaldetectrongenerateproposalssingleimage",
	"experimentaldetectronpriorgridgenerator", "experimentaldetectronroifeatureextractor",
	"experimentaldetectrontopkrois", "grucell", "proposal", "rnncell",
}

// leftOut lists layer types that are missing in later opsets: in opsets from to to.
var leftOut = []struct {
	layerType string
	from, to  int
}{
	{"Reverse", 2, newestOpset},
	{"RNNCell", 2, 2},
	{"ShuffleChannels", 2, 2},
	{"Xor", 2, newestOpset},
}

// isLeftOut reports whether the type of op is missing in an opset.
func isLeftOut(op *ops.Op, opset int) bool {
	for i := range leftOut {
		if l := &leftOut[i]; l.layerType == op.Type && op.Version < l.from && l.from <= opset && opset <= l.to {
			return true
		}
	}
	return false
}

// opsetOf returns the number of the opset to look up layer in. It returns false if the version
// attribute of layer is a namespace without a number.
func opsetOf(layer *ir.Layer) (int, bool, error) {
	for i := range relabelled {
		r := &relabelled[i]
		if r.from != layer.Opset {
			continue
		}
		for _, layerType := range r.types {
			if strings.EqualFold(layerType, layer.Type) {
				return r.to, true, nil
			}
		}
	}
	digits, numbered := strings.CutPrefix(layer.Opset, "opset")
	if !numbered {
		return 0, false, nil
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > newestOpset {
		return 0, false, faults.Errorf("%.100s is not one of opset1 to opset%d", layer.Opset, newestOpset)
	}
	return n, true, nil
}
