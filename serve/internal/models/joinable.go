package models

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// decideJoining sets how many rows of requests are computed together: what the configuration
// allows, or the options for a model whose first dimensions are all unknown. It tries whether rows
// are independent: if not, requests are not joined.
func (s *Server) decideJoining(ctx context.Context, v *version) error {
	most := v.maxRows
	if most == 0 && v.allRowsOpen() {
		most = s.options.MaxBatchSize
		v.joinBytes = unaskedBytes
	}
	if most <= 1 {
		return nil
	}
	err := v.tryJoining(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.log.Info("requests are not computed together", "model", v.model, "version", v.number, "reason", err)
		return nil
	}
	v.joinRows = most
	return nil
}

// unaskedBytes is the size of the largest row that is joined without a configuration that asks for
// it. Larger ones, such as pictures, use all threads alone and gain little, while the memory of an
// inference grows with its rows.
const unaskedBytes = 64 << 10

// allRowsOpen reports whether the first dimensions of all inputs and outputs can be any, so that
// they probably count rows.
func (v *version) allRowsOpen() bool {
	open := func(p port) bool {
		return p.shape.Rank() >= 1 && p.shape.At(0).Max == ir.Unbounded && p.shape.At(0).Min <= 1
	}
	closed := func(p port) bool { return !open(p) }
	return len(v.inputs) > 0 && !slices.ContainsFunc(v.inputs, closed) && !slices.ContainsFunc(v.outputs, closed)
}

// tryJoining returns an error if two rows that are computed together are not what each is alone,
// for generated inputs.
func (v *version) tryJoining(ctx context.Context) error {
	request, err := v.requests.take()
	if err != nil {
		return err
	}
	v.requests.put(request)
	if len(request.QueryState()) > 0 {
		return fmt.Errorf("the model has variables")
	}
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([][]*ir.Tensor, 2)
	together := make([]*ir.Tensor, len(v.inputs))
	for i := range v.inputs {
		shape, err := lengthsOf(v.inputs[i].shape, 1)
		if err != nil {
			return fmt.Errorf("input %q: %w", v.inputs[i].name, err)
		}
		for j := range rows {
			tensor, err := generated(v.inputs[i].elementType, shape, random)
			if err != nil {
				return err
			}
			rows[j] = append(rows[j], tensor)
		}
		if together[i], err = stack(rows[0][i], rows[1][i]); err != nil {
			return err
		}
	}
	var alone [2][]*ir.Tensor
	for j, inputs := range rows {
		if alone[j], err = v.try(ctx, inputs); err != nil {
			return err
		}
	}
	both, err := v.try(ctx, together)
	if err != nil {
		return err
	}
	for i := range v.outputs {
		if err := sameRows(both[i], alone[0][i], alone[1][i]); err != nil {
			return fmt.Errorf("output %q: %w", v.outputs[i].name, err)
		}
	}
	return nil
}

// stack returns two tensors of one row as one of two rows.
func stack(a, b *ir.Tensor) (*ir.Tensor, error) {
	both, err := ir.NewTensor(a.ElementType(), append(ir.Shape{2}, a.Shape()[1:]...)...)
	if err != nil {
		return nil, err
	}
	if a.ElementType() == ir.String {
		copy(both.Strings(), slices.Concat(a.Strings(), b.Strings()))
		return both, nil
	}
	copy(both.Bytes(), a.Bytes())
	copy(both.Bytes()[len(a.Bytes()):], b.Bytes())
	return both, nil
}

// try returns copies of the outputs for inputs.
func (v *version) try(ctx context.Context, inputs []*ir.Tensor) ([]*ir.Tensor, error) {
	request, err := v.requests.take()
	if err != nil {
		return nil, err
	}
	defer v.requests.put(request)
	for i, tensor := range inputs {
		if err := request.SetInput(i, tensor); err != nil {
			return nil, err
		}
	}
	if err := request.Infer(ctx); err != nil {
		return nil, err
	}
	return request.CopyOutputs(ctx)
}

// sameRows returns an error if both is not a row like a and one like b. Kernels for more rows can
// add in another order, so that numbers may differ by 2 % of the largest one.
func sameRows(both, a, b *ir.Tensor) error {
	const tolerance = 0.02
	shape := both.Shape()
	if len(shape) == 0 || shape[0] != 2 || a.Len() != b.Len() || a.Len()+b.Len() != both.Len() ||
		!slices.Equal(shape[1:], a.Shape()[1:]) {
		return fmt.Errorf("of two rows, the shape is %s, of one %s", shape, a.Shape())
	}
	if both.ElementType() == ir.String {
		if !slices.Equal(both.Strings(), slices.Concat(a.Strings(), b.Strings())) {
			return fmt.Errorf("a row depends on the other one")
		}
		return nil
	}
	n := a.Len()
	values, alone := both.Values(), [2]func(int) float64{a.Values(), b.Values()}
	for row, value := range alone {
		largest := 0.0
		for i := range n {
			if x := math.Abs(value(i)); !math.IsInf(x, 0) {
				largest = math.Max(largest, x)
			}
		}
		for i := range n {
			x, y := values(row*n+i), value(i)
			if x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= tolerance*largest {
				continue
			}
			return fmt.Errorf("a row depends on the other one: element %d of row %d is %g, alone %g", i, row, x, y)
		}
	}
	return nil
}
