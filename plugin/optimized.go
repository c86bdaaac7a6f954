package plugin

import (
	"context"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// Optimize returns the graph that CompileModel makes of model, with the constants that it has
// computed, as a model. model is not changed, and shares its constants: it must not be closed while
// the result is used.
//
// Some passes insert layers of the namespace "vinoir", which no other program knows: the result is
// to be looked at. If CompileOptions.Disable lists PrivateOptimizations, the layers of the result
// are OpenVINO's or those of model, and it can be written, and compiled, as any model. If it lists
// AllBut(FoldConstants), layers of constants are computed, and nothing else changes.
//
// What is decided for given shapes, such as FuseStages, is not in the graph. The options that
// change it are Reshape, ExecutionMode and Disable. The errors are those of CompileModel.
func (c *Core) Optimize(ctx context.Context, model *ir.Model, options CompileOptions) (optimized *ir.Model, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // for constants that are mapped
	defer control.Guard(&err)
	program, _, _, err := c.optimized(ctx, model, &options)
	if err != nil {
		return nil, err
	}
	if err := tidyAll(program); err != nil {
		return nil, err
	}
	shapes, err := infer.Propagate(ctx, program.Model, c.registry, nil)
	if err != nil {
		return nil, err
	}
	edit.Declare(program.Model, shapes)
	return program.Model, ctx.Err()
}

// PrivateOptimizations returns the optimizations that insert layers that only vinoir knows.
func PrivateOptimizations() []Optimization {
	return []Optimization{ComputeInIntegers, KeepCompressed, GrowStates}
}

// AllBut returns all optimizations except some, for CompileOptions.Disable.
func AllBut(some ...Optimization) []Optimization {
	return slices.DeleteFunc(Optimizations(), func(o Optimization) bool { return slices.Contains(some, o) })
}

// tidyAll tidies up after the passes in a graph and the bodies in it.
func tidyAll(p *graph.Program) error {
	tidy(p.Model)
	for _, layer := range p.Model.Order {
		var err error
		if layer.Constant, err = ownConstant(layer.Constant); err != nil {
			return control.AtLayer(layer, err)
		}
		for _, body := range p.Bodies[layer] {
			if err := tidyAll(body); err != nil {
				return err
			}
		}
	}
	return nil
}

// tidy removes the layers that nothing needs after the passes, and gives names to what the passes
// have added: to each layer one of its own, except for those that outputs read, which have the name
// of the layer that they replace; and to these tensors the names of the outputs.
func tidy(model *ir.Model) {
	added := make(map[*ir.Layer]bool)
	for _, layer := range model.Layers {
		added[layer] = layer.Origin != nil
	}
	edit.Prune(model)
	for _, result := range model.Results {
		added[result.Inputs[0].Source] = false
	}
	taken := make(map[string]bool, len(model.Layers))
	for _, layer := range model.Layers {
		taken[layer.Name] = taken[layer.Name] || !added[layer]
	}
	for _, layer := range model.Layers {
		if !added[layer] {
			continue
		}
		name := layer.Name
		for i := 1; taken[layer.Name]; i++ {
			layer.Name = name + "/" + strconv.Itoa(i)
		}
		taken[layer.Name] = true
	}
	nameOutputs(model)
}

// nameOutputs makes the names of the outputs of model those of the tensors that the Results read
// now. The inputs keep their names.
func nameOutputs(model *ir.Model) {
	owners := make(map[string]*ir.Output)
	claim := func(out *ir.Output, names []string) {
		for _, name := range names {
			if owners[name] == nil {
				owners[name] = out
			}
		}
	}
	for _, p := range model.Parameters {
		for i := range p.Outputs {
			claim(&p.Outputs[i], p.Outputs[i].Names)
		}
	}
	for _, result := range model.Results {
		in := &result.Inputs[0]
		out := &in.Source.Outputs[in.SourceIndex]
		claim(out, result.OutputNames)
		for _, name := range result.OutputNames {
			if owners[name] == out && !slices.Contains(out.Names, name) {
				out.Names = append(slices.Clip(out.Names), name)
			}
		}
	}
	for _, layer := range model.Layers {
		for i := range layer.Outputs {
			out := &layer.Outputs[i]
			if slices.ContainsFunc(out.Names, func(name string) bool { return owners[name] != nil && owners[name] != out }) {
				out.Names = slices.DeleteFunc(slices.Clone(out.Names), func(name string) bool { return owners[name] != nil && owners[name] != out })
			}
		}
	}
}

// ownConstant returns t without what belongs to the compilation: a copy that is made when it is
// read, and elements that were computed for it.
func ownConstant(t *ir.Tensor) (*ir.Tensor, error) {
	if t == nil {
		return nil, nil
	}
	switch unaligned := memory.Unaligned(t); {
	case !memory.IsDeferred(t):
		return t, nil
	case unaligned != nil:
		return ir.DeferredTensor(t.ElementType(), t.Shape(), ir.UnalignedBytes(unaligned))
	}
	return ir.TensorOfBytes(t.ElementType(), t.Shape(), t.Bytes())
}
