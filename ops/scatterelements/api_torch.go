package scatterelements

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
)

// The functions of this file follow torch. out and self have the shape selfShape. out may be
// self, as in the functions of torch whose names end in an underscore; then only the elements
// that index refers to are written. out must not overlap index and src. After an error the
// content of out is undefined.
//
// index and src have the rank of self; a scalar counts as a vector of one element. index must
// not be longer than src and, except along dim, not longer than self. If index has no elements,
// its shape and that of src are ignored, and out becomes a copy of self. A negative dim counts
// from the last axis. If dim has d elements, an index outside of [0,d-1] is an *ops.IndexError.

// TorchScatter computes torch.scatter with a src:
//
//	out = self
//	out[index[i, j]][j] = src[i, j]          dim = 0
//	out[i][index[i, j]] = src[i, j]          dim = 1
//
// reduce is "", or "add" or "multiply", which combine the element with the update. Without
// reduce, if several updates have the same element, the last one in row-major order counts.
func TorchScatter[T Element, I Index](out, self []T, selfShape []int, dim int, index []I, indexShape []int, src []T, srcShape []int, reduce string) error {
	r, err := torchScatterReduction(reduce)
	if err != nil {
		return err
	}
	return torch(call{reduction: r, useInitVal: true}, out, self, selfShape, dim, index, indexShape, src, srcShape)
}

// TorchScatterValue computes torch.scatter with one value as the update of every index. reduce
// is as in TorchScatter.
func TorchScatterValue[T Element, I Index](out, self []T, selfShape []int, dim int, index []I, indexShape []int, value T, reduce string) error {
	r, err := torchScatterReduction(reduce)
	if err != nil {
		return err
	}
	src := make([]T, min(len(index), blockLength))
	for i := range src {
		src[i] = value
	}
	return torch(call{reduction: r, useInitVal: true, repeat: true}, out, self, selfShape, dim, index, indexShape, src, []int{len(src)})
}

// TorchScatterAdd computes torch.scatter_add: the sum of each element and its updates.
func TorchScatterAdd[T Element, I Index](out, self []T, selfShape []int, dim int, index []I, indexShape []int, src []T, srcShape []int) error {
	return torch(call{reduction: sum, useInitVal: true}, out, self, selfShape, dim, index, indexShape, src, srcShape)
}

// TorchScatterReduce computes torch.scatter_reduce. reduce is "sum", "prod", "mean", "amax" or
// "amin". If includeSelf is false, the initial value of an element with updates is not part of
// the reduction. Means of integers are rounded down. Complex numbers have no amax and amin,
// booleans have no mean, and strings have no reduction.
func TorchScatterReduce[T Element, I Index](out, self []T, selfShape []int, dim int, index []I, indexShape []int, src []T, srcShape []int, reduce string, includeSelf bool) error {
	r, ok := torchReductions[reduce]
	if !ok {
		return faults.Errorf("reduce %q is none of sum, prod, mean, amax, amin", reduce)
	}
	return torch(call{reduction: r, useInitVal: includeSelf}, out, self, selfShape, dim, index, indexShape, src, srcShape)
}

var torchReductions = map[string]reduction{"sum": sum, "prod": prod, "mean": mean, "amax": maximum, "amin": minimum}

// torchScatterReduction returns the reduction of torch.scatter.
func torchScatterReduction(reduce string) (reduction, error) {
	switch reduce {
	case "":
		return none, nil
	case "add":
		return sum, nil
	case "multiply":
		return prod, nil
	}
	return none, faults.Errorf("reduce %q is none of add, multiply", reduce)
}

// torch computes c with torch's rules for shapes.
func torch[T Element, I Index](c call, out, self []T, selfShape []int, dim int, indices []I, indexShape []int, src []T, srcShape []int) error {
	x, err := operandsOf(out, self, atLeastVector(selfShape), indices, atLeastVector(indexShape), src, atLeastVector(srcShape))
	if err != nil {
		return err
	}
	if len(indices) == 0 {
		if _, err := index.Axis(int64(dim), len(x.data.Shape())); err != nil {
			return err
		}
		copy(out, self)
		return nil
	}
	c.threads = 1
	return x.run(c, dim)
}

// atLeastVector returns shape, or that of a vector of one element for a scalar.
func atLeastVector(shape []int) []int {
	if len(shape) == 0 {
		return []int{1}
	}
	return shape
}
