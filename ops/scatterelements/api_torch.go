package scatterelements

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/index"
)

// The functions of this file follow torch. out and self have the shape selfShape;
// out may be self, as in torch's functions whose names end in an underscore: then
// only the elements that index says are written. out shares no memory with index
// and src. After an error its content is undefined.
//
// index and src have self's rank, where a scalar counts as a vector of one
// element. index is nowhere longer than src, and than self only along dim; where
// it has no elements, neither its shape nor that of src is looked at, and out
// becomes self. A negative dim counts from the back; an index outside [0,d-1], for
// d elements along dim, is an *ops.IndexError.

// TorchScatter is torch.scatter with a src:
//
//	out = self
//	out[index[i, j]][j] = src[i, j]          dim = 0
//	out[i][index[i, j]] = src[i, j]          dim = 1
//
// reduce is "", or "add" or "multiply", which combine the element with the update.
// Of several updates for one element without reduce the last in row-major order
// stays.
func TorchScatter[T Element, I Index](out, self []T, selfShape []int, dim int, index []I, indexShape []int, src []T, srcShape []int, reduce string) error {
	r, err := torchScatterReduction(reduce)
	if err != nil {
		return err
	}
	return torch(call{reduction: r, useInitVal: true}, out, self, selfShape, dim, index, indexShape, src, srcShape)
}

// TorchScatterValue is torch.scatter with a value, which is the update of every
// index. reduce is as in TorchScatter.
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

// TorchScatterAdd is torch.scatter_add: the sum of the element and its updates.
func TorchScatterAdd[T Element, I Index](out, self []T, selfShape []int, dim int, index []I, indexShape []int, src []T, srcShape []int) error {
	return torch(call{reduction: sum, useInitVal: true}, out, self, selfShape, dim, index, indexShape, src, srcShape)
}

// TorchScatterReduce is torch.scatter_reduce. reduce is "sum", "prod", "mean",
// "amax" or "amin". Where includeSelf is false, an element that is updated does
// not take part in its own reduction. Means of integers are rounded down. Complex
// numbers have no amax and amin, booleans no mean, and strings nothing of it.
func TorchScatterReduce[T Element, I Index](out, self []T, selfShape []int, dim int, index []I, indexShape []int, src []T, srcShape []int, reduce string, includeSelf bool) error {
	r, ok := torchReductions[reduce]
	if !ok {
		return fmt.Errorf("reduce %q is none of sum, prod, mean, amax, amin", reduce)
	}
	return torch(call{reduction: r, useInitVal: includeSelf}, out, self, selfShape, dim, index, indexShape, src, srcShape)
}

var torchReductions = map[string]reduction{"sum": sum, "prod": prod, "mean": mean, "amax": maximum, "amin": minimum}

func torchScatterReduction(reduce string) (reduction, error) {
	switch reduce {
	case "":
		return none, nil
	case "add":
		return sum, nil
	case "multiply":
		return prod, nil
	}
	return none, fmt.Errorf("reduce %q is none of add, multiply", reduce)
}

// torch computes c by torch's rules for shapes.
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

func atLeastVector(shape []int) []int {
	if len(shape) == 0 {
		return []int{1}
	}
	return shape
}
