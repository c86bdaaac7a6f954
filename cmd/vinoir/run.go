package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/plugin"
)

// inference is what run prints.
type inference struct {
	used
	Model string `json:"model"`
	// Variables is the number of variables of the model, which had their initial values.
	Variables int              `json:"variables_reset,omitempty"`
	Inputs    []inputSummary   `json:"inputs"`
	InferMS   float64          `json:"infer_ms"`
	Outputs   []*tensorSummary `json:"outputs"`
}

func (a *app) runCommand() *cobra.Command {
	var flags modelFlags
	var inputs inputFlags
	var outputs outputFlags
	var options plugin.CompileOptions
	cmd := &cobra.Command{
		Use:   "run MODEL",
		Short: "Infer once and print a summary of each output",
		Long: "run infers once, and prints where each input comes from and a summary of each output. Without\n" +
			"--in-dir, inputs without a file are filled as --fill specifies. If MODEL is -, the XML or\n" +
			"the ONNX model is read from standard input, and the weights of an XML from the --bin file.",
		Example: "  vinoir run model.onnx --in image=cat.jpg --top 5\n" +
			"  vinoir run model.xml --in-dir inputs/ --expect outputs/",
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := outputs.check(cmd); err != nil {
				return err
			}
			return a.infer(cmd.Context(), args[0], &flags, &inputs, &outputs, options)
		},
	}
	flags.add(cmd)
	flags.addShape(cmd)
	flags.memory.add(cmd)
	inputs.add(cmd)
	outputs.add(cmd)
	addCompileFlags(cmd, &options)
	return cmd
}

// outputFlags are the flags for the outputs of run.
type outputFlags struct {
	dir    string
	top    topFlags
	expect expectFlags
}

func (f *outputFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dir, "out-dir", "", "write output i to `DIR`/i.npy")
	f.top.add(cmd)
	f.expect.add(cmd)
}

func (f *outputFlags) check(cmd *cobra.Command) error {
	if err := f.top.check(); err != nil {
		return err
	}
	return f.expect.check(cmd)
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
	model, err := a.read(ctx, flags, path)
	if err != nil {
		return nil, err
	}
	s.read = time.Since(started)
	if f := validate.UnusedBin(model); f != nil {
		fprintf(a.stderr, "vinoir: warning: %s\n", f.Message)
	}
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
	if err := inputs.set(ctx, s.request, s.compiled); err != nil {
		s.compiled.Close()
		return nil, err
	}
	return s, nil
}

// reset gives the variables of the model their initial values, so that each inference does the
// same.
func (s *session) reset() error {
	for _, state := range s.request.QueryState() {
		if err := state.Reset(); err != nil {
			return err
		}
	}
	return nil
}

// repetition says how the inferences of a measurement differ from those of a program. Variables is
// the number of variables that are reset before each inference. OnlyFirst is why there is no second
// inference; the first one was measured then.
type repetition struct {
	Variables int    `json:"variables_reset,omitempty"`
	OnlyFirst string `json:"only_first,omitempty"`
}

// print prints a line for each of the two.
func (r *repetition) print(a *app) {
	if r.Variables > 0 {
		a.printf("%s reset before each inference\n", count(r.Variables, "variable"))
	}
	if r.OnlyFirst != "" {
		a.printf("measured on the first inference, since the second one failed: %s\n", printable.Escape(r.OnlyFirst))
	}
}

func (a *app) infer(ctx context.Context, path string, flags *modelFlags, inputs *inputFlags, outputs *outputFlags, options plugin.CompileOptions) error {
	s, err := a.open(ctx, path, flags, inputs, options)
	if err != nil {
		return err
	}
	defer s.compiled.Close()
	if err := outputs.expect.read(ctx, s.compiled.Outputs(), inputs.cast); err != nil {
		return err
	}
	started := time.Now()
	if err := s.request.Infer(ctx); err != nil {
		return err
	}
	result := inference{used: usedBy(s.compiled), Model: nameOf(path), Inputs: inputs.summaries(s), InferMS: milliseconds(time.Since(started)), Outputs: []*tensorSummary{}}
	var out *os.Root
	if outputs.dir != "" {
		if err := os.MkdirAll(outputs.dir, 0o755); err != nil {
			return err
		}
		if out, err = os.OpenRoot(outputs.dir); err != nil {
			return err
		}
		defer out.Close()
	}
	result.Variables = len(s.request.QueryState())
	var names nameCutter
	var fault error // errFault if an output is not as expected
	for i, port := range s.compiled.Outputs() {
		tensor := s.request.Output(i)
		summary := summarise(tensor)
		summary.Name, summary.Names = printable.Cut(port.Name, maxName), names.cut(port.Names)
		if outputs.dir != "" {
			// The file is replaced as a whole, whatever is there: a link is not followed.
			file := target{dir: out, name: strconv.Itoa(i) + ".npy"}
			summary.File = filepath.Join(outputs.dir, file.name)
			if err := file.write(nil, func(w io.Writer) error { return npy.Write(w, tensor) }, nil); err != nil {
				return faults.Errorf("%s: %w", summary.File, err)
			}
		}
		if summary.Top, err = outputs.top.of(tensor); err != nil {
			return err
		}
		if summary.Comparison = outputs.expect.compare(i, tensor); summary.Comparison != nil && summary.Comparison.Fault != "" {
			fault = errFault
		}
		result.Outputs = append(result.Outputs, summary)
	}
	if err := outputs.top.checkLabels(result.Outputs); err != nil {
		return err
	}
	if a.json {
		if err := a.printJSON(result); err != nil {
			return err
		}
		return fault
	}
	a.printf("%v\n", result.used)
	if result.Variables > 0 {
		a.printf("%s with initial values: a program goes on from an inference with vinoir.Session\n", count(result.Variables, "variable"))
	}
	a.printInputs(result.Inputs)
	for i, summary := range result.Outputs {
		a.printf("output %d %s: %s\n", i, summary.label(), summary)
		a.printTop(summary.Top, summary.Shape)
		if summary.Comparison != nil {
			a.printf("  %s\n", summary.Comparison)
		}
	}
	return fault
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
