package onnx_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/onnxextension"
	"github.com/vinoir/vinoir/plugin"
)

// attributeNames returns, for each operator of ONNX, its attributes and their types as
// "group:i", of all versions.
func attributeNames(t testing.TB) map[string][]string {
	data, err := os.ReadFile("internal/check/schemas.txt")
	require.NoError(t, err)
	all := make(map[string][]string)
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			all[fields[0]] = append(all[fields[0]], fields[4:]...)
		}
	}
	return all
}

// randomNodes makes models of one random node.
type randomNodes struct {
	*rand.Rand
	attributes map[string][]string
	all        []string // attributes of all operators
}

// model returns a model of a node of a rule, with inputs that are often right.
func (r *randomNodes) model(rule *convert.Rule) *proto.Model {
	g := &proto.Graph{Name: "g"}
	most := rule.Inputs.Max
	if most < 0 {
		most = rule.Inputs.Min + 3
	}
	var inputs []string
	shape := r.shape()
	for i := range rule.Inputs.Min + r.IntN(most-rule.Inputs.Min+1) {
		if i >= rule.Inputs.Min && r.IntN(4) == 0 {
			inputs = append(inputs, "-")
			continue
		}
		name := "x" + strconv.Itoa(i)
		inputs = append(inputs, name)
		if i > 0 && r.IntN(3) == 0 {
			shape = r.shape()
		}
		r.input(g, name, shape)
	}
	outputs := "y0"
	for i := 1; i < max(rule.Outputs.Min, min(rule.Outputs.Max, 1+r.IntN(4))); i++ {
		outputs += " y" + strconv.Itoa(i)
	}
	key := rule.Operator
	if rule.Domain != "" {
		key = rule.Domain + ":" + key
	}
	var attributes []*proto.Attribute
	used := make(map[string]bool)
	texts := r.attributes[key]
	if texts == nil { // of com.microsoft: names that other operators have
		for range 6 {
			texts = append(texts, r.all[r.IntN(len(r.all))])
		}
	}
	for _, text := range texts {
		name, kind, _ := strings.Cut(text, ":")
		if used[name] || r.IntN(3) == 0 {
			continue
		}
		used[name] = true
		if a := r.attribute(name, kind[0], shape); a != nil {
			attributes = append(attributes, a)
		}
	}
	node := onnxtest.Node(rule.Operator, strings.Join(inputs, " "), outputs, attributes...)
	for i, name := range node.Inputs {
		if name == "-" {
			node.Inputs[i] = ""
		}
	}
	node.Domain = rule.Domain
	g.Nodes = []*proto.Node{node}
	for _, name := range node.Outputs {
		g.Outputs = append(g.Outputs, &proto.ValueInfo{Name: name})
	}
	m := onnxtest.Model(21, g)
	version := int64(rule.Versions[r.IntN(len(rule.Versions))])
	if rule.Domain == "" {
		m.Imports = []proto.Import{{Version: version}}
	} else {
		m.Imports = append(m.Imports, proto.Import{Domain: rule.Domain, Version: version})
	}
	return m
}

// shape returns up to five lengths.
func (r *randomNodes) shape() []int {
	shape := make([]int, r.IntN(6))
	for i := range shape {
		shape[i] = r.IntN(5)
	}
	return shape
}

var randomTypes = []ir.ElementType{ir.F32, ir.F32, ir.F32, ir.I64, ir.I64, ir.I32, ir.U8, ir.I8, ir.Boolean, ir.F16, ir.F64, ir.String}

