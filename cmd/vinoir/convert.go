package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
)

// convertFlags are the flags of convert.
type convertFlags struct {
	model   modelFlags
	options irxml.WriteOptions
	fold    bool
	v10     bool
	// extract is INPUTS..OUTPUTS, and preprocess lists descriptions of the tensors of inputs.
	extract    string
	preprocess []string
}

// conversion is what convert prints.
type conversion struct {
	Model string `json:"model"`
	// Version is the IR version that was written.
	Version int `json:"version"`
	// Folded is the number of layers that --fold has replaced by their values.
	Folded int         `json:"folded,omitempty"`
	Files  []fileBytes `json:"files"` // the document and its .bin
}

// fileBytes is a file that was written.
type fileBytes struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

func (a *app) convertCommand() *cobra.Command {
	var flags convertFlags
	cmd := &cobra.Command{
		Use:   "convert MODEL OUT.xml",
		Short: "Write a model as an IR: an ONNX model, or with other input shapes, folded constants, f16 weights or for an old OpenVINO",
		Long: "convert reads an IR or an ONNX model, changes what the flags say, and writes OUT.xml and its .bin in the form of\n" +
			"OpenVINO's serializer. The ports declare the inferred types and shapes. Layers that no output depends on are left out. Files of these\n" +
			"names are replaced, also those of MODEL. The shapes are set first, then the part is taken, then steps are added.",
		Example: "  vinoir convert model.onnx model.xml --fp16\n" +
			"  vinoir convert model.xml batch8.xml --batch 8 --fold",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return faults.Errorf("MODEL, or - for standard input, and OUT.xml are needed")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] == stdinName {
				return usagef("convert writes two files, not standard output")
			}
			if !strings.EqualFold(filepath.Ext(args[1]), ".xml") {
				return usagef("convert writes an IR: name the file .xml, not %s", args[1])
			}
			result, err := a.convert(cmd.Context(), args[0], args[1], &flags)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(result)
			}
			if flags.fold {
				a.printf("%s folded\n", count(result.Folded, "layer"))
			}
			for _, file := range result.Files {
				a.printf("%s: %d bytes\n", file.Path, file.Bytes)
			}
			return nil
		},
	}
	flags.model.add(cmd)
	flags.model.addShape(cmd)
	cmd.Flags().StringVar(&flags.extract, "extract", "", "write the part between tensors: `IN,IN..OUT,OUT`; without IN or OUT, from the inputs or to the outputs of the model")
	cmd.Flags().StringArrayVar(&flags.preprocess, "preprocess", nil, "make steps before an input a part of the model: `NAME: WORDS`, such as\n"+
		"x: type=u8 layout=NHWC:NCHW size=?x? convert=f32 resize=linear color=BGR:RGB mean=123.7,116.3,103.5 scale=58.4,57.1,57.4\n"+
		"for a tensor of that type, layout, size and color; can be repeated")
	cmd.Flags().BoolVar(&flags.fold, "fold", false, "replace layers that depend only on constants and known shapes by their values, unless those are larger than the constants")
	cmd.Flags().BoolVar(&flags.options.CompressToFP16, "fp16", false, "write constants of f32 and f64 as f16, where that loses little, as OpenVINO's save_model does")
	cmd.Flags().BoolVar(&flags.v10, "v10", false, "write IR version 10, for OpenVINO 2020.1 to 2021.4, which read no other; the shapes must be static")
	cmd.Flags().BoolVar(&flags.options.Align, "align", false, "start each constant at a multiple of its element size, so that readers need not copy it")
	return cmd
}

// convert reads the model at path, changes it and writes it to out.
func (a *app) convert(ctx context.Context, path, out string, flags *convertFlags) (*conversion, error) {
	flags.model.mmap = true
	read, err := a.read(ctx, &flags.model, path)
	if err != nil {
		return nil, err
	}
	defer read.Close()
	m, err := flags.model.reshaped(ctx, a, read)
	if err != nil {
		return nil, err
	}
	reshaped := m != read
	if m, err = flags.edited(ctx, a, m); err != nil {
		return nil, err
	}
	options := flags.options
	if flags.v10 {
		options.Version = 10
	}
	// There is room for what is computed, and for ranges that overlap.
	options.MaxBinBytes = 4*storedBytes(read) + 1<<30
	if options.Shapes, err = a.inferred(ctx, m, reshaped); err != nil {
		return nil, err
	}
	result := &conversion{Model: nameOf(path), Version: cmp.Or(options.Version, m.Version)}
	if flags.fold {
		if m, result.Folded, err = fold(m, options.Shapes); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return nil, err
	}
	if err := irxml.WriteFile(ctx, out, m, options); err != nil {
		return nil, err
	}
	for _, file := range []string{out, strings.TrimSuffix(out, filepath.Ext(out)) + ".bin"} {
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		result.Files = append(result.Files, fileBytes{file, info.Size()})
	}
	return result, nil
}

// inferred returns the inferred types and shapes of m. If m must be valid, a layer that cannot be
// inferred is an error. If not, its ports declare what they declared.
func (a *app) inferred(ctx context.Context, m *ir.Model, valid bool) (*infer.Shapes, error) {
	shapes, err := infer.Propagate(ctx, m, a.registry, nil)
	if shapes == nil {
		return nil, err
	}
	failed := shapes.Errors()
	switch {
	case !valid || len(failed) == 0:
		return shapes, nil
	case len(failed) > 1:
		return nil, faults.Errorf("%w; %s more", failed[0], count(len(failed)-1, "layer"))
	}
	return nil, failed[0]
}
