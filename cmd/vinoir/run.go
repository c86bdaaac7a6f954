package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/plugin"
)

// inference is what run prints.
type inference struct {
	Model   string           `json:"model"`
	Inputs  []inputSummary   `json:"inputs"`
	InferMS float64          `json:"infer_ms"`
	Outputs []*tensorSummary `json:"outputs"`
}

func (a *app) runCommand() *cobra.Command {
	var flags modelFlags
	var inputs inputFlags
	var outDir string
	var options plugin.CompileOptions
	cmd := &cobra.Command{
		Use:   "run MODEL.xml",
		Short: "Infer once and print a summary of each output",
		Long: "run infers once, and prints where each input comes from and a summary of each output. Without\n" +
			"--in-dir, inputs without a file are filled as --fill specifies. If MODEL.xml is -, the XML is\n" +
			"read from standard input, and the weights from the --bin file.",
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.infer(cmd.Context(), args[0], &flags, &inputs, outDir, options)
		},
	}
	flags.add(cmd)
	flags.addShape(cmd)
	flags.memory.add(cmd)
	inputs.add(cmd)
	cmd.Flags().StringVar(&outDir, "out-dir", "", "write output i to `DIR`/i.npy")
	addCompileFlags(cmd, &options)
	return cmd
}

// session is a compiled model with a request whose inputs are set. read and compile are the times
// that it took to read and to compile the model.
type session struct {
	compiled      *plugin.CompiledModel
	request       *plugin.InferRequest
	read, compile time.Duration
}

// open reads and compiles a model and sets its inputs. The caller must close the compiled model.
func (a *app) open(ctx context.Context, path string, flags *modelFlags, inputs *inputFlags, options plugin.CompileOptions) (*session, error) {
	if threads := options.InferenceNumThreads; threads < 0 {
		return nil, usagef("--threads %d is negative", threads)
	}
	limits, err := flags.memory.options()
	if err != nil {
		return nil, err
	}
	if _, err := flags.parseShapes(); err != nil { // before a large model is read
		return nil, err
	}
	s := new(session)
	flags.mmap = true // nobody closes the model: it stays mapped until the process ends
	started := time.Now()
	model, err := a.read(flags, path)
	if err != nil {
		return nil, err
	}
	s.read = time.Since(started)
	if options.Reshape, err = flags.reshape(model); err != nil {
		return nil, err
	}
	started = time.Now()
	s.compiled, err = plugin.NewCore(a.registry, limits).CompileModel(ctx, model, options)
	if err != nil {
		return nil, err
	}
	s.compile = time.Since(started)
	s.request = s.compiled.NewInferRequest()
	if err := inputs.set(s.request, s.compiled); err != nil {
		s.compiled.Close()
		return nil, err
	}
	return s, nil
}

func (a *app) infer(ctx context.Context, path string, flags *modelFlags, inputs *inputFlags, outDir string, options plugin.CompileOptions) error {
	s, err := a.open(ctx, path, flags, inputs, options)
	if err != nil {
		return err
	}
	defer s.compiled.Close()
	started := time.Now()
	if err := s.request.Infer(ctx); err != nil {
		return err
	}
	result := inference{Model: nameOf(path), Inputs: inputs.summaries(s), InferMS: milliseconds(time.Since(started)), Outputs: []*tensorSummary{}}
	var out *os.Root
	if outDir != "" {
		if err := os.MkdirAll(outDir, 0o755); err != nil {
			return err
		}
		if out, err = os.OpenRoot(outDir); err != nil {
			return err
		}
		defer out.Close()
	}
	var names nameCutter
	for i, port := range s.compiled.Outputs() {
		tensor := s.request.Output(i)
		summary := summarise(tensor)
		summary.Name, summary.Names = printable.Cut(port.Name, maxName), names.cut(port.Names)
		if outDir != "" {
			// The file is replaced as a whole, whatever is there: a link is not followed.
			file := target{dir: out, name: strconv.Itoa(i) + ".npy"}
			summary.File = filepath.Join(outDir, file.name)
			if err := file.write(nil, func(w io.Writer) error { return npy.Write(w, tensor) }, nil); err != nil {
				return fmt.Errorf("%s: %w", summary.File, err)
			}
		}
		result.Outputs = append(result.Outputs, summary)
	}
	if a.json {
		return a.printJSON(result)
	}
	a.printInputs(result.Inputs)
	for i, summary := range result.Outputs {
		a.printf("output %d %s: %s\n", i, summary.label(), summary)
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
