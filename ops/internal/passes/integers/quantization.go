package integers

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// quantization is quantized data: the result of a FakeQuantize, or of layers that move its
// elements.
type quantization struct {
	levels    int64
	low, step []float64 // level n is low + n*step; one element, or one for each channel
	plain     bool      // the FakeQuantize changes none of its levels
	again     bool      // the data is a FakeQuantize of data with the same levels
	// layers between the data and the FakeQuantize whose levels are computed, at most
	moves int
}

// maxMoves is the largest number of layers between data and the FakeQuantize whose levels are
// computed. levelsOf calls itself for each.
const maxMoves = 256

// findLevels sets quantized to the outputs that consist of results of FakeQuantizes with the same
// levels.
func (e *editor) findLevels() {
	for _, layer := range e.Model.Order {
		if layer.Type == "FakeQuantize" {
			if q, ok := e.fakeQuantize(layer); ok {
				data, _ := e.enlarged(layer, &q)
				if before, ok := e.quantization(data); ok && q.plain && before.isSame(&q) && before.moves < maxMoves {
					q.again, q.moves = true, before.moves+1
				}
				e.quantized[edit.First(layer)] = q
			}
			continue
		}
		if len(layer.Inputs) == 0 {
			continue
		}
		q, ok := e.quantization(layer.Inputs[0])
		if !ok || len(q.low) > 1 || q.moves >= maxMoves {
			continue
		}
		q.moves++
		for i := range layer.Outputs {
			if e.moves(layer, i, &q) {
				e.quantized[edit.Source{Layer: layer, Output: i}] = q
			}
		}
	}
}

// quantization returns how in is quantized; false if it is not.
func (e *editor) quantization(in ir.Input) (q quantization, ok bool) {
	q, ok = e.quantized[edit.SourceOf(in)]
	return q, ok
}

// moves reports whether an output of layer consists of elements of input 0, which is q, or of all
// inputs if the layer joins them, and of elements that are levels of q. The layer must take u8.
func (e *editor) moves(layer *ir.Layer, output int, q *quantization) bool {
	op, err := e.Op(layer)
	if err != nil || op.Types != nil && !slices.Contains(op.Types, ir.U8) {
		return false
	}
	at, moves := ir.AttributesOf(layer), false
	switch layer.Type {
	case "Gather":
		moves = q.low[0] == 0 || e.isInRange(layer) // an index that is out of range yields zero
	case "Interpolate":
		pads := append(at.Ints("pads_begin"), at.Ints("pads_end")...)
		moves = strings.EqualFold(at.String("mode", ""), "nearest") && !slices.ContainsFunc(pads, func(n int64) bool { return n != 0 })
	case "Pad":
		_, moves = e.padding(layer, q)
	case "ReduceMax":
		data := e.Lengths(layer.Inputs[0])
		moves = q.step[0] > 0 && data != nil && data.Elements() > 0
	default:
		moves = op.Traits.Moves || op.Traits.Joins && output == 0 && e.haveLevels(layer.Inputs[1:], q) ||
			op.Traits.Selects && output == 0 && q.step[0] > 0
	}
	return moves && at.Err() == nil
}

// haveLevels reports whether all inputs have the levels of q, and makes q.moves that of the input
// with most moves.
func (e *editor) haveLevels(inputs []ir.Input, q *quantization) bool {
	for _, in := range inputs {
		other, ok := e.quantization(in)
		if !ok || !other.isSame(q) || other.moves >= maxMoves {
			return false
		}
		q.moves = max(q.moves, other.moves+1)
	}
	return true
}

// IsSame reports whether all data has the same levels.
func (q *quantization) isSame(other *quantization) bool {
	return len(q.low) == 1 && len(other.low) == 1 && q.levels == other.levels && q.low[0] == other.low[0] && q.step[0] == other.step[0]
}

// enlarged returns the data that a FakeQuantize quantizes and that an Interpolate then repeats,
// with the Interpolate:
//
//	FakeQuantize(Interpolate(data)) = Interpolate(FakeQuantize(data))
//
// Without such an Interpolate, which makes data larger and has no other reader, it returns the
// input of the FakeQuantize and nil.
func (e *editor) enlarged(fq *ir.Layer, q *quantization) (data ir.Input, by *ir.Layer) {
	by = rewrite.Producer(fq.Inputs[0], "Interpolate")
	if by == nil || len(q.low) > 1 || !e.HasOneReader(by) || !e.moves(by, 0, q) {
		return fq.Inputs[0], nil
	}
	from, to := e.Lengths(by.Inputs[0]), e.Lengths(fq.Inputs[0])
	if from == nil || to == nil || from.Elements() >= to.Elements() {
		return fq.Inputs[0], nil
	}
	return by.Inputs[0], by
}

