package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/plugin"
)

// stages are the stages at which a model or its inputs can be rejected, in order. OpenVINO
// infers shapes while it reads, so inference of shapes is part of the first stage.
var stages = []string{"read", "compile", "infer"}

// runBad runs a case with a broken model or broken inputs. It checks the stage that returns the
// error. Panics are found by the runner.
func (file *caseFile) runBad(ctx context.Context, r *Runner, folder string) error {
	stage, refusal := refuse(ctx, r, folder)
	switch {
	case file.Expect != "any" && file.Expect != "error":
		return fmt.Errorf("case.json: expect is %q", file.Expect)
	case refusal != nil && (isBug(refusal) || isUnsupported(refusal) && !file.unknownLayer()):
		return refusal
	case file.Expect == "any":
		if refusal == nil && file.Stage != "infer" {
			return requireFinding(r, folder)
		}
		return nil
	case refusal == nil:
		return fmt.Errorf("accepted, to be refused at stage %s", file.Stage)
	}
	for _, s := range stages {
		if s == stage {
			return nil
		}
		if s == file.Stage {
			break
		}
	}
	return fmt.Errorf("refused at stage %s, to be refused at stage %s: %w", stage, file.Stage, refusal)
}

// requireFinding returns an error unless validate.Model has findings about the model in folder,
// which is broken but accepted.
func requireFinding(r *Runner, folder string) error {
	model, err := readModel(folder)
	if err != nil {
		return err
	}
	if len(validate.Model(model, r.registry, nil).Findings) == 0 {
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
// last stage and nil.
func refuse(ctx context.Context, r *Runner, folder string) (stage string, refusal error) {
	model, err := readModel(folder)
	if err != nil {
		return "read", err
	}
	if err := faults(infer.Propagate(model, r.registry, nil)); err != nil {
		return "read", err
	}
	compiled, err := r.core.CompileModel(ctx, model, plugin.CompileOptions{InferenceNumThreads: r.Threads})
	if err != nil {
		return "compile", err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	if err := setInputs(request, model, folder); err != nil {
		return "infer", err
	}
	return "infer", request.Infer(ctx)
}

// faults returns the error of Propagate without the layers of unsupported types, unless there
// are no other errors.
func faults(shapes *infer.Shapes, err error) error {
	var real []error
	for _, e := range shapes.Errors() {
		if !isUnsupported(e) {
			real = append(real, e)
		}
	}
	if len(real) > 0 {
		return errors.Join(real...)
	}
	return err
}
