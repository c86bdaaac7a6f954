package generate

import (
	"os"
	"sort"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// alphasInput is the name of the input for the weights of adapters.
const alphasInput = "vinoir_adapter_alphas"

// Adapter is a LoRA adapter: matrices A and B for products of a model with weights W, which become
// products with W + alpha*B*A. See Options.Adapters.
type Adapter struct {
	targets []adapterTarget // sorted by name
}

// adapterTarget are the matrices for one layer.
type adapterTarget struct {
	name  string
	a, b  *ir.Tensor // f32[rank,inputs] and f32[outputs,rank]
	scale float32    // part of alpha
}

// OpenAdapter reads an adapter from a safetensors file, such as PEFT's adapter_model.safetensors.
func OpenAdapter(path string) (*Adapter, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a, err := ReadAdapter(data)
	if err != nil {
		return nil, faults.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// ReadAdapter reads an adapter from the content of a safetensors file. The names of its tensors are
// those of layers, with or without "base_model.model." in front, and the endings .lora_A.weight and
// .lora_B.weight, or .lora_down.weight and .lora_up.weight. With a number .alpha, the product is
// multiplied by that number divided by the rank.
func ReadAdapter(data []byte) (*Adapter, error) {
	tensors, err := readSafetensors(data)
	if err != nil {
		return nil, err
	}
	targets := make(map[string]*adapterTarget)
	alphas := make(map[string]float32)
	for name, t := range tensors {
		layer, part := adapterPart(name)
		if part == "" {
			return nil, faults.Errorf("tensor %q is neither lora_A, lora_B nor alpha of a layer", name)
		}
		if part == "alpha" {
			if t.Len() != 1 {
				return nil, faults.Errorf("tensor %q has %d elements, not one", name, t.Len())
			}
			alphas[layer] = ir.Data[float32](t)[0]
			continue
		}
		if len(t.Shape()) != 2 {
			return nil, faults.Errorf("tensor %q has the shape %v, which is no matrix", name, t.Shape())
		}
		target := targets[layer]
		if target == nil {
			target = &adapterTarget{name: layer, scale: 1}
			targets[layer] = target
		}
		if part == "A" {
			target.a = t
		} else {
			target.b = t
		}
	}
	adapter := &Adapter{}
	for _, target := range targets {
		if target.a == nil || target.b == nil {
			return nil, faults.Errorf("layer %q has only one of lora_A and lora_B", target.name)
		}
		rank := target.a.Shape()[0]
		if rank == 0 || target.b.Shape()[1] != rank {
			return nil, faults.Errorf("layer %q has lora_A%v and lora_B%v, whose ranks differ or are 0", target.name, target.a.Shape(), target.b.Shape())
		}
		if alpha, ok := alphas[target.name]; ok {
			target.scale = alpha / float32(rank)
		}
		adapter.targets = append(adapter.targets, *target)
	}
	if len(adapter.targets) == 0 {
		return nil, faults.Errorf("it has no tensors lora_A and lora_B")
	}
	sorted := adapter.targets
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].name < sorted[j].name })
	return adapter, nil
}

// adapterPart returns the layer that a tensor is for, and which of A, B and alpha it is; "" if it
// is none.
func adapterPart(name string) (layer, part string) {
	name = strings.TrimPrefix(name, "base_model.model.")
	if layer, ok := strings.CutSuffix(name, ".alpha"); ok {
		return layer, "alpha"
	}
	for _, end := range []struct{ text, part string }{{"lora_A.weight", "A"}, {"lora_down.weight", "A"}, {"lora_B.weight", "B"}, {"lora_up.weight", "B"}} {
		if layer, ok := strings.CutSuffix(name, end.text); ok && len(layer) > 1 && strings.ContainsAny(layer[len(layer)-1:], "._") {
			return layer[:len(layer)-1], end.part
		}
	}
	return "", ""
}

