package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// compare returns how outputs differ; "" if they do not.
func compare(got, want []*ir.Tensor) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d outputs, not %d", len(got), len(want))
	}
	for i := range got {
		if difference := compareTensor(got[i], want[i]); difference != "" {
			return fmt.Sprintf("output %d: %s", i, difference)
		}
	}
	return ""
}

func compareTensor(got, want *ir.Tensor) string {
	switch t := got.ElementType(); {
	case t != want.ElementType():
		return fmt.Sprintf("%v, not %v", t, want.ElementType())
	case !slices.Equal(got.Shape(), want.Shape()):
		return fmt.Sprintf("shape %v, not %v", got.Shape(), want.Shape())
	case t == ir.String:
		if !slices.Equal(got.Strings(), want.Strings()) {
			return fmt.Sprintf("%.100q, not %.100q", got.Strings(), want.Strings())
		}
		return ""
	case bytes.Equal(got.Bytes(), want.Bytes()):
		return ""
	case reader(got) == nil:
		return "other bytes"
	}
	g, w := reader(got), reader(want)
	var largest float64
	for i := range want.Len() {
		if x := math.Abs(w(i)); x > largest && !math.IsInf(x, 0) {
			largest = x
		}
	}
	atol := roundings[got.ElementType()] * largest
	if got.ElementType().IsReal() {
		atol += 1e-30 // subnormal numbers may count as 0
	}
	count, first := 0, -1
	for i := range got.Len() {
		x, y := g(i), w(i)
		if x == y || x != x && y != y || math.Abs(x-y) <= atol {
			continue
		}
		if count++; first < 0 {
			first = i
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d elements of %v differ, element %d is %v, not %v", count, got.Len(), got.ElementType(), first, g(first), w(first))
}
