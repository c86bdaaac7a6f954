package conformance

import (
	"fmt"
	"math"
	"slices"

	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

// movement lists the layer types that only move elements. Their outputs are compared bit by
// bit, including -0 and the payload of NaN, unless the case has a tolerance.
var movement = []string{
	"BatchToSpace", "Broadcast", "Concat", "Const", "DepthToSpace", "Gather", "GatherElements", "GatherND", "GatherTree",
	"Reshape", "Reverse", "ReverseSequence", "Roll", "ScatterNDUpdate", "ScatterUpdate", "ShuffleChannels",
	"Slice", "SliceScatter", "SpaceToBatch", "SpaceToDepth", "Split", "Squeeze", "StridedSlice", "Tile", "Transpose",
	"Unsqueeze", "VariadicSplit",
}

// Compare returns an error that describes how got differs from want. Floating-point elements
// may differ by maxRel times the largest magnitude in want.
func Compare(got, want *ir.Tensor, maxRel float64) error {
	if got.ElementType() != want.ElementType() {
		return faults.Errorf("element type is %v, want %v", got.ElementType(), want.ElementType())
	}
	return (&caseFile{MaxRel: maxRel}).compare(got, want)
}

// Near is Compare with the tolerance of NumPy's allclose: floating-point elements may differ by
// atol plus rtol times the magnitude of the one in want. NaN equals NaN.
func Near(got, want *ir.Tensor, rtol, atol float64) error {
	if got.ElementType() != want.ElementType() {
		return faults.Errorf("element type is %v, want %v", got.ElementType(), want.ElementType())
	}
	return (&caseFile{RTol: rtol, ATol: atol}).compare(got, want)
}

// Tolerance bounds the differences of outputs as the fields of case.json do: see caseFile.
type Tolerance struct {
	RTol, ATol, MaxRel, RelRMS float64
}

// Within is Compare with any tolerance. Integers may differ by ATol too.
func Within(got, want *ir.Tensor, t Tolerance) error {
	if got.ElementType() != want.ElementType() {
		return faults.Errorf("element type is %v, want %v", got.ElementType(), want.ElementType())
	}
	file := &caseFile{RTol: t.RTol, ATol: t.ATol, MaxRel: t.MaxRel, RelRMS: t.RelRMS, nearIntegers: true}
	return file.compare(got, want)
}

// compare returns an error that describes how got differs from want by more than the tolerance
// of the case. The tolerance applies only to floating-point types.
func (file *caseFile) compare(got, want *ir.Tensor) error {
	if !slices.Equal(got.Shape(), want.Shape()) {
		return faults.Errorf("shape is %v, want %v", got.Shape(), want.Shape())
	}
	n := got.Len()
	var show func(t *ir.Tensor, i int) any
	var same func(i int) bool
	t := got.ElementType()
	switch {
	case t == ir.String:
		a, b := got.Strings(), want.Strings()
		same = func(i int) bool { return a[i] == b[i] }
		show = func(t *ir.Tensor, i int) any { return fmt.Sprintf("%q", t.Strings()[i]) }
	case t == ir.F16 || t == ir.BF16 || t == ir.F32 || t == ir.F64:
		a, b := floats(got), floats(want)
		if file.RelRMS > 0 {
			err := file.compareRMS(a, b, n)
			if err != nil || file.RTol == 0 && file.ATol == 0 && file.MaxRel == 0 {
				return err
			}
		}
		near := file.tolerance(b, n)
		same = func(i int) bool { return sameBits(got, want, i) || near(a(i), b(i)) }
		show = func(t *ir.Tensor, i int) any { return floats(t)(i) }
	case t.IsInteger() && t.Size() > 0 && file.nearIntegers:
		a, b := got.Values(), want.Values()
		same = func(i int) bool { return math.Abs(a(i)-b(i)) <= file.ATol }
		show = showBits
	default:
		same = func(i int) bool { return sameBits(got, want, i) || isNaN8(t, got, i) && isNaN8(t, want, i) }
		show = showBits
	}
	differ, first := 0, 0
	for i := range n {
		if !same(i) {
			if differ == 0 {
				first = i
			}
			differ++
		}
	}
	if differ == 0 {
		return nil
	}
	return faults.Errorf("%d of %d elements of %v%v differ, the first at %d: %v, want %v",
		differ, n, t, got.Shape(), first, show(got, first), show(want, first))
}

// compareRMS returns an error if the root mean square of the differences is larger than RelRMS
// allows. NaN equals NaN, and an infinity itself.
func (file *caseFile) compareRMS(got, want func(int) float64, n int) error {
	differences, sum := 0.0, 0.0
	for i := range n {
		a, b := got(i), want(i)
		if a == b && math.IsInf(a, 0) || math.IsNaN(a) && math.IsNaN(b) {
			continue
		}
		differences += (a - b) * (a - b)
		sum += b * b
	}
	// NaN too
	if !(differences < math.Inf(1)) || math.Sqrt(differences) > file.RelRMS*math.Sqrt(sum) {
		return faults.Errorf("the root mean square of the differences is %.3g of that of the output, want at most %v", math.Sqrt(differences/sum), file.RelRMS)
	}
	return nil
}

// largest returns the index of the largest of n elements.
func largest(x func(int) float64, n int) int {
	best := 0
	for i := range n {
		if x(i) > x(best) {
			best = i
		}
	}
	return best
}

// tolerance returns a function that compares two elements whose bits differ. want has n
// elements.
func (file *caseFile) tolerance(want func(int) float64, n int) func(a, b float64) bool {
	if slices.Contains(movement, layerType(file.Op)) && file.RTol == 0 && file.ATol == 0 && file.MaxRel == 0 {
		return func(a, b float64) bool { return false }
	}
	atol := file.ATol
	if file.MaxRel > 0 {
		largest := 0.0
		for i := range n {
			if v := math.Abs(want(i)); v > largest && !math.IsInf(v, 1) {
				largest = v
			}
		}
		atol = max(atol, file.MaxRel*largest)
	}
	return func(a, b float64) bool {
		switch {
		case math.IsNaN(a) || math.IsNaN(b):
			return math.IsNaN(a) && math.IsNaN(b)
		case math.IsInf(a, 0) || math.IsInf(b, 0):
			return a == b
		}
		return math.Abs(a-b) <= atol+file.RTol*math.Abs(b)
	}
}

// floats returns a function that returns elements of a floating-point tensor.
func floats(t *ir.Tensor) func(int) float64 {
	switch t.ElementType() {
	case ir.F16:
		data := ir.Data[float16.Float16](t)
		return func(i int) float64 { return float64(data[i].Float32()) }
	case ir.BF16:
		data := ir.Data[half.BFloat16](t)
		return func(i int) float64 { return float64(data[i].Float32()) }
	case ir.F32:
		data := ir.Data[float32](t)
		return func(i int) float64 { return float64(data[i]) }
	}
	data := ir.Data[float64](t)
	return func(i int) float64 { return data[i] }
}

// sameBits reports whether element i has the same bits. It ignores the padding after packed
// elements.
func sameBits(a, b *ir.Tensor, i int) bool {
	size := a.ElementType().Size()
	if size == 0 {
		return a.Packed(i) == b.Packed(i)
	}
	return string(a.Bytes()[i*size:(i+1)*size]) == string(b.Bytes()[i*size:(i+1)*size])
}

// isNaN8 reports whether element i is NaN and et is an 8-bit floating-point type.
func isNaN8(et ir.ElementType, t *ir.Tensor, i int) bool {
	switch et {
	case ir.F8E4M3:
		return t.Bytes()[i]&0x7f == 0x7f
	case ir.F8E5M2:
		return t.Bytes()[i]&0x7f > 0x7c
	case ir.F8E8M0:
		return t.Bytes()[i] == 0xff
	}
	return false
}

// showBits returns element i for a message.
func showBits(t *ir.Tensor, i int) any {
	if t.ElementType().Size() == 0 {
		return fmt.Sprintf("%#x", t.Packed(i))
	}
	if ints, err := t.Ints(); err == nil {
		return ints[i]
	}
	size := t.ElementType().Size()
	return fmt.Sprintf("%#x", t.Bytes()[i*size:(i+1)*size])
}
