package conformance

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func tensor[T ir.Element](t *testing.T, et ir.ElementType, data ...T) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorOf(et, ir.Shape{len(data)}, data)
	require.NoError(t, err)
	return tensor
}

func f32(t *testing.T, data ...float32) *ir.Tensor { return tensor(t, ir.F32, data...) }

func TestCompare_tolerance(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	negZero := float32(math.Copysign(0, -1))
	for name, tt := range map[string]struct {
		file      caseFile
		got, want *ir.Tensor
		err       string
	}{
		"equal":              {caseFile{}, f32(t, 1, 2), f32(t, 1, 2), ""},
		"exact":              {caseFile{}, f32(t, 1, 2), f32(t, 1, 2.0000002), "1 of 2 elements of f32[2] differ, the first at 1: 2, want 2.000000238418579"},
		"atol":               {caseFile{ATol: 0.25}, f32(t, 1.25), f32(t, 1), ""},
		"atol exceeded":      {caseFile{ATol: 0.25}, f32(t, 1.5), f32(t, 1), "1 of 1"},
		"rtol":               {caseFile{RTol: 0.25}, f32(t, 125), f32(t, 100), ""},
		"rtol of want":       {caseFile{RTol: 0.25}, f32(t, 100), f32(t, 79), "1 of 1"},
		"both":               {caseFile{RTol: 0.25, ATol: 1}, f32(t, 126), f32(t, 100), ""},
		"max_rel":            {caseFile{MaxRel: 0.01}, f32(t, 0.9, 100), f32(t, 0, 100), ""},
		"max_rel exceeded":   {caseFile{MaxRel: 0.01}, f32(t, 1.1, 100), f32(t, 0, 100), "1 of 2"},
		"max_rel and inf":    {caseFile{MaxRel: 0.01}, f32(t, 1, inf), f32(t, 0, inf), "1 of 2"},
		"rel_rms":            {caseFile{RelRMS: 0.1}, f32(t, 3.4, 4, nan, inf), f32(t, 3, 4, nan, inf), ""},
		"rel_rms exceeded":   {caseFile{RelRMS: 0.1}, f32(t, 3.6, 4), f32(t, 3, 4), "is 0.12 of that of the output, want at most 0.1"},
		"rel_rms and NaN":    {caseFile{RelRMS: 0.1}, f32(t, 3, nan), f32(t, 3, 4), "is NaN of"},
		"rel_rms and inf":    {caseFile{RelRMS: 0.1}, f32(t, 3, 4), f32(t, 3, inf), "is NaN of"},
		"rel_rms and atol":   {caseFile{RelRMS: 0.1, ATol: 0.2}, f32(t, 3.4, 4), f32(t, 3, 4), "1 of 2"},
		"NaN":                {caseFile{}, f32(t, nan), f32(t, float32(math.Float32frombits(0x7fc00001))), ""},
		"NaN and number":     {caseFile{ATol: 9}, f32(t, nan), f32(t, 1), "1 of 1"},
		"number and NaN":     {caseFile{ATol: 9}, f32(t, 1), f32(t, nan), "1 of 1"},
		"infinities":         {caseFile{ATol: 9}, f32(t, inf), f32(t, -inf), "1 of 1"},
		"infinity":           {caseFile{RTol: 9}, f32(t, 1), f32(t, inf), "1 of 1"},
		"zeros":              {caseFile{Op: "Add-1"}, f32(t, 0), f32(t, negZero), ""},
		"zeros are moved":    {caseFile{Op: "Concat-1"}, f32(t, 0), f32(t, negZero), "1 of 1"},
		"NaN is moved":       {caseFile{Op: "Gather-8"}, f32(t, nan), f32(t, math.Float32frombits(0x7fc00002)), "1 of 1"},
		"shape":              {caseFile{}, f32(t, 1), f32(t, 1, 2), "shape is [1], want [2]"},
		"integers are exact": {caseFile{ATol: 9}, tensor(t, ir.I64, int64(1)), tensor(t, ir.I64, int64(2)), "the first at 0: 1, want 2"},
		"f16":                {caseFile{ATol: 1}, tensor(t, ir.F16, uint16(0x3c00)), tensor(t, ir.F16, uint16(0x4000)), ""},
		"f16 differs":        {caseFile{}, tensor(t, ir.F16, uint16(0x3c00)), tensor(t, ir.F16, uint16(0x4000)), "1, want 2"},
		"bf16":               {caseFile{}, tensor(t, ir.BF16, uint16(0x3f80)), tensor(t, ir.BF16, uint16(0x4000)), "1, want 2"},
		"f64":                {caseFile{ATol: 1e-9}, tensor(t, ir.F64, 1.0), tensor(t, ir.F64, 1+1e-10), ""},
		"f8 NaN":             {caseFile{}, tensor(t, ir.F8E4M3, uint8(0x7f)), tensor(t, ir.F8E4M3, uint8(0xff)), ""},
		"f8":                 {caseFile{}, tensor(t, ir.F8E5M2, uint8(0x3c)), tensor(t, ir.F8E5M2, uint8(0x3d)), "0x3c, want 0x3d"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tt.file.compare(tt.got, tt.want)
			if tt.err == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tt.err)
		})
	}
}

func TestNear(t *testing.T) {
	assert.NoError(t, Near(f32(t, 1, 100), f32(t, 1.5, 101), 0, 1))
	assert.NoError(t, Near(f32(t, 1, 110), f32(t, 1, 100), 0.1, 0))
	assert.ErrorContains(t, Near(f32(t, 1, 111), f32(t, 1, 100), 0.1, 0), "the first at 1: 111, want 100")
	assert.ErrorContains(t, Near(f32(t, 1), tensor(t, ir.F64, 1.0), 1, 1), "element type is f32, want f64")
}

func TestCompare_packed(t *testing.T) {
	packed := func(data ...byte) *ir.Tensor {
		tensor, err := ir.TensorOfBytes(ir.U4, ir.Shape{3}, data)
		require.NoError(t, err)
		return tensor
	}
	file := caseFile{}
	assert.NoError(t, file.compare(packed(0x21, 0x03), packed(0x21, 0xf3)), "the padding does not count")
	assert.ErrorContains(t, file.compare(packed(0x21, 0x03), packed(0x31, 0x03)), "the first at 1: 0x2, want 0x3")
}

func TestCompare_strings(t *testing.T) {
	text := func(s ...string) *ir.Tensor {
		tensor, err := ir.StringTensor(ir.Shape{len(s)}, s)
		require.NoError(t, err)
		return tensor
	}
	file := caseFile{}
	assert.NoError(t, file.compare(text("a", ""), text("a", "")))
	assert.ErrorContains(t, file.compare(text("a", "b"), text("a", "c")), `the first at 1: "b", want "c"`)
}
