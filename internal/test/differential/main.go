// Differential changes models at random, runs each with vinoir and with OpenVINO on the same
// inputs, and counts where they agree:
//
//	go run ./internal/test/differential -python PYTHON [flags] FOLDER...
//
// A FOLDER has cases, folders with model.xml, at any depth. The Python must have openvino and
// numpy. OpenVINO runs in a process of its own, so that a model that ends it is told apart from one
// that it refuses. A mutant has one to three changes: of an attribute, the shape or type of an
// input, an element or the shape of a Constant, a dim that a port is said to have, an edge or an
// opset. Its inputs are those of the case, repeated or converted where the mutant has other shapes
// or types. With -n 0, the cases are run as they are.
//
// Where the two do not agree, the reference implementations of OpenVINO's core compute the model
// too, if there are any, and the line says with whom they agree. RATIONALE.md lists the reasons
// that are known. With -keep, these mutants are written, as cases.
//
// Mutant i depends on the seed, the cases and i alone: -first i -n 1 makes it again.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "differential:", err)
		}
		os.Exit(1)
	}
}

// options are the command-line options.
type options struct {
	seed     uint64
	first, n int
	keep     string
	patience time.Duration
	command  func() *exec.Cmd
	folders  []string
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("differential", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: differential [flags] FOLDER...")
		flags.PrintDefaults()
	}
	python := flags.String("python", "python3", "a `python` that has openvino and numpy")
	flags.Uint64Var(&o.seed, "seed", 1, "the `seed` of all choices")
	flags.IntVar(&o.first, "first", 0, "the `number` of the first mutant")
	flags.IntVar(&o.n, "n", 1000, "the `number` of mutants; 0 runs the cases as they are")
	flags.StringVar(&o.keep, "keep", "", "write the mutants that the two do not agree on into the folder `DIR`")
	flags.DurationVar(&o.patience, "patience", 20*time.Second, "the `time` that a model may take")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case o.first < 0:
		return nil, fmt.Errorf("-first %d is negative", o.first)
	case o.n < 0:
		return nil, fmt.Errorf("-n %d is negative", o.n)
	case flags.NArg() == 0:
		return nil, errors.New("a FOLDER is needed")
	}
	o.command, o.folders = pythonCommand(*python), flags.Args()
	return o, nil
}

// The classes of mutants.
const (
	equal           = "equal"
	bothRefuse      = "both refuse"
	openVINORefuses = "only OpenVINO refuses"
	vinoirRefuses   = "only vinoir refuses"
	differ          = "differ"
	openVINODied    = "OpenVINO died"
	noInputs        = "no inputs" // no input is possible, for example since a type is unknown
)

// A result is what the engines made of a mutant.
type result struct {
	Mutant    int      `json:"mutant"`
	Case      string   `json:"case"`
	Changes   []string `json:"changes"`
	Class     string   `json:"class"`
	Vinoir    string   `json:"vinoir,omitempty"`    // its error, or how its outputs differ
	OpenVINO  string   `json:"openvino,omitempty"`  // its error
	Reference string   `json:"reference,omitempty"` // with whom it agrees
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	return o.run(ctx, stdout, stderr)
}

// run writes a line for each mutant to stdout, and the counts to stderr.
func (o *options) run(ctx context.Context, stdout, stderr io.Writer) error {
	folders, err := findCases(o.folders)
	if err != nil {
		return err
	}
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "differential")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	d := &differential{
		options: o, work: work, openVINO: &openVINO{command: o.command, patience: o.patience},
		core: plugin.NewCore(registry, plugin.Options{MaxTensorBytes: 1 << 30, MaxTotalBytes: 4 << 30}),
	}
	defer func() { _ = d.openVINO.close() }()
	n := o.n
	if n == 0 {
		n = len(folders)
	} else {
		d.mutator, folders = newMutator(folders)
	}
	if len(folders) == 0 {
		return fmt.Errorf("there is no model.xml to run below %q", o.folders)
	}
	counts := map[string]int{}
	lines := json.NewEncoder(stdout)
	for i := o.first; i < o.first+n && ctx.Err() == nil; i++ {
		r, err := d.one(ctx, i, folders)
		if err != nil {
			return err
		}
		counts[r.Class]++
		if err := lines.Encode(r); err != nil {
			return err
		}
	}
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(stderr, "%6d %s\n", counts[class], class)
	}
	return ctx.Err()
}

