package irxml_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

// values returns n times v and then m times 1.
func values(v float64, n, m int) []float64 {
	return append(slices.Repeat([]float64{v}, n), slices.Repeat([]float64{1}, m)...)
}

// floats returns a .bin with values of the given width.
func floats(width int, list []float64) (bin []byte) {
	for _, v := range list {
		if width == 4 {
			bin = binary.LittleEndian.AppendUint32(bin, math.Float32bits(float32(v)))
		} else {
			bin = binary.LittleEndian.AppendUint64(bin, math.Float64bits(v))
		}
	}
	return bin
}

// TestWrite_halfRule has Constants and how OpenVINO 2026.4.1 saves them. kept and kept64 are for
// elements of f32 and f64.
func TestWrite_halfRule(t *testing.T) {
	const ulp = 1.0 / (1 << 24)
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		values       []float64
		kept, kept64 bool
	}{
		{values(1.5, 1, 0), false, false},
		{values(0, 1, 0), false, false},
		{values(0.1, 1, 0), true, true},
		{values(0.1, 2, 0), false, false},
		{values(1.00005, 1, 0), false, false},
		{values(1.0003, 1, 0), true, true},
		{values(65504, 1, 0), false, false},
		{values(65519, 1, 0), true, true},
		{values(nan, 1, 0), true, false},
		{values(nan, 80, 20), true, false},
		{values(nan, 1, 9), false, false},
		{values(inf, 80, 20), true, true},
		{values(inf, 1, 9), false, false},
		{values(1e-9, 74, 26), false, false},
		{values(1e-9, 75, 25), true, true},
		{values(1e6, 75, 25), true, true},
		{values(-1e6, 74, 26), false, false},
		{values(40.45*ulp, 75, 25), true, true},
		{values(40.45*ulp, 74, 26), false, false},
		{append(values(40.45*ulp, 40, 20), values(1e-9, 40, 0)...), true, true},
		{values(400.45*ulp, 10, 0), true, true},
		{values(500.45*ulp, 10, 0), false, false},
		{values(4097, 1, 99), false, false},
		{values(4098, 1, 99), true, true},
		{values(-4098, 1, 99), true, true},
		{values(65505, 1, 9), false, false},
		{values(65502.5, 1, 9), true, true},
		{nil, true, true},
	} {
		for _, width := range []int{4, 8} {
			what := fmt.Sprint(c.values, width)
			bin := floats(width, c.values)
			data := fmt.Sprintf(`element_type="f%d" shape="%d" offset="0" size="%d"`, 8*width, len(c.values), len(bin))
			m, err := irxml.Read(manyConstants([]string{data}), bin, irxml.ReadOptions{})
			require.NoError(t, err)
			xml, written, err := written(m, irxml.WriteOptions{CompressToFP16: true})
			require.NoError(t, err)
			want := c.kept
			if width == 8 {
				want = c.kept64
			}
			assert.Equal(t, want, !strings.Contains(string(xml), "decompression"), what)
			if want {
				assert.Len(t, written, len(bin), what)
			} else {
				assert.Len(t, written, 2*len(c.values), what)
			}
		}
	}
}

// TestWrite_halves compares the bytes with those of OpenVINO 2026.4.1.
func TestWrite_halves(t *testing.T) {
	const ulp = 1.0 / (1 << 24)
	list := append([]float64{-1e-9, math.NaN(), math.Inf(-1), math.Copysign(0, -1), 3e-8, 2.9e-8, 65519.9, 2.5 * ulp, 1.5 * ulp}, values(0, 0, 90)...)
	for width, want := range map[int][]uint16{
		4: {0x8000, 0x7bff, 0xfbff, 0x8000, 1, 0, 0x7bff, 2, 2, 0x3c00},
		8: {0, 0x7e00, 0xfbff, 0x8000, 0, 0, 0x7bff, 2, 2, 0x3c00},
	} {
		// Twice, with a byte before, so that the elements lie unaligned: they are stored once.
		bin := append([]byte("x"), floats(width, list)...)
		bin = append(bin, bin[1:]...)
		size := width * len(list)
		data := fmt.Sprintf(`element_type="f%d" shape="%d" size="%d" offset=`, 8*width, len(list), size)
		m, err := irxml.Read(manyConstants([]string{data + `"1"`, data + fmt.Sprintf(`"%d"`, 1+size), `element_type="u8" shape="1" offset="0" size="1"`}), bin, irxml.ReadOptions{})
		require.NoError(t, err)
		_, written, err := written(m, irxml.WriteOptions{CompressToFP16: true})
		require.NoError(t, err)
		require.Len(t, written, 2*len(list)+1)
		for i, h := range want {
			assert.Equal(t, h, binary.LittleEndian.Uint16(written[2*i:]), "element %d of f%d", i, 8*width)
		}
	}
}

