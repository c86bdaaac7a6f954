package rnn

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/vmath"
)

// activations returns the activations f, g and h of a cell.
func activations[T cast.Float](at *attributes) ([]func(T) T, error) {
	n := at.functionCount()
	if len(at.activations) < n {
		return nil, faults.Errorf("%d activations are named, the cell has %d", len(at.activations), n)
	}
	var list []func(T) T
	for i, name := range at.activations[:n] {
		f, err := activation[T](name, parameter(at.alpha, i, 0.2), parameter(at.beta, i, 0.5))
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// parameter returns entry i of a list, or otherwise.
func parameter(list []float64, i int, otherwise float64) float64 {
	if i < len(list) {
		return list[i]
	}
	return otherwise
}

func activation[T cast.Float](name string, alpha, beta float64) (func(T) T, error) {
	switch name {
	case "sigmoid":
		return func(x T) T { return T(1 / (1 + math.Exp(-float64(x)))) }, nil
	case "tanh":
		return func(x T) T { return T(math.Tanh(float64(x))) }, nil
	case "relu":
		return func(x T) T { return max(x, 0) }, nil
	case "hardsigmoid":
		a, b := T(alpha), T(beta)
		return func(x T) T { return min(max(T(a*x)+b, 0), 1) }, nil
	}
	return nil, faults.Errorf("%.100q is none of the activations sigmoid, tanh, relu, hardsigmoid", name)
}

// functions returns the activations of a cell for rows, whose elements they replace: vector code if
// there is some.
func functions(at *attributes) ([]func([]float32), error) {
	list, err := activations[float32](at)
	if err != nil {
		return nil, err
	}
	var rows []func([]float32)
	for i, one := range list {
		var vector func(out, x []float32)
		switch at.activations[i] {
		case "sigmoid":
			vector = vmath.Unary(vmath.Sigmoid)
		case "tanh":
			vector = vmath.Unary(vmath.Tanh)
		}
		rows = append(rows, func(x []float32) {
			if vector != nil {
				vector(x, x)
				return
			}
			for i, v := range x {
				x[i] = one(v)
			}
		})
	}
	return rows, nil
}

// binary returns vector code that sets out to a function of the rows a and b, if there is some, and
// loop otherwise.
func binary(f vmath.Function, loop func(out, a, b []float32)) func(out, a, b []float32) {
	if vector := vmath.Binary(f, vmath.Rows); vector != nil {
		return vector
	}
	return loop
}

func add(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] + b[i]
	}
}

func multiply(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] * b[i]
	}
}
