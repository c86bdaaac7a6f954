package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/plugin"
)

// maxText is the size in bytes of the largest case.json or list of exceptions.
const maxText = 64 << 20

// Case is a case folder, the texts or ids of a tokenizer, a line of a file of reshaped models, or
// what a Finder finds.
type Case struct {
	// Name is the last two elements of the folder's path, "ops/Abs-1_000"; below a folder "text",
	// "text.ops/BPETokenizer_a". For a line it is the name of the file, the case and the kind,
	// "ops.reshape/Abs-1_000/grow"; for a tokenizer, the folder and the file:
	// "text.tokenizers/qwen3/encode". Finders name theirs likewise.
	Name   string
	Folder string

	run func(context.Context, *Runner) error
}

// NewCase returns a case that run runs: see Finder.
func NewCase(name, folder string, run func(context.Context, *Runner) error) Case {
	return Case{Name: name, Folder: folder, run: run}
}

// caseFolder is the path of a case folder.
type caseFolder string

// caseFile is the content of case.json.
type caseFile struct {
	// Op is the type and version of the layer that a case with one layer tests.
	Op string `json:"op"`
	// RTol and ATol are as in NumPy's allclose. MaxRel bounds the largest difference, divided by
	// the largest magnitude in an output. RelRMS bounds the root mean square of the differences,
	// divided by that of an output. Without them, outputs must be equal.
	RTol   float64 `json:"rtol"`
	ATol   float64 `json:"atol"`
	MaxRel float64 `json:"max_rel"`
	RelRMS float64 `json:"rel_rms"`
	// RelRMSFast replaces the four for modes that quantise activations that the model does not
	// quantise.
	RelRMSFast float64 `json:"rel_rms_fast"`
	// nearIntegers means that ATol holds for integers too.
	nearIntegers bool
	// Top1 means that the largest element of output 0 must be where it is expected.
	Top1 bool `json:"top1"`
	// Steps is the number of inferences of one request. The inputs and outputs of those after the
	// first are in the folders step1, step2 and so on.
	Steps int `json:"steps"`
	// Expect is set for a broken model or input. "error" means that it must be rejected at Stage
	// ("read", "compile" or "infer") or earlier. "any" means that it may be accepted, but
	// validate.Model must then have a finding.
	Expect string `json:"expect"`
	Stage  string `json:"stage"`
	// Message is OpenVINO's error for a broken model or input.
	Message string `json:"message"`

	// Runs is set for a case with text. Its inputs and outputs are here, not in files.
	Runs []textRun `json:"runs"`
	Note string    `json:"note"`
	// In has the inputs of a broken case with text. What says what is wrong, OpenVINO what it does.
	In       []textTensor `json:"in"`
	What     string       `json:"what"`
	OpenVINO string       `json:"openvino"`
}

// run runs the case.
func (c caseFolder) run(ctx context.Context, r *Runner) error {
	folder := string(c)
	data, err := regular.ReadFile(filepath.Join(folder, "case.json"), maxText)
	if err != nil {
		return err
	}
	var file caseFile
	if err := json.Unmarshal(quoteNumbers(data), &file); err != nil {
		return faults.Errorf("case.json: %w", err)
	}
	if file.Runs != nil {
		return file.runTexts(ctx, r, folder)
	}
	if file.In != nil {
		return file.runBadText(ctx, r, folder)
	}
	if file.Expect != "" {
		return file.runBad(ctx, r, folder)
	}
	return file.run(ctx, r, folder)
}

