package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/plugin"
)

// graphFlags are the flags of graph.
type graphFlags struct {
	model       modelFlags
	inputs      inputFlags
	options     plugin.CompileOptions
	format, out string
	profile     bool
	runs        int
}

// The values of --format.
const (
	formatHTML = "html"
	formatSVG  = "svg"
	formatDOT  = "dot"
)

// graphResult is what graph prints with --json.
type graphResult struct {
	File   string `json:"file"`
	Layers int    `json:"layers"` // including those in bodies
	Drawn  int    `json:"drawn"`  // those that are not part of the layer that reads them
	Bytes  int64  `json:"bytes"`
}

func (a *app) graphCommand() *cobra.Command {
	flags := graphFlags{model: modelFlags{mmap: true}}
	cmd := &cobra.Command{
		Use:   "graph MODEL",
		Short: "Draw a model as a page, SVG or DOT",
		Long: "graph writes one file that shows the model: a page for browsers, which needs nothing else and no network, an SVG,\n" +
			"or DOT for Graphviz. Constants, and layers that compute only from constants, are part of the layer that reads them.\n" +
			"The page has the shapes and types on the edges, the attributes and weights of each layer, the findings of vinoir\n" +
			"validate, where each dim comes from, and, with --profile, the time of each layer.",
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(args[0]); err != nil {
				return err
			}
			return a.graph(cmd.Context(), args[0], &flags)
		},
	}
	flags.model.add(cmd)
	flags.model.addNoBin(cmd)
	flags.model.addShape(cmd)
	flags.model.memory.add(cmd)
	flags.inputs.add(cmd)
	addCompileFlags(cmd, &flags.options)
	cmd.Flags().StringVar(&flags.format, "format", "", "write `html`, svg or dot; by default, what the name of the file ends with, else html")
	cmd.Flags().StringVarP(&flags.out, "out", "o", "", "write to `FILE`, - for standard output; by default, the name of the model with the format")
	cmd.Flags().BoolVar(&flags.profile, "profile", false, "infer, and show the time of each layer")
	cmd.Flags().IntVar(&flags.runs, "runs", 20, "with --profile, infer `N` times after the first inference")
	return cmd
}

// check checks the flags, and sets those that are not given.
func (f *graphFlags) check(path string) error {
	if f.format == "" {
		switch ext := strings.ToLower(filepath.Ext(f.out)); ext {
		case "", ".html", ".htm":
			f.format = formatHTML
		case ".svg", ".dot":
			f.format = ext[1:]
		default:
			return usagef("-o %s: graph writes html, svg or dot; --format writes one of these to a file of any name", f.out)
		}
	}
	switch f.format {
	case formatHTML, formatSVG, formatDOT:
	default:
		return usagef("--format %s is none of html, svg, dot", f.format)
	}
	switch {
	case f.profile && f.format != formatHTML:
		return usagef("--profile goes with --format html")
	case f.profile && (f.model.noBin || path == stdinName):
		return usagef("--profile needs a file and its weights")
	case f.runs < 1 || f.runs > maxProfileRuns:
		return usagef("--runs %d is not a number from 1 to %d", f.runs, maxProfileRuns)
	}
	if f.out == "" {
		name := filepath.Base(path)
		if path == stdinName {
			name = "model"
		}
		f.out = name[:len(name)-len(filepath.Ext(name))] + "." + f.format
	}
	return nil
}

func (a *app) graph(ctx context.Context, path string, flags *graphFlags) error {
	var measured *profile
	if flags.profile {
		var err error
		if measured, err = a.measure(ctx, path, &flags.model, &flags.inputs, flags.options, flags.runs, ""); err != nil {
			return err
		}
	}
	result, err := a.draw(ctx, path, &flags.model, measured, flags.format, flags.out)
	if err != nil || flags.out == stdinName {
		return err
	}
	if a.json {
		return a.printJSON(result)
	}
	a.printf("%s: %s, %d of them in those that read them, %d bytes\n", result.File, count(result.Layers, "layer"), result.Layers-result.Drawn, result.Bytes)
	return nil
}

// draw writes the model at path to the file out. measured is nil without times.
func (a *app) draw(ctx context.Context, path string, flags *modelFlags, measured *profile, format, out string) (*graphResult, error) {
	m, err := a.read(ctx, flags, path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	reshaped, err := flags.reshaped(ctx, a, m)
	if err != nil {
		return nil, err
	}
	report, err := validate.ModelWith(ctx, reshaped, a.registry, validate.Options{AssumeDeclared: true})
	if err != nil {
		return nil, err
	}
	s, err := newScene(reshaped, report)
	if err != nil {
		return nil, err
	}
	s.name = filepath.Base(nameOf(path))
	write := s.writeSVG
	switch format {
	case formatHTML:
		page := &graphPage{scene: s, rules: a.registry, profile: measured}
		if measured != nil {
			s.timed = true
			page.machine = measured.Peaks
		}
		write = page.write
	case formatDOT:
		write = s.writeDOT
	}
	if format != formatDOT {
		if err := s.layOut(ctx, format == formatSVG); err != nil {
			return nil, err
		}
	}
	result := &graphResult{File: out}
	for _, g := range s.graphs {
		result.Layers, result.Drawn = result.Layers+len(g.layers), result.Drawn+len(g.boxes)
	}
	if out == stdinName {
		return result, write(ctx, a.stdout)
	}
	result.Bytes, err = replaceFile(out, func(w *bufio.Writer) error { return write(ctx, w) })
	return result, err
}

// replaceFile writes a file as a whole: it is as it was if there is an error. It returns the
// length.
func replaceFile(path string, content func(*bufio.Writer) error) (int64, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	file := target{dir: dir, name: filepath.Base(path)}
	if info, err := dir.Stat(file.name); err == nil && !info.Mode().IsRegular() {
		return 0, faults.Errorf("%s: not a regular file (%v)", path, info.Mode())
	}
	counter := &countingWriter{}
	err = file.write(nil, func(w io.Writer) error {
		counter.w = w
		b := bufio.NewWriterSize(counter, 1<<16)
		if err := content(b); err != nil {
			return err
		}
		return b.Flush()
	}, nil)
	return counter.n, err
}

// countingWriter counts what it writes.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
