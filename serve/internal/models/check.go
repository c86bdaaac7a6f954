package models

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// task is a request that fits a version.
type task struct {
	// inputs are in the order of the model.
	inputs []*ir.Tensor
	// rows is the number of rows, 1 if the model has none.
	rows int
	// wanted are the outputs that are asked for, in the order of the response.
	wanted []int

	// outputs are the answer, and memory is what they are in, as far as that is lent.
	outputs []oip.Output
	memory  *buffers.Lender
	// batch is the number of rows of the inference, and the times are those of its end.
	batch                int
	inputsAt, inferredAt time.Time
}

// check returns the task for a request. The error has the code Malformed if the request does not
// fit v.
func (v *version) check(request *oip.InferRequest) (t *task, err error) {
	t = &task{inputs: make([]*ir.Tensor, len(v.inputs)), rows: 1}
	for i := range request.Inputs {
		in := &request.Inputs[i]
		at, ok := v.inputIndices[in.Name]
		if !ok {
			return nil, oip.Errorf(oip.Malformed, "model %q has no input %q: it has %s", v.model, cut(in.Name), names(v.inputs))
		}
		if t.inputs[at] != nil {
			return nil, oip.Errorf(oip.Malformed, "input %q is given twice", v.inputs[at].name)
		}
		if t.inputs[at], err = v.checkInput(&v.inputs[at], in.Tensor); err != nil {
			return nil, err
		}
	}
	for i, tensor := range t.inputs {
		if tensor == nil {
			return nil, oip.Errorf(oip.Malformed, "input %q is missing: model %q has %s", v.inputs[i].name, v.model, names(v.inputs))
		}
	}
	if err := v.checkRows(t); err != nil {
		return nil, err
	}
	return t, v.checkOutputs(t, request.Outputs)
}

// checkInput returns tensor as the model takes it, or an error if it does not have the type and
// shape of p.
func (v *version) checkInput(p *port, tensor *ir.Tensor) (*ir.Tensor, error) {
	if tensor == nil {
		return nil, oip.Errorf(oip.Malformed, "input %q has no data", p.name)
	}
	if t := tensor.ElementType(); t != p.elementType {
		return nil, oip.Errorf(oip.Malformed, "input %q is %s, the model expects %s", p.name, typeName(t), p.datatype)
	}
	if shape := tensor.Shape(); !p.seen().Contains(shape.Partial()) {
		return nil, oip.Errorf(oip.Malformed, "input %q has the shape %s, the model expects %s", p.name, cut(shape.String()), p.seen())
	}
	if p.reshaping == nil {
		return tensor, nil
	}
	reshaped, err := p.reshaping.toModel(tensor)
	if err != nil {
		return nil, oip.Errorf(oip.Malformed, "input %q: %v", p.name, err)
	}
	return reshaped, nil
}

// typeName returns the protocol's name of t.
func typeName(t ir.ElementType) string {
	if name, ok := oip.DatatypeOf(t); ok {
		return string(name)
	}
	return t.String()
}

// checkRows sets the number of rows, which all inputs must have.
func (v *version) checkRows(t *task) error {
	if v.maxRows == 0 && v.joinRows <= 1 || len(t.inputs) == 0 {
		return nil
	}
	t.rows = t.inputs[0].Shape()[0]
	for i, tensor := range t.inputs {
		if rows := tensor.Shape()[0]; rows != t.rows {
			return oip.Errorf(oip.Malformed, "input %q has %d rows, input %q %d: all must have the same number",
				v.inputs[0].name, t.rows, v.inputs[i].name, rows)
		}
	}
	if v.maxRows > 0 && (t.rows < 1 || t.rows > v.maxRows) {
		return oip.Errorf(oip.Malformed, "the request has %d rows, model %q takes 1 to %d", t.rows, v.model, v.maxRows)
	}
	return nil
}

// checkOutputs sets the outputs that are wanted.
func (v *version) checkOutputs(t *task, requested []oip.RequestedOutput) error {
	if len(requested) == 0 {
		t.wanted = v.allOutputs
		return nil
	}
	t.wanted = make([]int, len(requested))
	known := make(map[int]bool, len(requested))
	for i := range requested {
		at, ok := v.outputIndices[requested[i].Name]
		if !ok {
			return oip.Errorf(oip.Malformed, "model %q has no output %q: it has %s", v.model, cut(requested[i].Name), names(v.outputs))
		}
		if known[at] {
			return oip.Errorf(oip.Malformed, "output %q is asked for twice", v.outputs[at].name)
		}
		known[at] = true
		t.wanted[i] = at
	}
	return nil
}

// names lists the names of ports, for messages.
func names(ports []port) string {
	const most = 8
	if len(ports) == 0 {
		return "none"
	}
	var list []string
	for _, p := range ports[:min(len(ports), most)] {
		list = append(list, strconv.Quote(cut(p.name)))
	}
	if len(ports) > most {
		list = append(list, "...")
	}
	return strings.Join(list, ", ")
}

// timeoutOf returns the time that a request allows for its answer; 0 if it says nothing.
func timeoutOf(request *oip.InferRequest) (time.Duration, error) {
	n, err := numberOf(request, oip.ParameterTimeout, math.MaxInt64/int64(time.Microsecond))
	return time.Duration(n) * time.Microsecond, err
}

// numberOf returns a parameter that is a number from 0 to most; 0 if there is none.
func numberOf(request *oip.InferRequest, name string, most int64) (int64, error) {
	var n int64
	switch value := request.Parameters[name].(type) {
	case nil:
		return 0, nil
	case int64:
		n = value
	case uint64:
		n = int64(min(value, math.MaxInt64))
	case float64:
		n = -1
		if value >= 0 && value < 1<<63 && value == math.Trunc(value) {
			n = int64(value)
		}
	case string:
		var err error
		if n, err = strconv.ParseInt(value, 10, 64); err != nil {
			n = -1
		}
	default:
		n = -1
	}
	if n < 0 || n > most {
		return 0, oip.Errorf(oip.Malformed, "parameter %q is %s: it must be a whole number from 0 to %d",
			name, cut(toText(request.Parameters[name])), most)
	}
	return n, nil
}
