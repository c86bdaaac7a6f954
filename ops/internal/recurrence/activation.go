// Package recurrence holds what the families of recurrent layers share: the activations, and the
// elementwise functions of cells.
package recurrence

import (
	"math"
	"strings"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
)

// Activations are the attributes activations, activations_alpha and activations_beta of a layer.
// The names are in lower case.
type Activations struct {
	Names       []string
	Alpha, Beta []float64
}

// ReadActivations reads the attributes. byDefault has the names that a layer without the attribute
// has, separated by commas.
func ReadActivations(a *ir.Attributes, byDefault string) Activations {
	return Activations{splitNames(a.String("activations", byDefault)), a.Floats("activations_alpha"), a.Floats("activations_beta")}
}

// splitNames splits a list of names, and converts them to lower case.
func splitNames(text string) []string {
	var list []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, strings.ToLower(item))
		}
	}
	return list
}

// Check checks that the first n functions are named and known. OpenVINO ignores further names.
func (f *Activations) Check(a *ir.Attributes, n int) {
	if len(f.Names) < n {
		a.Fail("activations", "%d are named, the cell has %d", len(f.Names), n)
		return
	}
	for _, name := range f.Names[:n] {
		switch name {
		case "sigmoid", "tanh", "relu", "hardsigmoid":
		default:
			a.Fail("activations", "%.100q is none of sigmoid, tanh, relu, hardsigmoid", name)
		}
	}
}

// Functions returns the first n functions, for numbers.
func Functions[T cast.Float](f *Activations, n int) ([]func(T) T, error) {
	if len(f.Names) < n {
		return nil, faults.Errorf("%d activations are named, the cell has %d", len(f.Names), n)
	}
	var list []func(T) T
	for i, name := range f.Names[:n] {
		one, err := function[T](name, parameter(f.Alpha, i, 0.2), parameter(f.Beta, i, 0.5))
		if err != nil {
			return nil, err
		}
		list = append(list, one)
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

func function[T cast.Float](name string, alpha, beta float64) (func(T) T, error) {
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

// Rows returns the first n functions, for rows whose elements they replace: vector code if there is
// some.
func (f *Activations) Rows(n int) ([]func([]float32), error) {
	list, err := Functions[float32](f, n)
	if err != nil {
		return nil, err
	}
	var rows []func([]float32)
	for i, one := range list {
		var vector func(out, x []float32)
		switch f.Names[i] {
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
