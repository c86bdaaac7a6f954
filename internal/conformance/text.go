package conformance

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/conformance/textcorpus"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// textRun is one inference of a case with text: the inputs, in the order of the Parameters, and the
// outputs.
type textRun struct {
	In, Out []textTensor
	// Error is OpenVINO's error for these inputs. Crash is set if OpenVINO crashes: then any result
	// is right.
	Error string
	Crash json.RawMessage
}

// undefined is the start of a note about a case whose results are undefined in OpenVINO.
const undefined = "undefined"

// runTexts runs a case with text: all runs on one InferRequest.
func (file *caseFile) runTexts(ctx context.Context, r *Runner, folder string) error {
	model, err := readModel(folder)
	if err != nil {
		return err
	}
	compiled, err := r.core.CompileModel(ctx, model, plugin.CompileOptions{InferenceNumThreads: r.Threads, ExecutionMode: r.ExecutionMode})
	if err != nil {
		return err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	for i := range file.Runs {
		run := &file.Runs[i]
		err := setTexts(request, run.In)
		if err == nil {
			err = request.Infer(ctx)
		}
		switch {
		case err != nil && (isBug(err) || ctx.Err() != nil):
			return faults.Errorf("run %d: %w", i, err)
		case strings.HasPrefix(file.Note, undefined) || run.Crash != nil:
			continue
		case run.Error != "" && err == nil:
			return faults.Errorf("run %d: accepted, OpenVINO refuses it: %s", i, run.Error)
		case run.Error != "":
			continue
		case err != nil:
			return faults.Errorf("run %d: %w", i, err)
		}
		for output := range run.Out {
			if err := file.compareText(request.Output(output), &run.Out[output]); err != nil {
				return faults.Errorf("run %d: output %d: %w", i, output, err)
			}
		}
	}
	return nil
}

// compareText returns an error that describes how got differs from want.
func (file *caseFile) compareText(got *ir.Tensor, want *textTensor) error {
	tensor, err := want.tensor()
	if err != nil {
		return err
	}
	if got.ElementType() != tensor.ElementType() {
		return faults.Errorf("element type is %v, want %v", got.ElementType(), tensor.ElementType())
	}
	return file.compare(got, tensor)
}

// setTexts sets the inputs of a request.
func setTexts(request *plugin.InferRequest, inputs []textTensor) error {
	for i := range inputs {
		tensor, err := inputs[i].tensor()
		if err != nil {
			return &caseError{faults.Errorf("input %d: %w", i, err)}
		}
		if err := request.SetInput(i, tensor); err != nil {
			return err
		}
	}
	return nil
}

// textTensor is a tensor as cases with text keep it.
type textTensor struct {
	// T is the element type, S the shape, and D the elements in row-major order: numbers, 0 and 1
	// of boolean, strings. Elements of u8 are in Hex instead.
	T   string
	S   ir.Shape
	D   []json.RawMessage
	Hex *string
}

// tensor returns the tensor.
func (t *textTensor) tensor() (*ir.Tensor, error) {
	elementType, err := ir.ParseElementType(t.T)
	if err != nil {
		return nil, err
	}
	tensor, err := ir.NewTensor(elementType, t.S...)
	if err != nil {
		return nil, err
	}
	n := len(t.D)
	if t.Hex != nil {
		decoded, err := hex.DecodeString(*t.Hex)
		if err != nil || elementType != ir.U8 {
			return nil, faults.Errorf("hex of %v: %w", elementType, err)
		}
		if n = len(decoded); n == tensor.Len() {
			copy(tensor.Bytes(), decoded)
		}
	}
	if n != tensor.Len() {
		return nil, faults.Errorf("%d elements for shape %v", n, t.S)
	}
	for i := range t.D {
		if err := t.set(tensor, i); err != nil {
			return nil, faults.Errorf("element %d: %w", i, err)
		}
	}
	return tensor, nil
}

// set sets element i.
func (t *textTensor) set(tensor *ir.Tensor, i int) error {
	var to any
	switch tensor.ElementType() {
	case ir.String:
		var s textcorpus.String
		err := json.Unmarshal(t.D[i], &s)
		tensor.Strings()[i] = string(s)
		return err
	case ir.F32:
		return setFloat(&ir.Data[float32](tensor)[i], t.D[i])
	case ir.F64:
		return setFloat(&ir.Data[float64](tensor)[i], t.D[i])
	case ir.I8:
		to = &ir.Data[int8](tensor)[i]
	case ir.I16:
		to = &ir.Data[int16](tensor)[i]
	case ir.I32:
		to = &ir.Data[int32](tensor)[i]
	case ir.I64:
		to = &ir.Data[int64](tensor)[i]
	case ir.Boolean:
		to = &tensor.Bytes()[i]
	case ir.U16:
		to = &ir.Data[uint16](tensor)[i]
	case ir.U32:
		to = &ir.Data[uint32](tensor)[i]
	case ir.U64:
		to = &ir.Data[uint64](tensor)[i]
	default:
		return faults.Errorf("type %v is in no case", tensor.ElementType())
	}
	return json.Unmarshal(t.D[i], to)
}

// setFloat sets a number as Python writes it: quoteNumbers has put NaN and infinities in quotes.
func setFloat[F float32 | float64](to *F, data json.RawMessage) error {
	f, err := strconv.ParseFloat(string(bytes.Trim(data, `"`)), 64)
	*to = F(f)
	return err
}

// quoteNumbers puts the numbers NaN, Infinity and -Infinity in quotes, which Python writes without.
func quoteNumbers(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	var out []byte
	for len(data) > 0 {
		n := bytes.IndexByte(data, '"')
		if n < 0 {
			n = len(data)
		}
		part := bytes.ReplaceAll(data[:n], []byte("NaN"), []byte(`"NaN"`))
		part = bytes.ReplaceAll(part, []byte("Infinity"), []byte(`"Infinity"`))
		out = append(out, bytes.ReplaceAll(part, []byte(`-"Infinity"`), []byte(`"-Infinity"`))...)
		if data = data[n:]; len(data) == 0 {
			break
		}
		end := 1 // of the string
		for end < len(data) && data[end] != '"' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(data))
		out, data = append(out, data[:end]...), data[end:]
	}
	return out
}

// runBadText runs a case with text that is broken: a model or its inputs.
func (file *caseFile) runBadText(ctx context.Context, r *Runner, folder string) error {
	file.Message = file.OpenVINO
	stage, refusal := refuse(ctx, r, folder, func(request *plugin.InferRequest, _ *ir.Model) error { return setTexts(request, file.In) })
	var broken *caseError
	switch {
	case errors.As(refusal, &broken):
		return broken
	case refusal != nil && (isBug(refusal) || ctx.Err() != nil || isUnsupported(refusal) && !file.unknownLayer()):
		return refusal
	case file.Expect == "any":
		return nil
	case file.Expect != "error":
		return faults.Errorf("case.json: expect is %q", file.Expect)
	case refusal == nil:
		return errors.New("accepted, to be refused: " + file.What)
	}
	if file.Stage == "" {
		return nil
	}
	return checkStage(stage, file.Stage, refusal)
}
