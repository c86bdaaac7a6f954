package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/reshape"
)

// modelFlags are the flags for reading a model and for the shapes of its inputs.
type modelFlags struct {
	bin    string
	noBin  bool
	mmap   bool // map the .bin into memory instead of reading it
	shapes []string
	memory memoryFlag
}

// maxXMLBytes is the size of the largest XML that is read.
const maxXMLBytes = 1 << 30

// stdinName is the path that means standard input.
const stdinName = "-"

func (f *modelFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.bin, "bin", "", "read the weights from `FILE` instead of the .bin next to the XML")
}

func (f *modelFlags) addShape(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.shapes, "shape", nil, "set the shape of an input: `NAME=[1,?,3..5]`; can be repeated")
}

func (f *modelFlags) addNoBin(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noBin, "no-bin", false, "do not read the weights")
}

// read reads the model at path, or the XML from standard input.
func (a *app) read(f *modelFlags, path string) (*ir.Model, error) {
	if f.noBin && f.bin != "" {
		return nil, usagef("--bin and --no-bin exclude each other")
	}
	options := irxml.ReadOptions{Bin: f.bin, NoBin: f.noBin, MMap: f.mmap, Limits: irxml.Limits{XMLBytes: maxXMLBytes}}
	if path != stdinName {
		return irxml.ReadFile(path, options)
	}
	if f.bin == "" {
		// Standard input has no name to derive the name of the .bin from.
		options.NoBin = true
		return irxml.ReadFrom(a.stdin, nil, options)
	}
	bin, err := regular.Open(f.bin)
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
		// A name can contain "=", a shape cannot.
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

// reshaped returns m with the input shapes that the --shape flags set; m itself if there are none.
func (f *modelFlags) reshaped(ctx context.Context, a *app, m *ir.Model) (*ir.Model, error) {
	shapes, err := f.reshape()
	if err != nil || len(shapes) == 0 {
		return m, err
	}
	if m, err = reshape.Inputs(ctx, m, a.registry, shapes); err != nil {
		return nil, usageError{err}
	}
	return m, nil
}

// nameOf returns the name of the model at path for reports.
func nameOf(path string) string {
	if path == stdinName {
		return "<stdin>"
	}
	return path
}

// oneModel checks that there is one argument.
func oneModel(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("one MODEL.xml is needed, or - for standard input")
	}
	return nil
}