// isLayer reports whether name, that of a layer of an IR, is that of the layer of an adapter, or of
// a part of it: "__module.model.layers.0.mlp.up_proj/aten::linear/MatMul" is one of
// "model.layers.0.mlp.up_proj".
func isLayer(name, layer string) bool {
	for _, layer := range []string{layer, strings.ReplaceAll(layer, ".", "_")} {
		for rest, at := name, 0; ; {
			i := strings.Index(rest[at:], layer)
			if i < 0 {
				break
			}
			begin, end := at+i, at+i+len(layer)
			if (begin == 0 || strings.ContainsAny(rest[begin-1:begin], "._/")) && (end == len(rest) || strings.ContainsAny(rest[end:end+1], "._/")) {
				return true
			}
			at = begin + 1
		}
	}
	return false
}

// checkAlphas returns an error unless there is none or one for each adapter of m.
func (m *Model) checkAlphas(alphas []float64) error {
	if alphas != nil && len(alphas) != m.adapters {
		return faults.Errorf("AdapterAlphas has %d factors, and the Model %d adapters", len(alphas), m.adapters)
	}
	return nil
}

// alphasOf returns the factor of each adapter of m for Config.AdapterAlphas.
func (m *Model) alphasOf(alphas []float64) []float32 {
	all := make([]float32, m.adapters)
	for i := range all {
		if all[i] = 1; alphas != nil {
			all[i] = float32(alphas[i])
		}
	}
	return all
}

// addAdapters adds the products of adapters to those of the model, and an input for the alpha of
// each: f32[n], or f32[1,rows,n] if each row has its own. head is the layer whose rows rewrite has
// picked, if there is one. It is an error if a layer is not in the model.
func addAdapters(b *edit.Builder, adapters []*Adapter, each bool, head *ir.Layer, rows edit.Source) error {
	shape, axis := ir.StaticShape(len(adapters)), int64(0)
	if each {
		shape, axis = ir.ShapeOf(ir.Dim(1), ir.AnyDim, ir.Dim(int64(len(adapters)))), 2
	}
	alphas := b.Parameter(alphasInput, ir.F32, shape)
	ofHead := alphas
	if each && head != nil {
		ofHead = gather(b, alphas, rows, 1)
	}
	for i, adapter := range adapters {
		for _, target := range adapter.targets {
			found := false
			for _, layer := range b.Layers() {
				if layer.Type == "MatMul" && isLayer(layer.Name, target.name) {
					of := alphas
					if layer == head {
						of = ofHead
					}
					addProduct(b, layer, gather(b, of, b.ConstantOf([]int64{int64(i)}, 1), axis), &target)
					found = true
				}
			}
			if !found {
				return faults.Errorf("adapter %d: no MatMul of the model is layer %q", i, target.name)
			}
			if err := b.Err(); err != nil {
				return faults.Errorf("adapter %d, layer %q, lora_A%v and lora_B%v: %w", i, target.name, target.a.Shape(), target.b.Shape(), err)
			}
		}
	}
	return b.Err()
}

// gather returns the elements of s with the given indices along an axis.
func gather(b *edit.Builder, s, indices edit.Source, axis int64) edit.Source {
	return b.Layer("Gather", 8, edit.Attributes("batch_dims", "0"), s, indices, b.ConstantOf([]int64{axis}, 1))
}

// addProduct adds alpha*B*A*x to the product of layer with x. alpha is f32[1], or f32[1,rows,1].
func addProduct(b *edit.Builder, layer *ir.Layer, alpha edit.Source, target *adapterTarget) {
	product := func(x edit.Source, m *ir.Tensor) edit.Source {
		return b.Layer("MatMul", 1, edit.Attributes("transpose_a", "false", "transpose_b", "true"), x, b.Constant(m))
	}
	x := edit.SourceOf(layer.Inputs[0])
	scaled := b.Layer("Multiply", 1, edit.Attributes("auto_broadcast", "numpy"), alpha, b.ConstantOf([]float32{target.scale}, 1))
	low := b.Layer("Multiply", 1, edit.Attributes("auto_broadcast", "numpy"), product(x, target.a), scaled)
	added := product(low, target.b)
	b.InsertAfter(edit.First(layer), func(s edit.Source) edit.Source {
		return b.Layer("Add", 1, edit.Attributes("auto_broadcast", "numpy"), s, added)
	})
}
