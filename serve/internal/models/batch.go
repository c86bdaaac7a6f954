package models

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/schedule"
)

// joinKey returns what the inputs of tasks that can be joined have in common: their shapes without
// the rows. It is empty if v does not join t, whose inputs have the given bytes, or t has no rows.
func (v *version) joinKey(t *task, bytes int64) string {
	if v.joinRows <= 1 || t.rows < 1 || v.joinBytes > 0 && bytes/int64(t.rows) > v.joinBytes {
		return ""
	}
	var key strings.Builder
	key.WriteByte('.') // never empty
	for _, tensor := range t.inputs {
		key.WriteString(tensor.Shape()[1:].String())
	}
	return key.String()
}

// run computes the tasks of a batch in one inference. If it fails, each is computed alone: the
// values of one must not make the others fail.
func (v *version) run(ctx context.Context, batch []*schedule.Job[*task]) {
	err := v.runBatch(ctx, batch)
	var failed *inferenceError
	if len(batch) > 1 && errors.As(err, &failed) {
		for i, job := range batch {
			v.run(job.Context(), batch[i:i+1])
		}
		return
	}
	if err == nil {
		return
	}
	for _, job := range batch {
		job.Err = err
		if own := job.Context().Err(); own != nil {
			job.Err = own
		}
	}
}

// runBatch computes the tasks of a batch, or returns why none of them could be computed.
func (v *version) runBatch(ctx context.Context, batch []*schedule.Job[*task]) error {
	request, err := v.requests.take()
	if err != nil {
		return err
	}
	defer v.requests.put(request)
	begin := time.Now()
	var joined task // holds the memory of joined inputs
	defer joined.free()
	rows, err := v.setInputs(request, batch, &joined)
	if err != nil {
		return err
	}
	inputsAt := time.Now()
	if err := request.Infer(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &inferenceError{err}
	}
	inferredAt := time.Now()
	used := 0
	for _, job := range batch {
		t := job.Value
		t.batch, t.inputsAt, t.inferredAt = rows, inputsAt, inferredAt
		if job.Err = v.takeOutputs(request, t, used, rows); job.Err != nil {
			t.free()
		}
		used += t.rows
	}
	v.counted.execution(used, inputsAt.Sub(begin), inferredAt.Sub(inputsAt), time.Since(inferredAt))
	return nil
}

// setInputs sets the inputs and the places of outputs of request, and returns the number of rows
// that it computes. Inputs of several tasks are put into memory of joined.
func (v *version) setInputs(request *plugin.InferRequest, batch []*schedule.Job[*task], joined *task) (rows int, err error) {
	if len(batch) == 1 {
		t := batch[0].Value
		for i, tensor := range t.inputs {
			if err := request.SetInput(i, tensor); err != nil {
				return 0, &inferenceError{err}
			}
		}
		return t.rows, v.setOutputs(request, t)
	}
	for _, job := range batch {
		rows += job.Rows
	}
	rows = schedule.RoundUp(rows, v.joinRows)
	for i := range v.inputs {
		tensor, err := v.join(batch, i, rows, joined)
		if err != nil {
			return 0, err
		}
		if err := request.SetInput(i, tensor); err != nil {
			return 0, &inferenceError{err}
		}
	}
	return rows, v.setOutputs(request, nil)
}

// setOutputs makes request write the outputs that t wants into memory of t, if their shapes are
// known. Others, and all if t is nil, are written to memory of the request.
func (v *version) setOutputs(request *plugin.InferRequest, t *task) error {
	for i := range v.outputs {
		if err := request.SetOutput(i, nil); err != nil {
			return err
		}
	}
	if t == nil {
		return nil
	}
	t.outputs = make([]oip.Output, len(t.wanted))
	for i, at := range t.wanted {
		p := &v.outputs[at]
		shape := p.shape
		if v.joinRows > 1 && shape.Rank() > 0 {
			shape = shape.With(0, ir.Dim(int64(t.rows)))
		}
		if p.elementType == ir.String || !shape.IsStatic() || p.reshaping != nil {
			continue
		}
		static, err := shape.Static()
		if err != nil {
			return err
		}
		tensor, err := t.allocate(v.buffers, p.elementType, static)
		if err != nil {
			return err
		}
		if err := request.SetOutput(at, tensor); err != nil {
			return err
		}
		t.outputs[i] = oip.Output{Name: p.name, Tensor: tensor}
	}
	return nil
}

