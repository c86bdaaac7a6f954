package selectop

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// conditions returns booleans, some of them true.
func conditions(t *testing.T, shape ...int) *ir.Tensor {
	cond := layertest.Counted(t, ir.Boolean, shape...)
	for i := range cond.Bytes() {
		cond.Bytes()[i] = uint8(i*i%7) % 2
	}
	return cond
}

// element returns the element of an input for a position of the output. Axis k of the input
// corresponds to axis first+k of the output.
func element(tensor *ir.Tensor, at []int, first int) string {
	from := 0
	for k, n := range tensor.Shape() {
		c := 0
		if n > 1 {
			c = at[first+k]
		}
		from = from*n + c
	}
	return layertest.Element(tensor, from)
}

// compare runs a layer and compares it with a selection coordinate by coordinate. first holds the
// axes of the output that the first axes of the inputs correspond to.
func compare(t *testing.T, attributes layertest.Attributes, shape ir.Shape, inputs [3]*ir.Tensor, first [3]int) {
	t.Helper()
	want := make([]string, shape.Elements())
	for i := range want {
		at := index.Position(i, shape)
		from := 2
		if element(inputs[0], at, first[0]) != "\x00" {
			from = 1
		}
		want[i] = element(inputs[from], at, first[from])
	}
	layertest.CheckElements(t, &Ops[0], attributes, shape, want, inputs[:]...)
}

// second returns a tensor whose elements differ from those of Counted.
func second(t *testing.T, elementType ir.ElementType, shape ...int) *ir.Tensor {
	tensor := layertest.Counted(t, elementType, shape...)
	for i := range tensor.Bytes() {
		tensor.Bytes()[i] ^= 0xff
	}
	for i := range tensor.Strings() {
		tensor.Strings()[i] = fmt.Sprint("other ", i)
	}
	return tensor
}

func TestNumpy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	types := layertest.Types()
	for i := range 1500 {
		shape := make(ir.Shape, rng.IntN(5))
		for k := range shape {
			shape[k] = 1 + rng.IntN(5)
			if rng.IntN(30) == 0 {
				shape[k] = 0
			}
		}
		// One input has the shape of the output. Both other inputs lack axes or have length 1 along
		// some.
		full := rng.IntN(3)
		var inputs [3]*ir.Tensor
		var first [3]int
		for j := range inputs {
			lengths := append([]int(nil), shape...)
			if j != full {
				first[j] = rng.IntN(len(shape) + 1)
				lengths = lengths[first[j]:]
				for k := range lengths {
					if rng.IntN(3) == 0 {
						lengths[k] = 1
					}
				}
			}
			switch j {
			case 0:
				inputs[j] = conditions(t, lengths...)
			case 1:
				inputs[j] = layertest.Counted(t, types[i%len(types)], lengths...)
			default:
				inputs[j] = second(t, types[i%len(types)], lengths...)
			}
		}
		compare(t, nil, shape, inputs, first)
		if full == 1 && shape.Elements() > 0 && first[0]+len(inputs[0].Shape()) == len(shape) {
			compare(t, layertest.Attributes{"auto_broadcast", "pdpd", "auto_broadcast.auto_broadcast_axis", "-1"}, shape, inputs, first)
		}
	}
}

// TestPDPD broadcasts else and cond from an axis that is not the last axis of then.
func TestPDPD(t *testing.T) {
	for _, elementType := range layertest.Types() {
		inputs := [3]*ir.Tensor{conditions(t, 3, 1), layertest.Counted(t, elementType, 2, 3, 4, 5), second(t, elementType, 3, 4)}
		compare(t, layertest.Attributes{"auto_broadcast", "pdpd", "auto_broadcast.auto_broadcast_axis", "1"}, ir.Shape{2, 3, 4, 5}, inputs, [3]int{1, 0, 1})
	}
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, lengths := range [][]int{{700, 300}, {1, 300}, {700, 1}, {1, 1}} {
		inputs := [3]*ir.Tensor{conditions(t, 700, 300), layertest.Counted(t, ir.F32, lengths...), second(t, ir.F32, 700, 300)}
		compare(t, nil, ir.Shape{700, 300}, inputs, [3]int{})
	}
	compare(t, layertest.Attributes{"auto_broadcast", "none"}, ir.Shape{200000},
		[3]*ir.Tensor{conditions(t, 200000), layertest.Counted(t, ir.U8, 200000), second(t, ir.U8, 200000)}, [3]int{})
}

func TestKernel_allocations(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.F32, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], nil, conditions(t, 8, 1), layertest.Counted(t, elementType, 8, 9), second(t, elementType, 9))
	}
}

// FuzzKernel selects from tensors with up to two axes.
func FuzzKernel(f *testing.F) {
	f.Add(uint8(3), uint8(4), uint8(0b101101), uint8(7))
	f.Fuzz(func(t *testing.T, a, b, ones, elementType uint8) {
		types := layertest.Types()
		shape := ir.Shape{int(a % 20), int(b % 20)}
		var lengths [3][]int
		for j := range lengths {
			lengths[j] = []int{shape[0], shape[1]}
			for k := range 2 {
				if j > 0 && ones>>(2*j+k)&1 == 1 {
					lengths[j][k] = 1
				}
			}
		}
		kind := types[int(elementType)%len(types)]
		inputs := [3]*ir.Tensor{conditions(t, lengths[0]...), layertest.Counted(t, kind, lengths[1]...), second(t, kind, lengths[2]...)}
		compare(t, nil, shape, inputs, [3]int{})
	})
}