// differential runs mutants.
type differential struct {
	*options
	work     string // a folder for the mutant
	core     *plugin.Core
	openVINO *openVINO
	mutator  *mutator // nil to run the cases as they are
}

// one makes mutant i and runs it.
func (d *differential) one(ctx context.Context, i int, folders []string) (*result, error) {
	rng := rand.New(rand.NewPCG(d.seed, uint64(i)))
	folder := folders[i%len(folders)]
	if d.mutator != nil {
		folder = folders[rng.IntN(len(folders))]
	}
	m, err := readModel(folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	r := &result{Mutant: i, Case: filepath.Base(folder)}
	if d.mutator != nil {
		d.mutator.rng = rng
		r.Changes = d.mutator.mutate(m)
	}
	if err := m.write(d.work); err != nil {
		return nil, err
	}
	given, ok := inputs(rng, m, folder)
	if !ok {
		r.Class = noInputs
		return r, nil
	}
	if err := d.judge(ctx, r, given); err != nil {
		return nil, err
	}
	if d.keep != "" && (r.Class == differ || r.Class == vinoirRefuses || r.Class == openVINODied) {
		return r, d.keepMutant(m, r, given)
	}
	return r, nil
}

// judge runs the model in d.work and sets the class of r.
func (d *differential) judge(ctx context.Context, r *result, given []*ir.Tensor) error {
	ours, ourError := d.infer(ctx, given)
	if ourError != nil {
		r.Vinoir = ourError.Error()
	}
	theirs, err := d.openVINO.run(d.work, given, false)
	if errors.Is(err, errDied) || err == nil && ourError == nil && compare(ours, theirs) != "" {
		// A model before this one can have written beyond its memory: a new process decides.
		_ = d.openVINO.close()
		theirs, err = d.openVINO.run(d.work, given, false)
	}
	var refused *refusal
	switch {
	case errors.Is(err, errDied):
		r.Class, r.OpenVINO = openVINODied, err.Error()
		return nil
	case errors.As(err, &refused):
		r.OpenVINO = refused.Error()
	case err != nil:
		return err
	}
	switch {
	case refused != nil && ourError != nil:
		r.Class = bothRefuse
		return nil
	case refused != nil:
		r.Class = openVINORefuses
		return nil
	case ourError != nil:
		r.Class = vinoirRefuses
	default:
		if r.Vinoir = compare(ours, theirs); r.Vinoir == "" {
			r.Class = equal
			return nil
		}
		r.Class = differ
	}
	reference, err := d.openVINO.run(d.work, given, true)
	switch {
	case err != nil:
		r.Reference = err.Error()
	case ourError == nil && compare(ours, reference) == "":
		r.Reference = "agrees with vinoir"
	case compare(theirs, reference) == "":
		r.Reference = "agrees with OpenVINO"
	default:
		r.Reference = "agrees with neither"
	}
	return nil
}

// infer runs the model in d.work with vinoir.
func (d *differential) infer(ctx context.Context, given []*ir.Tensor) ([]*ir.Tensor, error) {
	ctx, stop := context.WithTimeout(ctx, d.patience)
	defer stop()
	m, err := irxml.ReadFile(filepath.Join(d.work, "model.xml"), irxml.ReadOptions{})
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	compiled, err := d.core.CompileModel(ctx, m, plugin.CompileOptions{InferenceNumThreads: 1, DynamicQuantizationGroupSize: -1})
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	for i, t := range given {
		if err := request.SetInput(i, t); err != nil {
			return nil, err
		}
	}
	if err := request.Infer(ctx); err != nil {
		return nil, fmt.Errorf("infer: %w", err)
	}
	return request.CopyOutputs(ctx)
}

// keepMutant writes a mutant as a case.
func (d *differential) keepMutant(m *model, r *result, given []*ir.Tensor) error {
	folder := filepath.Join(d.keep, fmt.Sprintf("%d_%s", r.Mutant, r.Case))
	if err := os.MkdirAll(filepath.Join(folder, "in"), 0o755); err != nil {
		return err
	}
	if err := m.write(folder); err != nil {
		return err
	}
	for i, t := range given {
		if err := npy.WriteFile(filepath.Join(folder, "in", strconv.Itoa(i)+".npy"), t); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "result.json"), text, 0o644)
}
