package rnn

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/vmath"
)

// functions returns the activations f, g and h of a cell, which replace the elements of a row.
func functions[T float](at *attributes) ([]func([]T), error) {
	n := at.functionCount()
	if len(at.activations) < n {
		return nil, faults.Errorf("%d activations are named, the cell has %d", len(at.activations), n)
	}
	var list []func([]T)
	for i, name := range at.activations[:n] {
		f, err := function[T](name, parameter(at.alpha, i, 0.2), parameter(at.beta, i, 0.5))
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

// function returns an activation that replaces the elements of a row.
func function[T float](name string, alpha, beta float64) (func([]T), error) {
	switch name {
	case "sigmoid":
		return vectorOr(vmath.Unary(vmath.Sigmoid), func(x T) T { return T(1 / (1 + math.Exp(-float64(x)))) }), nil
	case "tanh":
		return vectorOr(vmath.Unary(vmath.Tanh), func(x T) T { return T(math.Tanh(float64(x))) }), nil
	case "relu":
		return vectorOr(nil, func(x T) T { return max(x, 0) }), nil
	case "hardsigmoid":
		a, b := T(alpha), T(beta)
		return vectorOr(nil, func(x T) T { return min(max(T(a*x)+b, 0), 1) }), nil
	}
	return nil, faults.Errorf("%.100q is none of the activations sigmoid, tanh, relu, hardsigmoid", name)
}

// vectorOr returns a loop of vector code if there is some for T, and of one otherwise.
func vectorOr[T float](vector func(out, x []float32), one func(T) T) func([]T) {
	return func(x []T) {
		if y, ok := any(x).([]float32); ok && vector != nil {
			vector(y, y)
			return
		}
		for i, v := range x {
			x[i] = one(v)
		}
	}
}

// binary returns vector code that sets out to a function of the rows a and b, if there is some for T, and
// loop otherwise.
func binary[T float](f vmath.Function, loop func(out, a, b []T)) func(out, a, b []T) {
	vector, ok := any(vmath.Binary(f, vmath.Rows)).(func(out, a, b []T))
	if !ok || vector == nil {
		return loop
	}
	return vector
}

func add[T float](out, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] + b[i]
	}
}

func multiply[T float](out, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] * b[i]
	}
}