// allocate returns a tensor with any elements, in memory that t gives back. It cannot be of
// strings.
func (t *task) allocate(pool *buffers.Pool, elementType ir.ElementType, shape ir.Shape) (*ir.Tensor, error) {
	n, err := ir.ByteSize(elementType, shape)
	if err != nil {
		return nil, err
	}
	if t.memory == nil {
		t.memory = buffers.NewLender(pool)
	}
	return ir.TensorOfBytes(elementType, shape, t.memory.Get(n))
}

// free gives the memory of t back.
func (t *task) free() {
	if t.memory != nil {
		t.memory.Free()
	}
	t.outputs, t.memory = nil, nil
}

// join returns input i of all tasks as one tensor of the given number of rows, in memory of joined.
// Rows beyond those of the tasks repeat the last one, which is valid data.
func (v *version) join(batch []*schedule.Job[*task], i, rows int, joined *task) (*ir.Tensor, error) {
	first := batch[0].Value.inputs[i]
	shape := append(ir.Shape{rows}, first.Shape()[1:]...)
	if first.ElementType() == ir.String {
		all := make([]string, shape.Elements())
		fill(all, rows, batch, func(t *task) []string { return t.inputs[i].Strings() })
		return ir.StringTensor(shape, all)
	}
	tensor, err := joined.allocate(v.buffers, first.ElementType(), shape)
	if err == nil {
		fill(tensor.Bytes(), rows, batch, func(t *task) []byte { return t.inputs[i].Bytes() })
	}
	return tensor, err
}

// fill copies the elements of all tasks to all, which has the given number of rows, and then the
// last row again.
func fill[E any](all []E, rows int, batch []*schedule.Job[*task], elements func(*task) []E) {
	row := len(all) / rows
	used := 0
	for _, job := range batch {
		used += copy(all[used:], elements(job.Value))
	}
	for last := all[used-row : used]; used < len(all) && row > 0; {
		used += copy(all[used:], last)
	}
}

// takeOutputs sets the outputs of t: the rows from first on, of an inference of rows rows.
func (v *version) takeOutputs(request *plugin.InferRequest, t *task, first, rows int) error {
	if t.outputs == nil {
		t.outputs = make([]oip.Output, len(t.wanted))
	}
	for i, at := range t.wanted {
		if t.outputs[i].Tensor != nil {
			continue // written to where it is
		}
		tensor, err := v.takeOutput(request.Output(at), &v.outputs[at], t, first, rows)
		if err != nil {
			return fmt.Errorf("output %q: %w", v.outputs[at].name, err)
		}
		t.outputs[i] = oip.Output{Name: v.outputs[at].name, Tensor: tensor}
	}
	return nil
}

// takeOutput returns a copy of the rows of t in output, the output p.
func (v *version) takeOutput(output *ir.Tensor, p *port, t *task, first, rows int) (*ir.Tensor, error) {
	if output == nil {
		return nil, fmt.Errorf("BUG: it was not computed")
	}
	shape := output.Shape()
	from, to, of := 0, 1, 1
	if rows != t.rows {
		if len(shape) == 0 || shape[0] != rows {
			return nil, fmt.Errorf("%d rows were computed together, and the shape is %s", rows, shape)
		}
		shape = append(ir.Shape{t.rows}, shape[1:]...)
		from, to, of = first, first+t.rows, rows
	}
	if p.reshaping != nil {
		var err error
		if shape, err = p.reshaping.toClient(shape); err != nil {
			return nil, err
		}
	}
	if output.ElementType() == ir.String {
		all := output.Strings()
		return ir.StringTensor(shape, append([]string(nil), all[len(all)/of*from:len(all)/of*to]...))
	}
	copied, err := t.allocate(v.buffers, output.ElementType(), shape)
	if err != nil {
		return nil, err
	}
	all := output.Bytes()
	copy(copied.Bytes(), all[len(all)/of*from:len(all)/of*to])
	return copied, nil
}
