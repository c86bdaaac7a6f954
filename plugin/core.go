package plugin

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
)

// Core compiles models with the layer types of one registry. It is immutable and
// safe for concurrent use.
type Core struct {
	registry *Registry
	options  Options
}

// Options are the limits that keep a model that nobody has checked from taking
// what the machine has. They are looked at before memory is allocated, so that a
// model that asks for more is refused with an error. Constants, which the reader
// has limits of its own for, and the caller's tensors do not count.
type Options struct {
	// MaxTensorBytes bounds each tensor that a model computes. 0 means 4 GiB;
	// 512 MiB where addresses have 32 bits.
	MaxTensorBytes int64
	// MaxTotalBytes bounds the memory of one InferRequest, and that of the
	// constants that a CompiledModel computes at compile time. 0 means 16 GiB; 1
	// GiB where addresses have 32 bits.
	MaxTotalBytes int64
	// MaxPlans bounds how many sets of input shapes a CompiledModel, and each
	// InferRequest, keeps ready. 0 means 32.
	MaxPlans int
	// MaxPlanBytes bounds the memory of the plans that a CompiledModel keeps,
	// beyond the one in use. 0 means 256 MiB.
	MaxPlanBytes int64
}

// NewCore returns a Core with the layer types of registry.
func NewCore(registry *Registry, options Options) *Core {
	tensor, total := int64(4<<30), int64(16<<30)
	if strconv.IntSize == 32 || runtime.GOARCH == "wasm" {
		tensor, total = 512<<20, 1<<30
	}
	options.MaxTensorBytes = min(orDefault(options.MaxTensorBytes, tensor), math.MaxInt)
	options.MaxTotalBytes = min(orDefault(options.MaxTotalBytes, total), math.MaxInt)
	options.MaxPlans = orDefault(options.MaxPlans, 32)
	options.MaxPlanBytes = orDefault(options.MaxPlanBytes, 256<<20)
	return &Core{registry, options}
}

func orDefault[T int | int64](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// QueryModel returns the layers of model, those in bodies included, that the
// Core cannot compile; nil where it can compile them all.
func (c *Core) QueryModel(model *ir.Model) *UnsupportedError {
	var found []UnsupportedLayer
	models := []*ir.Model{model}
	for len(models) > 0 {
		m := models[0]
		models = models[1:]
		for _, layer := range m.Order {
			if _, err := c.registry.computed(layer); err != nil {
				found = append(found, UnsupportedLayer{layer.ID, layer.Name, layer.Type, layer.Opset, layer.Line, err})
			}
			for i := range layer.Bodies {
				models = append(models, layer.Bodies[i].Model)
			}
		}
	}
	if found == nil {
		return nil
	}
	return &UnsupportedError{found}
}

// UnsupportedError lists every layer of a model for which the registry has no
// kernel.
type UnsupportedError struct {
	Layers []UnsupportedLayer
}

// UnsupportedLayer is a layer for which the registry has no kernel.
type UnsupportedLayer struct {
	ID                uint64
	Name, Type, Opset string
	Line              int
	Err               error
}

// Error lists the layers, one line each.
func (e *UnsupportedError) Error() string {
	var b strings.Builder
	if len(e.Layers) == 1 {
		b.WriteString("1 layer is not supported:")
	} else {
		fmt.Fprintf(&b, "%d layers are not supported:", len(e.Layers))
	}
	for _, l := range e.Layers {
		layer := ir.Layer{ID: l.ID, Name: l.Name, Type: l.Type, Opset: l.Opset}
		fmt.Fprintf(&b, "\n%v, line %d: %v", &layer, l.Line, l.Err)
	}
	return b.String()
}

// Unwrap returns the registry's error of each layer.
func (e *UnsupportedError) Unwrap() []error {
	errs := make([]error, len(e.Layers))
	for i := range e.Layers {
		errs[i] = e.Layers[i].Err
	}
	return errs
}

// guard makes a panic an error: the last line of defence of public functions.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = bug(r)
	}
}

func bug(r any) error {
	return fmt.Errorf("BUG: panic: %v\n%s", r, debug.Stack())
}