// run runs a case with an intact model.
func (file *caseFile) run(ctx context.Context, r *Runner, folder string) error {
	model, err := readModel(folder)
	if err != nil {
		return err
	}
	if (r.DynamicQuantizationGroupSize != -1 || r.KVCachePrecision != ir.F32) && file.RelRMSFast > 0 {
		file.RTol, file.ATol, file.MaxRel, file.RelRMS = 0, 0, 0, file.RelRMSFast
	}
	compiled, err := r.core.CompileModel(ctx, model, r.CompileOptions())
	if err != nil {
		return err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	for step := range max(file.Steps, 1) {
		where := folder
		if step > 0 {
			where = filepath.Join(folder, "step"+strconv.Itoa(step))
		}
		if err := file.step(ctx, request, model, where); err != nil {
			if step > 0 {
				return faults.Errorf("step %d: %w", step, err)
			}
			return err
		}
	}
	return nil
}

// step infers once with the inputs in folder and compares the outputs.
func (file *caseFile) step(ctx context.Context, request *plugin.InferRequest, model *ir.Model, folder string) error {
	if err := setInputs(request, model, folder); err != nil {
		return err
	}
	if err := request.Infer(ctx); err != nil {
		return err
	}
	compared := 0
	for i := range model.Results {
		array, err := npy.ReadFile(filepath.Join(folder, "out", strconv.Itoa(i)+".npy"))
		// If all constants of a model are empty, its last output is only a placeholder.
		if errors.Is(err, os.ErrNotExist) && i > 0 && i == len(model.Results)-1 {
			break
		}
		if err != nil {
			return err
		}
		got := request.Output(i)
		want, err := array.Tensor(got.ElementType(), packedShape(got.ElementType(), got.Shape()))
		if err != nil {
			return faults.Errorf("output %d is %v%v: %w", i, got.ElementType(), got.Shape(), err)
		}
		if err := file.compare(got, want); err != nil {
			return faults.Errorf("output %d: %w", i, err)
		}
		if file.Top1 && i == 0 {
			if a, b := largest(floats(got), got.Len()), largest(floats(want), want.Len()); a != b {
				return faults.Errorf("output 0: the largest element is at %d, want %d", a, b)
			}
		}
		compared++
	}
	if compared == 0 {
		return errors.New("no output is compared")
	}
	return nil
}

// setInputs sets the inputs of a request from the files in folder.
func setInputs(request *plugin.InferRequest, model *ir.Model, folder string) error {
	for i, p := range model.Parameters {
		tensor, err := readInput(p, filepath.Join(folder, "in", strconv.Itoa(i)+".npy"))
		if err != nil {
			return &caseError{err}
		}
		if err := request.SetInput(i, tensor); err != nil {
			return err
		}
	}
	return nil
}

// readInput reads the tensor of a Parameter. If the file has another type, so does the tensor:
// the request must reject it.
func readInput(p *ir.Layer, path string) (*ir.Tensor, error) {
	array, err := npy.ReadFile(path)
	if err != nil {
		return nil, err
	}
	attributes := ir.AttributesOf(p)
	t := attributes.ElementType("element_type", ir.Dynamic)
	shape, err := attributes.PartialShape("shape", ir.UnknownRank).Static()
	if err != nil || attributes.Err() != nil {
		shape = nil
	}
	tensor, err := array.Tensor(t, packedShape(t, shape))
	if err != nil {
		return array.Tensor(ir.Dynamic, nil)
	}
	return tensor, nil
}

// packedShape returns shape if a file of element type t has packed bytes, and nil, which means
// the shape in the file, if it has elements.
func packedShape(t ir.ElementType, shape ir.Shape) ir.Shape {
	if t.Bits() > 0 && t.Bits() < 8 {
		return shape
	}
	return nil
}

// readModel reads the model of a case and checks its graph.
func readModel(folder string) (*ir.Model, error) {
	model, err := irxml.ReadFile(filepath.Join(folder, "model.xml"), irxml.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return model, checkGraph(model)
}

// checkGraph returns an error if model breaks a promise of ir.Model.
func checkGraph(model *ir.Model) error {
	if err := edit.Check(model); err != nil {
		return faults.Errorf("BUG: %w", err)
	}
	return nil
}

// layerType returns the type in a name such as "ScatterUpdate-3".
func layerType(op string) string {
	name, _, _ := strings.Cut(op, "-")
	return name
}
