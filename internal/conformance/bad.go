package conformance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/plugin"
)

// stages are the stages at which a model or its inputs can be rejected, in order. OpenVINO
// infers shapes while it reads, so inference of shapes is part of the first stage.
var stages = []string{"read", "compile", "infer"}

// runBad runs a case with a broken model or broken inputs. It checks the stage that returns the
// error. Panics are found by the runner. If a file of the case itself cannot be read, that is no
// rejection of the model: the case fails.
func (file *caseFile) runBad(ctx context.Context, r *Runner, folder string) error {
	stage, refusal := refuse(ctx, r, folder, func(request *plugin.InferRequest, model *ir.Model) error {
		return setInputs(request, model, folder)
	})
	var broken *caseError
	switch {
	case errors.As(refusal, &broken):
		return broken
	case file.Expect != "any" && file.Expect != "error":
		return faults.Errorf("case.json: expect is %q", file.Expect)
	case refusal != nil && (isBug(refusal) || isUnsupported(refusal) && !file.unknownLayer()):
		return refusal
	case file.Expect == "any":
		if refusal == nil && file.Stage != "infer" {
			return requireFinding(ctx, r, folder)
		}
		return nil
	case refusal == nil:
		return faults.Errorf("accepted, to be refused at stage %s", file.Stage)
	}
	return checkStage(stage, file.Stage, refusal)
}

// checkStage returns an error unless stage, at which a model was refused, is expected or before it.
func checkStage(stage, expected string, refusal error) error {
	for _, s := range stages {
		if s == stage {
			return nil
		}
		if s == expected {
			break
		}
	}
	return faults.Errorf("refused at stage %s, to be refused at stage %s: %w", stage, expected, refusal)
}

// requireFinding returns an error unless validate.Model has findings about the model in folder,
// which is broken but accepted.
func requireFinding(ctx context.Context, r *Runner, folder string) error {
	model, err := readModel(folder)
	if err != nil {
		return err
	}
	report, err := validate.Model(ctx, model, r.registry, nil)
	if err != nil {
		return err
	}
	if len(report.Findings) == 0 {
		return errors.New("accepted, but validation finds nothing wrong")
	}
	return nil
}

// unknownLayer reports whether OpenVINO rejects the case because it does not have the layer
// type either.
func (file *caseFile) unknownLayer() bool {
	return strings.Contains(file.Message, "doesn't contain the operation with type") ||
		strings.Contains(file.Message, "from unsupported opset")
}

// refuse runs a model through all stages. It returns the stage that fails and its error, or the
// last stage and nil. set sets the inputs.
func refuse(ctx context.Context, r *Runner, folder string, set func(*plugin.InferRequest, *ir.Model) error) (stage string, refusal error) {
	if err := readable(filepath.Join(folder, "model.xml")); err != nil {
		return "read", &caseError{err}
	}
	model, err := readModel(folder)
	if err != nil {
		return "read", err
	}
	if err := mistakes(infer.Propagate(ctx, model, r.registry, nil)); err != nil {
		return "read", err
	}
	compiled, err := r.core.CompileModel(ctx, model, plugin.CompileOptions{InferenceNumThreads: r.Threads, ExecutionMode: r.ExecutionMode})
	if err != nil {
		return "compile", err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	if err := set(request, model); err != nil {
		return "infer", err
	}
	return "infer", request.Infer(ctx)
}

// caseError is the error of reading a file of the case that the model or the runtime is not at
// fault for: the XML as a file, or an input.
type caseError struct{ err error }

func (e *caseError) Error() string { return "the case cannot be read: " + e.err.Error() }

func (e *caseError) Unwrap() error { return e.err }

// readable returns an error if the file cannot be opened.
func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// mistakes returns the error of Propagate without the layers of unsupported types, unless there
// are no other errors.
func mistakes(shapes *infer.Shapes, err error) error {
	var real []error
	for _, e := range shapes.Errors() {
		if !isUnsupported(e) {
			real = append(real, e)
		}
	}
	if len(real) > 0 {
		return faults.Join(real...)
	}
	return err
}