// TestWrite_halfLayers looks at the layers of a Constant that is compressed, and at one that is
// not.
func TestWrite_halfLayers(t *testing.T) {
	m, err := irxml.Read(smallWith(t, `<data element_type="f32" shape="2, 3" offset="0" size="24" />`,
		`<data element_type="f32" shape="2, 3" offset="0" size="24" /><rt_info><attribute name="a" version="0"/><attribute name="z" version="0"/></rt_info>`), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	xml, bin, err := written(m, irxml.WriteOptions{CompressToFP16: true})
	require.NoError(t, err)
	assert.Len(t, bin, 12)
	text := strings.NewReplacer("\t", "", "\n", "").Replace(string(xml))
	for _, want := range []string{
		`<layer id="1" name="weights_compressed" type="Const" version="opset1"><data element_type="f16" shape="2, 3" offset="0" size="12" />`,
		`<output><port id="0" precision="FP16"><dim>2</dim><dim>3</dim></port></output></layer>` +
			`<layer id="2" name="weights" type="Convert" version="opset1"><data destination_type="f32" /><rt_info><attribute name="a" version="0" />` +
			`<attribute name="decompression" version="0" /><attribute name="z" version="0" /></rt_info><input><port id="0" precision="FP16">`,
		`<edge from-layer="1" from-port="0" to-layer="2" to-port="0" /><edge from-layer="2" from-port="1" to-layer="3" to-port="1" />`,
	} {
		assert.Contains(t, text, want)
	}
	again, err := irxml.Read(xml, bin, irxml.ReadOptions{})
	require.NoError(t, err)
	c := comparison{t: t}
	_, twice := c.roundTrip(again)
	assert.Equal(t, bin, twice)

	for _, name := range []string{"precise", "DisablePrecisionConversion"} {
		m.Layers[1].RTInfo.ChildElements()[0].CreateAttr("name", name)
		_, bin, err = written(m, irxml.WriteOptions{CompressToFP16: true})
		require.NoError(t, err)
		assert.Equal(t, string(smallBin), string(bin), name)
	}
}

// TestWrite_halfNames writes the names of a Constant that is an output of the model.
func TestWrite_halfNames(t *testing.T) {
	xml := strings.Replace(string(manyConstants([]string{`element_type="f32" shape="" offset="0" size="4"`})), `precision="FP32"`, `precision="FP32" names="out"`, 1)
	m, err := irxml.Read([]byte(xml), floats(4, []float64{2}), irxml.ReadOptions{})
	require.NoError(t, err)
	document, bin, err := written(m, irxml.WriteOptions{CompressToFP16: true})
	require.NoError(t, err)
	again, err := irxml.Read(document, bin, irxml.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"out"}, again.Results[0].OutputNames)
	assert.Equal(t, []string{"out"}, again.Results[0].Inputs[0].Source.Outputs[0].Names)
	assert.Equal(t, "Convert", again.Results[0].Inputs[0].Source.Type)
}