// input adds an input or an initializer, of known or unknown lengths.
func (r *randomNodes) input(g *proto.Graph, name string, shape []int) {
	t := randomTypes[r.IntN(len(randomTypes))]
	n := 1
	for _, length := range shape {
		n *= length
	}
	if r.IntN(2) == 0 && t == ir.I64 { // axes, lengths and the like
		tensor := &proto.Tensor{Name: name, DataType: proto.Int64}
		for _, length := range shape {
			tensor.Dims = append(tensor.Dims, int64(length))
		}
		for range n {
			tensor.Int64s = append(tensor.Int64s, r.number())
		}
		g.Initializers = append(g.Initializers, tensor)
		return
	}
	lengths := make([]any, len(shape))
	for i, length := range shape {
		if lengths[i] = length; r.IntN(4) == 0 {
			lengths[i] = "n" + strconv.Itoa(i)
		}
	}
	v := onnxtest.Value(name, t, lengths...)
	if r.IntN(8) == 0 {
		v.Type.Shape = nil
	}
	g.Inputs = append(g.Inputs, v)
}

// number returns a number, which is mostly small.
func (r *randomNodes) number() int64 {
	switch r.IntN(12) {
	case 0:
		return r.Int64()
	case 1:
		return -r.Int64()
	}
	return int64(r.IntN(9) - 3)
}

// attribute returns an attribute of a kind in schemas.txt; nil if it is one of graphs or types.
func (r *randomNodes) attribute(name string, kind byte, shape []int) *proto.Attribute {
	words := []string{"", "linear", "NOTSET", "SAME_UPPER", "reverse", "bidirectional", "constant", "mul", "ij,jk->ik", "RELU", "a"}
	count := len(shape) + r.IntN(3) - 1
	switch kind {
	case 'f':
		return onnxtest.Attribute(name, r.NormFloat64())
	case 'i':
		return onnxtest.Attribute(name, int(r.number()))
	case 's':
		return onnxtest.Attribute(name, words[r.IntN(len(words))])
	case 'F':
		list := make([]float64, max(count, 0))
		for i := range list {
			list[i] = r.NormFloat64()
		}
		return onnxtest.Attribute(name, list)
	case 'I':
		list := make([]int, max(count, 0))
		for i := range list {
			list[i] = int(r.number())
		}
		return onnxtest.Attribute(name, list)
	case 'S':
		list := make([]string, max(count, 0))
		for i := range list {
			list[i] = words[r.IntN(len(words))]
		}
		return onnxtest.Attribute(name, list)
	}
	return nil
}

// FuzzRules reads and compiles models of one random node of each rule: no data is a fault of the
// rules, and nothing takes more memory than the limits allow.
func FuzzRules(f *testing.F) {
	var rules []convert.Rule
	for _, rule := range operators.Rules() {
		if rule.Refusal == "" {
			rules = append(rules, rule)
		}
	}
	registry, err := plugin.NewRegistry(append(builtin.Ops(), onnxextension.Ops()...)...)
	require.NoError(f, err)
	core := plugin.NewCore(registry, plugin.Options{MaxTensorBytes: 1 << 20, MaxTotalBytes: 1 << 22})
	opts := onnx.Options{Rules: registry, Limits: onnx.Limits{FileBytes: 1 << 16, TensorBytes: 1 << 20, CopiedBytes: 1 << 20, Messages: 1 << 12, Nodes: 1 << 10}}
	names := attributeNames(f)
	all := slices.Concat(slices.Collect(maps.Values(names))...)
	slices.Sort(all)
	for i := range rules {
		f.Add(i, uint64(i))
	}
	f.Fuzz(func(t *testing.T, rule int, seed uint64) {
		r := randomNodes{rand.New(rand.NewPCG(seed, uint64(rule))), names, all}
		rule = int(uint(rule) % uint(len(rules)))
		m, err := onnx.Read(t.Context(), onnxtest.Encode(r.model(&rules[rule])), opts)
		if err != nil {
			assert.NotContains(t, err.Error(), "BUG: ")
			return
		}
		compiled, err := core.CompileModel(t.Context(), m, plugin.CompileOptions{})
		if err != nil {
			assert.NotContains(t, err.Error(), "BUG: ")
			return
		}
		compiled.Close()
	})
}
