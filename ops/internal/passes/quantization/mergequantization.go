package quantization

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// MergeQuantization makes one FakeQuantize of layers that quantize to an integer type of up to 8
// bits and dequantize again, as models that were ONNX files have them:
//
//	(Convert(Convert(Clamp(Round(x/scale) + zero))) - zero') * scale' = FakeQuantize(x)
//
// Zero points can be missing, and all are scalars. In place of the layers from Clamp to the
// division, there can be a FakeQuantize that returns integers, which is what OpenVINO's converter
// writes. Between the conversions there may be layers that move, join or select elements; they then
// move floats.
//
// A number in the middle of two levels can become the other one.
func MergeQuantization(g *ops.Graph) bool {
	if !g.Has("Round", "FakeQuantize") || !g.Has("Convert") || !g.CanInsert("FakeQuantize", "opset1") {
		return false
	}
	m := quantizationMerger{rewrite.NewEditor(g), map[edit.Source]bool{}, map[dequantization]edit.Source{}}
	for _, layer := range g.Model.Order {
		if d, ok := m.dequantization(layer); ok && m.isQuantized(d.from, 0) {
			m.ReplaceLayer(layer, m.floats(layer, d))
		}
	}
	return m.Done()
}

// quantizationMerger is an editor that knows which integers are those of quantized floats, and the
// floats that are made of them.
type quantizationMerger struct {
	*rewrite.Editor
	quantized map[edit.Source]bool
	made      map[dequantization]edit.Source
}

// dequantization is (from - zero) * scale of integers.
type dequantization struct {
	from        edit.Source
	zero, scale float64
}

// dequantization matches Multiply(Subtract(Convert(from), zero), scale).
func (m *quantizationMerger) dequantization(layer *ir.Layer) (d dequantization, ok bool) {
	if layer.Type != "Multiply" || !rewrite.IsNumpy(layer) || !m.IsFloat32(ir.Input{Source: layer}) {
		return d, false
	}
	x, scale, ok := m.WithScalar(layer)
	if !ok || !(scale > 0) { // NaN too
		return d, false
	}
	d.scale = scale
	if subtract := rewrite.Producer(x, "Subtract"); subtract != nil {
		if d.zero, ok = m.Scalar(subtract.Inputs[1], subtract.Inputs[0]); !ok {
			return d, false
		}
		x = subtract.Inputs[0]
	}
	convert := rewrite.Producer(x, "Convert")
	if convert == nil || !isLevel(m.Fact(convert.Inputs[0]).Type) {
		return d, false
	}
	d.from = edit.SourceOf(convert.Inputs[0])
	return d, true
}

// isLevel reports whether t is an integer type of up to 8 bits.
func isLevel(t ir.ElementType) bool { return t.IsInteger() && t.Bits() <= 8 }

// maxQuantizedMoves is the largest number of layers between the two conversions.
const maxQuantizedMoves = 64

// isQuantized reports whether integers are those of quantized floats, or of layers behind such that
// move, join or select elements. It calls itself for each of these layers.
func (m *quantizationMerger) isQuantized(from edit.Source, moves int) bool {
	is, known := m.quantized[from]
	if known || moves > maxQuantizedMoves {
		return is
	}
	if _, is = m.quantization(from); !is {
		if inputs := m.moved(from); len(inputs) > 0 {
			is = !slices.ContainsFunc(inputs, func(in ir.Input) bool { return !m.isQuantized(edit.SourceOf(in), moves+1) })
		}
	}
	m.quantized[from] = is
	return is
}

// moved returns the inputs whose elements an output consists of; none if the layer does not move,
// join or select elements.
func (m *quantizationMerger) moved(from edit.Source) []ir.Input {
	layer := from.Layer
	if len(layer.Inputs) == 0 {
		return nil
	}
	switch traits := m.Traits(layer); {
	case traits.Moves, traits.Selects && from.Output == 0:
		return layer.Inputs[:1]
	case traits.Joins && from.Output == 0:
		return layer.Inputs
	}
	return nil
}

// quantization is the integers first to last that floats x are quantized to: first stands for low,
// last for high.
type quantization struct {
	x                      ir.Input
	low, high, first, last float64
}

