package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// inputFlags are the flags for the input tensors of a model.
type inputFlags struct {
	files   []string
	dir     string
	fill    string
	limit   byteSize // of all filled inputs together; an element counts as one byte at least
	cast    bool
	picture pictureFlags

	sources []string // where set has got each input from
}

// defaultInputBytes is the default limit of the inputs that are filled: their shapes are in the
// file of the model, and a tensor takes time and memory before the model runs. Inputs from files
// have the size of the files, and are only limited by the memory of the machine.
const defaultInputBytes = 64 << 20

func (f *inputFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.files, "in", nil, "read input NAME or INDEX from a file: `NAME=F.npy`, F.npz, F.npz:KEY, F.png or F.jpg; can be repeated.\nOf a model with one input, NAME= can be left out")
	cmd.Flags().StringVar(&f.dir, "in-dir", "", "read each input from `DIR`/NAME.npy, where NAME is one of its names, or DIR/i.npy for input i;\nor from the arrays of these names in DIR.npz")
	f.limit = defaultInputBytes
	cmd.Flags().Var(&f.limit, "max-input", "fill at most `SIZE` bytes of inputs: 1000, 64M, 2G")
	cmd.Flags().StringVar(&f.fill, "fill", "random", "fill the other inputs with `random` numbers, zeros or ramp (0, 1, 2...)")
	cmd.Flags().BoolVar(&f.cast, "cast", false, "convert the numbers in files to the type of the input; one that does not fit is an error")
	f.picture.add(cmd)
}

// set sets the inputs of request.
func (f *inputFlags) set(ctx context.Context, request *plugin.InferRequest, compiled *plugin.CompiledModel) error {
	ports := compiled.Inputs()
	reader := tensorReader{ctx: ctx, kind: "input", cast: f.cast, left: defaultMemory(), pictures: &f.picture}
	paths := make([]string, len(ports))
	for _, flag := range f.files {
		k, path, err := splitInput(compiled, flag)
		if err != nil {
			return err
		}
		paths[k] = path
	}
	var folder *tensorFolder
	if f.dir != "" {
		var err error
		if folder, err = reader.open(f.dir); err != nil {
			return faults.Errorf("--in-dir %w", err)
		}
	}
	toFill := int64(f.limit)
	for i := range ports {
		var tensor *ir.Tensor
		var err error
		source := source(f.fill)
		switch {
		case paths[i] != "":
			tensor, source, err = reader.file(i, &ports[i], paths[i])
		case folder != nil:
			// An input without a file is an error: if it were filled, the results would be those of
			// other inputs than the folder is for.
			tensor, source, err = folder.tensor(&reader, i, &ports[i])
		default:
			if tensor, err = f.generate(&ports[i], toFill); err == nil {
				toFill = max(toFill-memoryOf(tensor), 0)
			}
		}
		if err != nil {
			return err
		}
		f.sources = append(f.sources, source)
		if err := request.SetInput(i, tensor); err != nil {
			return err
		}
	}
	return f.picture.check()
}

// source says in words how an input is filled.
func source(fill string) string {
	switch fill {
	case "random":
		return "filled with random numbers, seed 0"
	case "ramp":
		return "filled with 0, 1, 2..."
	}
	return "filled with zeros"
}

// inputSummary is what is printed of an input: its tensor and where that comes from.
type inputSummary struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Shape  string `json:"shape"`
	Source string `json:"source"`
}

// summaries returns the summaries of the inputs that set has set.
func (f *inputFlags) summaries(s *session) []inputSummary {
	list := []inputSummary{}
	for i, port := range s.compiled.Inputs() {
		t := s.request.Input(i)
		list = append(list, inputSummary{printable.Cut(port.Name, maxName), t.ElementType().String(), t.Shape().String(), f.sources[i]})
	}
	return list
}

// printInputs prints a line for each input.
func (a *app) printInputs(inputs []inputSummary) {
	for i, input := range inputs {
		a.printf("input %d %q: %s%s, %s\n", i, input.Name, input.Type, input.Shape, input.Source)
	}
}

// splitInput splits NAME=F.npy at the first "=" that follows the name or index of an input. The
// name and the path can also contain "=". Without a name, the file is for the only input.
func splitInput(compiled *plugin.CompiledModel, flag string) (port int, path string, err error) {
	if n := len(compiled.Inputs()); n == 1 {
		err = nil
	} else {
		err = faults.Errorf("the model has %d inputs: say which, as in NAME=%s", n, flag)
	}
	for i := range len(flag) {
		if flag[i] != '=' {
			continue
		}
		if port, err = compiled.InputIndex(flag[:i]); err == nil {
			return port, flag[i+1:], nil
		}
		if index, notIndex := strconv.Atoi(flag[:i]); notIndex == nil && index >= 0 && index < len(compiled.Inputs()) {
			return index, flag[i+1:], nil
		}
	}
	if err != nil {
		return 0, "", usagef("--in %s: %w", flag, err)
	}
	return 0, flag, nil
}

// generate returns an input of generated elements. left is the number of bytes that the inputs
// before it have left.
func (f *inputFlags) generate(port *plugin.Port, left int64) (*ir.Tensor, error) {
	name := printable.Quote(port.Name, maxName)
	shape, err := port.Shape.Static()
	if err != nil {
		return nil, usagef("input %s has shape %v: give it one with --shape, or a file with --in", name, port.Shape)
	}
	size, err := ir.ByteSize(port.Type, shape)
	if err == nil && size > 0 {
		size = max(size, shape.Elements()) // it takes time to fill many elements of a bit
	}
	if err == nil && int64(size) > left {
		err = faults.Errorf("%v%v takes %d bytes, --max-input allows %d for all inputs that are filled, of which %d are left", port.Type, shape, size, int64(f.limit), left)
	}
	if err != nil {
		return nil, faults.Errorf("input %s: %w", name, err)
	}
	return filled(port.Type, shape, f.fill)
}

// filled returns a tensor of generated elements. fill is "zeros", "ramp" (0, 1, 2... as far as the
// type can count) or "random". Random elements are the same in every call: from 0 to 1 for floats;
// 0 or 1 for other types, since integers are often indices.
func filled(t ir.ElementType, shape ir.Shape, fill string) (*ir.Tensor, error) {
	if t == ir.Dynamic {
		return nil, errors.New("an input of dynamic element type cannot be filled")
	}
	switch fill {
	case "zeros", "ramp", "random":
	default:
		return nil, usagef("--fill %s is none of random, zeros, ramp", fill)
	}
	tensor, err := ir.NewTensor(t, shape...)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(0, 0))
	var value func(i int) float64
	switch fill {
	case "zeros":
		return tensor, nil
	case "ramp":
		value = func(i int) float64 { return float64(i) }
	case "random":
		value = func(int) float64 { return random.Float64() }
		if !t.IsFloat() {
			value = func(int) float64 { return float64(random.IntN(2)) }
		}
	}
	for i := range tensor.Len() {
		tensor.SetValue(i, value(i))
	}
	return tensor, nil
}
