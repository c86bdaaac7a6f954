package extractimagepatches

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// options are the attributes, for the rows and for the columns.
type options struct {
	sizes, strides, rates [2]int
	autoPad               string
}

func (o options) attributes() layertest.Attributes {
	return layertest.Attributes{"sizes", layertest.List(o.sizes[:]), "strides", layertest.List(o.strides[:]), "rates", layertest.List(o.rates[:]), "auto_pad", o.autoPad}
}

// axis returns the number of windows along an axis of n elements, and the padding before it.
func (o options) axis(i, n int) (places, pad int) {
	extent := (o.sizes[i]-1)*o.rates[i] + 1
	if o.autoPad == "valid" {
		for p := 0; p+extent <= n; p += o.strides[i] {
			places++
		}
		return places, 0
	}
	for p := 0; p < n; p += o.strides[i] {
		places++
	}
	missing := max((places-1)*o.strides[i]+extent-n, 0)
	if o.autoPad == "same_lower" {
		missing++
	}
	return places, missing / 2
}

// compare computes the definition, and compares the layer with it.
func compare(t *testing.T, image *ir.Tensor, o options) {
	t.Helper()
	s := image.Shape()
	h, padRows := o.axis(0, s[2])
	w, padCols := o.axis(1, s[3])
	shape := ir.Shape{s[0], s[1] * o.sizes[0] * o.sizes[1], h, w}
	empty, err := ir.NewTensor(image.ElementType(), 1)
	require.NoError(t, err)
	want := make([]string, shape.Elements())
	for i := range want {
		at := index.Position(i, shape)
		c, element := at[1]%s[1], at[1]/s[1]
		y := at[2]*o.strides[0] + element/o.sizes[1]*o.rates[0] - padRows
		x := at[3]*o.strides[1] + element%o.sizes[1]*o.rates[1] - padCols
		if want[i] = layertest.Element(empty, 0); y >= 0 && y < s[2] && x >= 0 && x < s[3] {
			want[i] = layertest.Element(image, ((at[0]*s[1]+c)*s[2]+y)*s[3]+x)
		}
	}
	layertest.CheckElements(t, &Ops[0], o.attributes(), shape, want, image)
}

func TestKernelAgainstReference(t *testing.T) {
	for seed := range uint64(400) {
		checkRandom(t, seed)
	}
}

// FuzzKernel takes windows of random sizes from images of random types and shapes.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	types := layertest.Types()
	shape := []int{rng.IntN(3), rng.IntN(4), rng.IntN(9), rng.IntN(9)}
	two := func(most int) [2]int { return [2]int{1 + rng.IntN(most), 1 + rng.IntN(most)} }
	o := options{two(4), two(4), two(3), []string{"valid", "same_upper", "same_lower"}[rng.IntN(3)]}
	compare(t, layertest.Counted(t, types[rng.IntN(len(types))], shape...), o)
}

// TestLarge has enough work for several threads.
func TestLarge(t *testing.T) {
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		compare(t, layertest.Counted(t, elementType, 2, 5, 61, 83), options{[2]int{3, 3}, [2]int{1, 2}, [2]int{1, 2}, "same_upper"})
	}
}

// TestKernel_padding has the results of OpenVINO for windows of which the most part is outside.
func TestKernel_padding(t *testing.T) {
	for autoPad, want := range map[string][]float64{
		"same_upper": {0, 1, 3, 0, 11, 13, 1, 3, 0, 11, 13, 0, 0, 6, 8, 0, 16, 18, 6, 8, 0, 16, 18, 0, 0, 11, 13, 0, 0, 0, 11, 13, 0, 0, 0, 0},
		"same_lower": {0, 0, 0, 0, 6, 8, 0, 0, 0, 6, 8, 0, 0, 1, 3, 0, 11, 13, 1, 3, 0, 11, 13, 0, 0, 6, 8, 0, 16, 18, 6, 8, 0, 16, 18, 0},
	} {
		image := make([]float64, 20)
		for i := range image {
			image[i] = float64(i)
		}
		o := options{[2]int{3, 2}, [2]int{2, 2}, [2]int{1, 2}, autoPad}
		layertest.CheckNear(t, &Ops[0], o.attributes(), ir.Shape{1, 6, 2, 3}, want, 0, layertest.Numbers(t, ir.F32, ir.Shape{1, 1, 4, 5}, image...))
	}
	compare(t, layertest.Counted(t, ir.F32, 1, 2, 1, 1), options{[2]int{1000, 1000}, [2]int{1, 1}, [2]int{1 << 20, 1 << 20}, "same_lower"})
}

func TestKernel_allocations(t *testing.T) {
	o := options{[2]int{3, 3}, [2]int{1, 1}, [2]int{1, 1}, "same_upper"}
	for _, elementType := range []ir.ElementType{ir.U8, ir.F32, ir.U4, ir.String} {
		layertest.CheckAllocations(t, &Ops[0], o.attributes(), layertest.Counted(t, elementType, 2, 5, 30, 40))
	}
}
