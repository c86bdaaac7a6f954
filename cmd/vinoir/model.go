package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/reshape"
)

// modelFlags are the flags for reading a model and for the shapes of its inputs.
type modelFlags struct {
	bin    string
	noBin  bool
	mmap   bool // map the .bin into memory instead of reading it
	shapes []string
	batch  int // the length of axis 0 of all inputs; 0 to leave it
	memory memoryFlag
}

func (f *modelFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.bin, "bin", "", "read the weights from `FILE` instead of the .bin next to the XML of an IR")
}

func (f *modelFlags) addShape(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.shapes, "shape", nil, "set the shape of an input: `NAME=[1,?,3..5]`, INDEX=[...], or [...] if there is one; can be repeated")
	cmd.Flags().IntVar(&f.batch, "batch", 0, "set axis 0 of all inputs without --shape to `N`")
}

func (f *modelFlags) addNoBin(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noBin, "no-bin", false, "do not read the weights")
}

// inputShape is a --shape flag. The name is "" if the flag is only a shape.
type inputShape struct {
	flag, name string
	shape      ir.PartialShape
}

// parseShapes parses the --shape flags.
func (f *modelFlags) parseShapes() ([]inputShape, error) {
	if f.batch < 0 {
		return nil, usagef("--batch %d is negative", f.batch)
	}
	var shapes []inputShape
	for _, flag := range f.shapes {
		// A name can contain "=", a shape cannot.
		i := strings.LastIndexByte(flag, '=')
		if i < 0 && !strings.HasPrefix(flag, "[") {
			return nil, usagef("--shape %s is not NAME=[...], INDEX=[...] or [...]", flag)
		}
		shape, err := ir.ParsePartialShape(flag[i+1:])
		if err != nil {
			return nil, usagef("--shape %s: %w", flag, err)
		}
		shapes = append(shapes, inputShape{flag, flag[:max(i, 0)], shape})
	}
	return shapes, nil
}

// reshape returns the shapes that the --shape and --batch flags give to inputs of m, by name.
func (f *modelFlags) reshape(m *ir.Model) (map[string]ir.PartialShape, error) {
	parsed, err := f.parseShapes()
	if err != nil {
		return nil, err
	}
	shapes := make(map[string]ir.PartialShape)
	for _, in := range parsed {
		p, err := m.Parameter(in.name)
		if i, notIndex := strconv.Atoi(in.name); err != nil && notIndex == nil && i >= 0 && i < len(m.Parameters) {
			p, err = m.Parameters[i], nil
		}
		bare := !strings.Contains(in.flag, "=")
		if bare && len(m.Parameters) == 1 {
			p, err = m.Parameters[0], nil
		} else if bare {
			err = faults.Errorf("the model has %s: write NAME=%s or INDEX=%[2]s, where NAME is one of %s", count(len(m.Parameters), "input"), in.flag, namesOf(m.Parameters))
		}
		if err != nil {
			return nil, usagef("--shape %s: %w", in.flag, err)
		}
		name := inputName(m, p, in.name)
		if other, twice := shapes[name]; twice && !other.Equal(in.shape) {
			return nil, usagef("--shape %s: the input has shape %v already", in.flag, other)
		}
		shapes[name] = in.shape
	}
	return shapes, f.addBatch(m, shapes)
}

// namesOf returns the names of the first layers as text.
func namesOf(layers []*ir.Layer) string {
	const most = 20
	var names []string
	for _, layer := range layers[:min(len(layers), most)] {
		names = append(names, printable.Quote(layer.Name, maxName))
	}
	if len(layers) > most {
		names = append(names, "...")
	}
	return strings.Join(names, ", ")
}

// addBatch adds the shapes of the inputs that --batch changes: those that --shape does not give,
// and that have axes.
func (f *modelFlags) addBatch(m *ir.Model, shapes map[string]ir.PartialShape) error {
	if f.batch == 0 {
		return nil
	}
	changed := 0
	for _, p := range m.Parameters {
		name := inputName(m, p, "")
		if _, given := shapes[name]; given {
			continue
		}
		shape := ir.AttributesOf(p).PartialShape("shape", ir.UnknownRank)
		if shape.Rank() > 0 {
			shapes[name] = shape.With(0, ir.Dim(int64(f.batch)))
			changed++
		}
	}
	if changed == 0 {
		return usagef("--batch %d: the model has no other input with known axes", f.batch)
	}
	return nil
}

// inputName returns a name of p that m.Parameter finds, or other if there is none.
func inputName(m *ir.Model, p *ir.Layer, other string) string {
	names := []string{p.Name}
	if len(p.Outputs) > 0 {
		names = append(names, p.Outputs[0].Names...)
	}
	for _, name := range names {
		if found, err := m.Parameter(name); err == nil && found == p {
			return name
		}
	}
	return other
}

// reshaped returns m with the input shapes that the --shape and --batch flags set; m itself if
// there are none.
func (f *modelFlags) reshaped(ctx context.Context, a *app, m *ir.Model) (*ir.Model, error) {
	shapes, err := f.reshape(m)
	if err != nil || len(shapes) == 0 {
		return m, err
	}
	if m, err = reshape.Inputs(ctx, m, a.registry, shapes); err != nil {
		return nil, usageError{err}
	}
	return m, nil
}

// oneModel checks that there is one argument.
func oneModel(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("one MODEL is needed, an .xml or .onnx, or - for standard input")
	}
	return nil
}