// quantization matches what quantizes floats.
func (m *quantizationMerger) quantization(from edit.Source) (q quantization, ok bool) {
	convert := rewrite.Producer(from.Input(), "Convert")
	if convert == nil || !m.IsFloat32(convert.Inputs[0]) || !isLevel(m.Fact(from.Input()).Type) {
		return q, false
	}
	switch in := convert.Inputs[0]; {
	case rewrite.Producer(in, "FakeQuantize") != nil:
		q, ok = m.ofLevels(in.Source)
	case rewrite.Producer(in, "Clamp") != nil:
		q, ok = m.ofRounded(in.Source)
	}
	t := m.Fact(from.Input()).Type
	lowest, highest := 0.0, math.Exp2(float64(t.Bits()))-1
	if t.Kind() == ir.KindSigned {
		lowest, highest = -(highest+1)/2, (highest-1)/2
	}
	isWhole := q.first == math.Trunc(q.first) && q.last == math.Trunc(q.last)
	return q, ok && isWhole && q.first >= lowest && q.first < q.last && q.last <= highest && q.low < q.high && rewrite.IsFinite([]float64{q.low, q.high})
}

// ofLevels matches a FakeQuantize that returns all integers of a range.
func (m *quantizationMerger) ofLevels(fq *ir.Layer) (q quantization, ok bool) {
	q.x = fq.Inputs[0]
	for i, limit := range []*float64{&q.low, &q.high, &q.first, &q.last} {
		if *limit, ok = m.Scalar(fq.Inputs[i+1], q.x); !ok {
			return q, false
		}
	}
	at := ir.AttributesOf(fq)
	return q, float64(at.Int("levels", 0)) == q.last-q.first+1 && at.Err() == nil
}

// ofRounded matches Clamp(Round(x/scale) + zero).
func (m *quantizationMerger) ofRounded(clamp *ir.Layer) (q quantization, ok bool) {
	at := ir.AttributesOf(clamp)
	q.first, q.last = at.Float("min", math.NaN()), at.Float("max", math.NaN())
	in, zero := clamp.Inputs[0], 0.0
	if add := rewrite.Producer(in, "Add"); add != nil {
		if in, zero, ok = m.WithScalar(add); !ok {
			return q, false
		}
	}
	round := rewrite.Producer(in, "Round")
	if round == nil || !strings.EqualFold(ir.AttributesOf(round).String("mode", "half_to_even"), "half_to_even") || at.Err() != nil {
		return q, false
	}
	divide := rewrite.Producer(round.Inputs[0], "Divide")
	if divide == nil {
		return q, false
	}
	scale, ok := m.Scalar(divide.Inputs[1], divide.Inputs[0])
	q.x, q.low, q.high = divide.Inputs[0], (q.first-zero)*scale, (q.last-zero)*scale
	return q, ok && m.IsFloat32(q.x)
}

// floats returns the floats of a dequantization, for which isQuantized returned true. What it
// inserts is on behalf of layer at.
func (m *quantizationMerger) floats(at *ir.Layer, d dequantization) edit.Source {
	if made, ok := m.made[d]; ok {
		return made
	}
	if q, ok := m.quantization(d.from); ok {
		inputs := []ir.Input{q.x}
		for _, limit := range []float64{q.low, q.high, (q.first - d.zero) * d.scale, (q.last - d.zero) * d.scale} {
			inputs = append(inputs, m.AddFloats(at, ir.Shape{}, []float64{limit}))
		}
		levels := edit.Attributes("levels", strconv.Itoa(int(q.last-q.first)+1))
		m.made[d] = edit.First(m.AddLayer(at, "FakeQuantize", "opset1", levels, inputs...))
		return m.made[d]
	}
	layer := d.from.Layer
	inputs := slices.Clone(layer.Inputs)
	for i, in := range m.moved(d.from) {
		inputs[i] = m.floats(at, dequantization{edit.SourceOf(in), d.zero, d.scale}).Input()
	}
	move := m.AddLayer(at, layer.Type, layer.Opset, layer.Data, inputs...)
	for i := range layer.Outputs {
		if i > 0 {
			move.Outputs = append(move.Outputs, ir.Output{Port: uint64(len(inputs) + i), Declared: ir.UnknownRank})
		}
		m.made[dequantization{edit.Source{Layer: layer, Output: i}, d.zero, d.scale}] = edit.Source{Layer: move, Output: i}
	}
	return m.made[d]
}