// isInRange reports whether a Gather has constant indices, of which none is negative or out of
// range.
func (e *editor) isInRange(gather *ir.Layer) bool {
	axes, indices, data := e.Integers(gather.Inputs[2]), e.Integers(gather.Inputs[1]), e.Fact(gather.Inputs[0]).Shape
	if len(axes) != 1 || indices == nil || !data.RankKnown() {
		return false
	}
	axis := axes[0]
	if axis < 0 {
		axis += int64(data.Rank())
	}
	if axis < 0 || axis >= int64(data.Rank()) {
		return false
	}
	n := data.At(int(axis)).Min
	return !slices.ContainsFunc(indices, func(i int64) bool { return i < 0 || i >= n })
}

// padding returns the level of q that a Pad adds; false if what it adds is no level. Without mode
// constant, it adds elements of data.
func (e *editor) padding(pad *ir.Layer, q *quantization) (level int64, ok bool) {
	if !strings.EqualFold(ir.AttributesOf(pad).String("pad_mode", "constant"), "constant") {
		return 0, true
	}
	value := 0.0
	if len(pad.Inputs) > 3 {
		t := e.Known(pad.Inputs[3])
		if t == nil || t.Len() != 1 {
			return 0, false
		}
		value = rewrite.FloatsOf(t)[0]
	}
	return q.level(0, value)
}

// level returns the level that is a value of a channel; false if there is none.
func (q *quantization) level(channel int, value float64) (level int64, ok bool) {
	n := (value - q.low[channel]) / q.step[channel]
	nearest := math.Round(n)
	if !(math.Abs(n-nearest) <= maxZeroShift) || nearest < 0 || nearest >= float64(q.levels) {
		return 0, false
	}
	return int64(nearest), true
}

// maxZeroShift is how far a value, such as zero, may be from the nearest level, as a part of the
// distance between levels: limits that were chosen to have zero on a level are rounded, those of
// f16 by more than those of f32. OpenVINO pads with the nearest level too.
const maxZeroShift = 1.0 / 16

// zeros returns the level of zero, or that of each channel if they differ. It returns false if a
// channel has none.
func (q *quantization) zeros() (levels []int64, ok bool) {
	for i := range q.low {
		level, ok := q.level(i, 0)
		if !ok {
			return nil, false
		}
		levels = append(levels, level)
	}
	if same := slices.Compact(slices.Clone(levels)); len(same) == 1 {
		return same, true
	}
	return levels, true
}

// zero returns the level of zero. It returns false if there is none, or if the channels have
// different ones.
func (q *quantization) zero() (level int64, ok bool) {
	levels, ok := q.zeros()
	if !ok || len(levels) > 1 {
		return 0, false
	}
	return levels[0], true
}

// levelsOf inserts what computes the levels of in, for which quantization returned true.
func (e *editor) levelsOf(in ir.Input) edit.Source {
	from := edit.SourceOf(in)
	if levels, ok := e.levels[from]; ok {
		return levels
	}
	layer := in.Source
	if layer.Type == "FakeQuantize" {
		e.levels[from] = e.quantize(layer)
		return e.levels[from]
	}
	inputs := slices.Clone(layer.Inputs)
	for i := range inputs {
		if i == 0 || e.Traits(layer).Joins {
			inputs[i] = e.levelsOf(inputs[i]).Input()
		}
	}
	if layer.Type == "Pad" {
		q := e.quantized[from]
		level, _ := e.padding(layer, &q)
		inputs = append(inputs[:3], e.Ints(layer, "", ir.U8, ir.Shape{}, level).Input())
	}
	move := e.AddLayer(layer, layer.Type, layer.Opset, layer.Data, inputs...)
	for i := range layer.Outputs {
		if i > 0 {
			move.Outputs = append(move.Outputs, ir.Output{Port: uint64(len(inputs) + i), Declared: ir.UnknownRank})
		}
		e.levels[edit.Source{Layer: layer, Output: i}] = edit.Source{Layer: move, Output: i}
	}
	return e.levels[from]
}

// quantize inserts what computes the levels of a FakeQuantize.
func (e *editor) quantize(fq *ir.Layer) edit.Source {
	q := e.quantized[edit.First(fq)]
	data, by := e.enlarged(fq, &q)
	var levels edit.Source
	if q.again {
		levels = e.levelsOf(data)
	} else {
		levels = edit.First(e.AddLayer(fq, "Quantize", rewrite.Namespace, edit.Attributes("levels", strconv.FormatInt(q.levels, 10)), data, fq.Inputs[1], fq.Inputs[2]))
	}
	if by != nil {
		levels = edit.First(e.AddLayer(by, by.Type, by.Opset, by.Data, append([]ir.Input{levels.Input()}, by.Inputs[1:]...)...))
	}
	return levels
}