// graphOf returns a model of the given layers, each written as "name Type", the type of its first
// output, and its sources by name. Constants are of f32[1] unless their type is given.
func graphOf(t *testing.T, lines ...string) *ir.Model {
	ids := make(map[string]int)
	var layers, edges string
	for id, line := range lines {
		fields := strings.Fields(line)
		ids[fields[0]] = id
		layers += fmt.Sprintf(`<layer id="%d" name="%s" type="%s" version="opset11">`, id, fields[0], fields[1])
		if fields[1] == "Const" {
			layers += fmt.Sprintf(`<data element_type="%s" shape="1" offset="0" size="8"/>`, fields[2])
		} else if fields[1] == "Parameter" {
			layers += `<data element_type="f32" shape="1"/>`
		}
		layers += "<input>"
		for port, source := range fields[3:] {
			layers += fmt.Sprintf(`<port id="%d"/>`, port)
			edges += fmt.Sprintf(`<edge from-layer="%d" from-port="9" to-layer="%d" to-port="%d"/>`, ids[source], id, port)
		}
		layers += "</input>"
		if fields[1] != "Result" {
			layers += `<output><port id="9" precision="FP32"/></output>`
		}
		layers += "</layer>"
	}
	m, err := irxml.Read([]byte(`<net name="n" version="11"><layers>`+layers+"</layers><edges>"+edges+"</edges></net>"), make([]byte, 8), irxml.ReadOptions{})
	require.NoError(t, err)
	return m
}

// TestWrite_halfKept has graphs in which the Constant c stays as it is, or not.
func TestWrite_halfKept(t *testing.T) {
	for _, c := range []struct {
		lines string
		kept  bool
	}{
		{"x Parameter -; c Const f32; a Add - x c; y Result - a", false},
		{"x Parameter -; c Const f32; i Convert - c; r Reshape - x i; y Result - r", true},
		{"x Parameter -; c Const f32; i Convert - c; r Reshape - i x; y Result - r", false},
		{"x Parameter -; c Const f32; s ShapeOf - c; r Reshape - x s; y Result - r", false},
		{"x Parameter -; c Const f32; n Interpolate - x c c; y Result - n", true},
		{"x Parameter -; d Const i64; c Const f32; n Interpolate - x d c; y Result - n", false},
		{"x Parameter -; c Const f32; k Convert - c; n TopK - x k; r Reshape - x n; y Result - r", true},
		{"x Parameter -; c Const f32; q FakeQuantize - x c c c c; y Result - q", true},
		{"x Parameter -; c Const f32; w Const u8; v Convert - w; m Multiply - v c; a Add - x m; y Result - a", true},
		{"x Parameter -; c Const f32; w Const u8; v Convert - w; m Multiply - c v; a Add - x m; y Result - a", true},
		{"x Parameter -; c Const f32; w Const u8; z Const u8; v Convert - w; u Convert - z; s Subtract - v u; m Multiply - s c; a Add - x m; y Result - a", true},
		{"x Parameter -; c Const f32; w Const i4; z Const f32; v Convert - w; s Subtract - v z; m Multiply - s c; a Add - x m; y Result - a", true},
		{"x Parameter -; c Const f32; w Const i4; v Convert - w; s Subtract - v x; m Multiply - s c; a Add - x m; y Result - a", false},
		{"x Parameter -; c Const f32; w Const u16; v Convert - w; m Multiply - v c; a Add - x m; y Result - a", false},
		{"x Parameter -; c Const f32; w Const u8; v Convert - w; m Multiply - v x; a Add - m c; y Result - a", false},
	} {
		m := graphOf(t, strings.Split(c.lines, "; ")...)
		xml, _, err := written(m, irxml.WriteOptions{CompressToFP16: true})
		require.NoError(t, err)
		assert.Equal(t, c.kept, !strings.Contains(string(xml), `name="c_compressed"`), c.lines)
		assert.Equal(t, strings.Contains(c.lines, "i Convert - c; r Reshape - x i") || strings.Contains(c.lines, "TopK") || strings.Contains(c.lines, "x c c; y"),
			strings.Contains(string(xml), `name="DisablePrecisionConversion" version="0" value="dynamic:f16"`) && c.kept, c.lines)
	}
}
