package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/spf13/cobra"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/plugin"
)

// inputFlags are the flags for the input tensors of a model.
type inputFlags struct {
	files []string
	dir   string
	fill  string
	limit byteSize // of all filled inputs together; an element counts as one byte at least

	sources []string // where set has got each input from
}

// defaultInputBytes is the default limit of the inputs that are filled: their shapes are in the file of
// the model, and a tensor takes time and memory before the model runs. Inputs from files have the size
// of the files, and are only limited by the memory of the machine.
const defaultInputBytes = 64 << 20

func (f *inputFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.files, "in", nil, "read input NAME or INDEX from a file: `NAME=F.npy`; can be repeated")
	cmd.Flags().StringVar(&f.dir, "in-dir", "", "read each input from `DIR`/NAME.npy, where NAME is one of its names, or DIR/i.npy for input i")
	f.limit = defaultInputBytes
	cmd.Flags().Var(&f.limit, "max-input", "fill at most `SIZE` bytes of inputs: 1000, 64M, 2G")
	cmd.Flags().StringVar(&f.fill, "fill", "random", "fill the other inputs with `random` numbers, zeros or ramp (0, 1, 2...)")
}

// set sets the inputs of request.
func (f *inputFlags) set(request *plugin.InferRequest, compiled *plugin.CompiledModel) error {
	ports := compiled.Inputs()
	paths := make([]string, len(ports))
	for _, flag := range f.files {
		k, path, err := splitInput(compiled, flag)
		if err != nil {
			return err
		}
		paths[k] = path
	}
	if f.dir != "" {
		if info, err := os.Stat(f.dir); err != nil || !info.IsDir() {
			return fmt.Errorf("--in-dir %s is not a folder", f.dir)
		}
		for i := range ports {
			if paths[i] == "" {
				var err error
				if paths[i], err = f.find(i, &ports[i]); err != nil {
					return err
				}
			}
		}
	}
	toFill, toRead := int64(f.limit), defaultMemory()
	for i := range ports {
		left := &toFill
		if paths[i] != "" {
			left = &toRead
		}
		tensor, err := f.tensor(&ports[i], paths[i], *left)
		if err != nil {
			return err
		}
		f.sources = append(f.sources, source(paths[i], f.fill))
		*left = max(*left-memoryOf(tensor), 0)
		if err := request.SetInput(i, tensor); err != nil {
			return err
		}
	}
	return nil
}

// find returns the file of input i in the folder. An input without one is an error: if it were filled, the
// results would be those of other inputs than the folder is for.
func (f *inputFlags) find(i int, port *plugin.Port) (string, error) {
	var looked []string
	for _, name := range append(slices.Clone(port.Names), port.Name, strconv.Itoa(i)) {
		name += ".npy"
		if filepath.Base(name) != name || slices.Contains(looked, name) {
			continue // a name with a slash is no file of the folder
		}
		looked = append(looked, name)
		path := filepath.Join(f.dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("--in-dir %s has no file for input %d %s: looked for %s; --in gives it another one",
		f.dir, i, printable.Quote(port.Name, maxName), printable.Quote(strings.Join(looked, ", "), 4*maxName))
}

// source says in words where an input comes from.
func source(path, fill string) string {
	switch {
	case path != "":
		return "read from " + path
	case fill == "random":
		return "filled with random numbers, seed 0"
	case fill == "ramp":
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
// name and the path can also contain "=".
func splitInput(compiled *plugin.CompiledModel, flag string) (port int, path string, err error) {
	err = errors.New("the flag is not NAME=F.npy")
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
	return 0, "", usagef("--in %s: %w", flag, err)
}

// memoryOf returns what tensor counts against the limits.
func memoryOf(tensor *ir.Tensor) int64 {
	size := int64(max(len(tensor.Bytes()), tensor.Len()))
	for _, s := range tensor.Strings() {
		size += int64(unsafe.Sizeof(s)) + int64(len(s))
	}
	return size
}

// tensor reads an input from the file at path; if path is empty, it generates the elements. left is
// the number of bytes that the inputs before it have left.
func (f *inputFlags) tensor(port *plugin.Port, path string, left int64) (*ir.Tensor, error) {
	name := printable.Quote(port.Name, maxName)
	shape, err := port.Shape.Static()
	if path == "" {
		if err != nil {
			return nil, usagef("input %s has shape %v: give it one with --shape, or a file with --in", name, port.Shape)
		}
		size, err := ir.ByteSize(port.Type, shape)
		if err == nil && size > 0 {
			size = max(size, shape.Elements()) // it takes time to fill many elements of a bit
		}
		if err == nil && int64(size) > left {
			err = fmt.Errorf("%v%v takes %d bytes, --max-input allows %d for all inputs that are filled, of which %d are left", port.Type, shape, size, int64(f.limit), left)
		}
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", name, err)
		}
		return filled(port.Type, shape, f.fill)
	}
	if err != nil || port.Type.Bits() >= 8 || port.Type.Bits() == 0 {
		shape = nil // the shape in the file
	}
	array, err := npy.ReadFileLimit(path, min(left, math.MaxInt64-maxHeader)+maxHeader)
	if err != nil {
		return nil, fmt.Errorf("input %s: %w", name, err)
	}
	tensor, err := array.Tensor(port.Type, shape)
	if err != nil {
		return nil, fmt.Errorf("%s: input %s: %w", path, name, err)
	}
	return tensor, nil
}

// maxHeader is the length of the header of a .npy file that does not count as memory.
const maxHeader = 4096

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
