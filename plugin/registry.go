package plugin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
)

// newestOpset is the newest opset that a model may name.
const newestOpset = 17

// Registry maps a layer's type and opset to its Op. It is immutable, and
// implements ir.Rules.
type Registry struct {
	revisions map[string][]revision // by type in lower case, newest first
	ops       []ops.Op
}

type revision struct {
	op   *ops.Op
	rule *infer.Rule
}

// NewRegistry returns the registry of the given layer types: builtin.Ops(), those
// of fewer families for a smaller binary, or with a program's own types added.
func NewRegistry(list ...ops.Op) (*Registry, error) {
	r := &Registry{revisions: make(map[string][]revision), ops: slices.Clone(list)}
	slices.SortStableFunc(r.ops, func(a, b ops.Op) int {
		if c := strings.Compare(a.Type, b.Type); c != 0 {
			return c
		}
		return a.Version - b.Version
	})
	for i := range r.ops {
		op := &r.ops[i]
		if op.Type == "" || op.Infer == nil {
			return nil, fmt.Errorf("layer type %s: Type and Infer are needed", op)
		}
		if op.Namespace == "" && (op.Version < 1 || op.Version > newestOpset) {
			return nil, fmt.Errorf("layer type %s: version %d is no opset from 1 to %d", op, op.Version, newestOpset)
		}
		key := strings.ToLower(op.Type)
		for _, other := range r.revisions[key] {
			if other.op.Version == op.Version && other.op.Namespace == op.Namespace {
				return nil, fmt.Errorf("layer type %s is listed twice", op)
			}
		}
		rule := op.Rule()
		rule.Fold = op.Fold
		r.revisions[key] = slices.Insert(r.revisions[key], 0, revision{op, rule})
	}
	return r, nil
}

// Ops returns the registered layer types, sorted by type and version.
func (r *Registry) Ops() []ops.Op { return slices.Clone(r.ops) }

// Op returns the revision of layer's type that layer's opset holds: the newest
// that is not newer than the opset. The error is an *UnsupportedLayerError.
func (r *Registry) Op(layer *ir.Layer) (*ops.Op, error) {
	rev, err := r.find(layer)
	if err != nil {
		return nil, err
	}
	return rev.op, nil
}

// computed returns what Op does of a layer that has a kernel.
func (r *Registry) computed(layer *ir.Layer) (*ops.Op, error) {
	op, err := r.Op(layer)
	if err == nil && op.Prepare == nil {
		return nil, &UnsupportedLayerError{layer.Type, layer.Opset, op.String() + " has a shape rule and no kernel"}
	}
	return op, err
}

// Rule returns the shape rule of layer; it implements ir.Rules.
func (r *Registry) Rule(layer *ir.Layer) (*infer.Rule, error) {
	rev, err := r.find(layer)
	if err != nil {
		return nil, err
	}
	return rev.rule, nil
}

// UnsupportedLayerError says that a registry has no Op for a layer, or none with a
// kernel.
type UnsupportedLayerError struct {
	Type, Opset string
	// Reason says what is missing: the type, its revision or opset, or the kernel.
	Reason string
}

func (e *UnsupportedLayerError) Error() string {
	return fmt.Sprintf("layer type %s of %s is not supported: %s", e.Type, e.Opset, e.Reason)
}

// Unsupported reports true; it implements ir.Unsupported.
func (e *UnsupportedLayerError) Unsupported() bool { return true }

func (r *Registry) find(layer *ir.Layer) (revision, error) {
	unsupported := func(format string, args ...any) (revision, error) {
		return revision{}, &UnsupportedLayerError{layer.Type, layer.Opset, fmt.Sprintf(format, args...)}
	}
	revisions := r.revisions[strings.ToLower(layer.Type)]
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
	if len(revisions) == 0 {
		return unsupported("no such type is registered")
	}
	return unsupported("the oldest revision registered is %s", revisions[len(revisions)-1].op)
}

// relabelled lists the layer types that OpenVINO's reader takes from another
// opset than the one that old files name.
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

// leftOut lists the layer types that later opsets do not hold, the first and the last
// of them.
var leftOut = []struct {
	layerType string
	from, to  int
}{
	{"Reverse", 2, newestOpset},
	{"RNNCell", 2, 2},
	{"ShuffleChannels", 2, 2},
	{"Xor", 2, newestOpset},
}

// isLeftOut reports whether op is of a type that an opset leaves out.
func isLeftOut(op *ops.Op, opset int) bool {
	for i := range leftOut {
		if l := &leftOut[i]; l.layerType == op.Type && op.Version < l.from && l.from <= opset && opset <= l.to {
			return true
		}
	}
	return false
}

// opsetOf returns the number of the opset that layer's type is looked up in, and
// false where its version is a namespace without number.
func opsetOf(layer *ir.Layer) (int, bool, error) {
	for i := range relabelled {
		if r := &relabelled[i]; r.from == layer.Opset && slices.Contains(r.types, strings.ToLower(layer.Type)) {
			return r.to, true, nil
		}
	}
	digits, numbered := strings.CutPrefix(layer.Opset, "opset")
	if !numbered {
		return 0, false, nil
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > newestOpset {
		return 0, false, fmt.Errorf("%s is none of opset1 to opset%d", layer.Opset, newestOpset)
	}
	return n, true, nil
}
