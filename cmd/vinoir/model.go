package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/reshape"
)

// modelFlags say how a model is read and what shapes its inputs have.
type modelFlags struct {
	bin    string
	noBin  bool
	mmap   bool // map the .bin rather than read it
	shapes []string
}

// stdinName stands for standard input in place of a file.
const stdinName = "-"

func (f *modelFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.bin, "bin", "", "read the weights from `FILE` rather than from the .bin beside the XML")
}

func (f *modelFlags) addShape(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.shapes, "shape", nil, "give input NAME another shape, such as `NAME=[1,?,3..5]`; may be repeated")
}

func (f *modelFlags) addNoBin(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noBin, "no-bin", false, "do not read the weights")
}

// read reads the model at path, or the XML from standard input.
func (a *app) read(f *modelFlags, path string) (*ir.Model, error) {
	if f.noBin && f.bin != "" {
		return nil, usagef("--bin and --no-bin exclude each other")
	}
	options := irxml.ReadOptions{Bin: f.bin, NoBin: f.noBin, MMap: f.mmap}
	if path != stdinName {
		return irxml.ReadFile(path, options)
	}
	if f.bin == "" {
		// There is no name to derive that of the weights from.
		options.NoBin = true
		return irxml.ReadFrom(a.stdin, nil, options)
	}
	bin, err := os.Open(f.bin)
	if err != nil {
		return nil, err
	}
	defer bin.Close()
	return irxml.ReadFrom(a.stdin, bin, options)
}

// reshape parses the --shape flags.
func (f *modelFlags) reshape() (map[string]ir.PartialShape, error) {
	shapes := make(map[string]ir.PartialShape, len(f.shapes))
	for _, flag := range f.shapes {
		// A name may hold "=", a shape cannot.
		i := strings.LastIndexByte(flag, '=')
		if i < 0 {
			return nil, usagef("--shape %s is not NAME=[...]", flag)
		}
		shape, err := ir.ParsePartialShape(flag[i+1:])
		if err != nil {
			return nil, usagef("--shape %s: %w", flag, err)
		}
		shapes[flag[:i]] = shape
	}
	return shapes, nil
}

// reshaped returns m with the shapes that the --shape flags give its inputs, m itself
// where there are none.
func (f *modelFlags) reshaped(a *app, m *ir.Model) (*ir.Model, error) {
	shapes, err := f.reshape()
	if err != nil || len(shapes) == 0 {
		return m, err
	}
	if m, err = reshape.Inputs(m, a.registry, shapes); err != nil {
		return nil, usageError{err}
	}
	return m, nil
}

// nameOf returns path for reports.
func nameOf(path string) string {
	if path == stdinName {
		return "<stdin>"
	}
	return path
}

// oneModel checks that the arguments are one model.
func oneModel(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("one MODEL.xml is needed, or - for standard input")
	}
	return nil
}
