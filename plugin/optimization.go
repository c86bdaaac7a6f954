package plugin

import (
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/passes"
)

// Optimization names something that compiling does to make a model faster. None of them changes
// what a model computes, except for the rounding of floating-point numbers and, with ComputeInF32,
// the results that are too large for f16.
type Optimization string

// The optimizations, in the order in which they run.
const (
	// ComputeInF32 computes in f32 what the model has in f16 or bf16, and converts at the
	// borders: what is moved only, and inputs and outputs, stay in their types.
	ComputeInF32 Optimization = "ComputeInF32"
	// ConvertAfterGather gathers from weights before they are converted, not after.
	ConvertAfterGather Optimization = "ConvertAfterGather"
	// MergeQuantization makes one FakeQuantize of layers that quantize and dequantize again.
	MergeQuantization Optimization = "MergeQuantization"
	// ComputeInIntegers multiplies and convolves quantized data by weights of 8 bits in integers,
	// and multiplies quantized data by each other, if the processor has instructions for that.
	ComputeInIntegers Optimization = "ComputeInIntegers"
	// MultiplyInF32 computes products of integers of 8 bits in f32 that are converted to it anyway.
	MultiplyInF32 Optimization = "MultiplyInF32"
	// KeepCompressed multiplies by weights of up to 16 bits as they are stored, and gathers from
	// those of up to 8 bits.
	KeepCompressed Optimization = "KeepCompressed"
	// FoldConstants computes layers of constants once, when the model is compiled.
	FoldConstants Optimization = "FoldConstants"
	// RemoveNoOps removes layers that return their input.
	RemoveNoOps Optimization = "RemoveNoOps"
	// MergeEqual keeps one of several layers that compute the same.
	MergeEqual Optimization = "MergeEqual"
	// MergeTransposes combines transpositions with each other and with matrix products.
	MergeTransposes Optimization = "MergeTransposes"
	// RecogniseMVN replaces spelled-out normalizations by the mean and the variance, such as
	// LayerNorm.
	RecogniseMVN Optimization = "RecogniseMVN"
	// RecogniseNormalizeL2 replaces spelled-out normalizations by the squares, such as RMSNorm.
	RecogniseNormalizeL2 Optimization = "RecogniseNormalizeL2"
	// RecogniseActivations replaces spelled-out activation functions.
	RecogniseActivations Optimization = "RecogniseActivations"
	// RecogniseAttention replaces spelled-out attention.
	RecogniseAttention Optimization = "RecogniseAttention"
	// GrowStates appends to the states that attention reads where they are, without copies.
	GrowStates Optimization = "GrowStates"
	// MergeAffine moves scales and shifts of channels into the weights beside them.
	MergeAffine Optimization = "MergeAffine"
	// NestConcats lets concatenations of the same tensors share memory.
	NestConcats Optimization = "NestConcats"
	// FuseStages computes elementwise layers in the kernel of the layer before them.
	FuseStages Optimization = "FuseStages"
)

// optimization is the pass that an Optimization stands for.
type optimization struct {
	name Optimization
	// run is nil if layer types list the pass: it is linked with the family whose layers it makes.
	run func(*ops.Graph) bool
}

// allPasses returns the passes in the order in which they run.
func allPasses() []optimization {
	return []optimization{
		{ComputeInF32, passes.ComputeInF32},
		{ConvertAfterGather, passes.ConvertAfterGather},
		{MergeQuantization, nil},
		{ComputeInIntegers, nil},
		{MultiplyInF32, nil},
		{KeepCompressed, nil},
		{FoldConstants, passes.FoldConstants},
		{RemoveNoOps, passes.RemoveNoOps},
		{MergeEqual, passes.MergeEqual},
		{MergeTransposes, passes.MergeTransposes},
		{RecogniseMVN, passes.RecogniseMVN},
		{RecogniseNormalizeL2, passes.RecogniseNormalizeL2},
		{RecogniseActivations, passes.RecogniseActivations},
		{RecogniseAttention, nil},
		{GrowStates, nil},
		{MergeAffine, nil},
		{NestConcats, passes.NestConcats},
	}
}

// passes returns the passes for models of the layer types of r, with the name that disables each.
func (r *Registry) passes() []graph.Pass {
	var list []graph.Pass
	for _, o := range allPasses() {
		if o.run == nil {
			o.run = r.pass(o.name)
		}
		if o.run != nil {
			list = append(list, graph.Pass{Pass: ops.Pass{Name: string(o.name), Run: o.run}, Folds: o.name == FoldConstants})
		}
	}
	return list
}

// pass returns the pass of a name that a layer type of r lists; nil if none does.
func (r *Registry) pass(name Optimization) func(*ops.Graph) bool {
	for i := range r.ops {
		for _, p := range r.ops[i].Passes {
			if p.Name == string(name) {
				return p.Run
			}
		}
	}
	return nil
}

// Optimizations returns all optimizations, in the order in which they run.
func Optimizations() []Optimization {
	var list []Optimization
	for _, pass := range allPasses() {
		list = append(list, pass.name)
	}
	return append(list, FuseStages)
}

// checkOptimizations returns an error, which lists all optimizations, if list has an unknown one.
func checkOptimizations(list []Optimization) error {
	known := Optimizations()
	for _, o := range list {
		if !slices.Contains(known, o) {
			names := make([]string, len(known))
			for i := range known {
				names[i] = string(known[i])
			}
			return faults.Errorf("%q is not an optimization; there are %s", string(o), strings.Join(names, ", "))
		}
	}
	return nil
}
