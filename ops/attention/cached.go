package attention

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// The inputs of CachedAttention that ScaledDotProductAttention does not have. The optional ones
// follow.
const (
	keyShape = 3 + iota
	valueShape
	newKeys // only with the attribute new_rows
	newValues
)

// cachedAttributes are those of CachedAttention.
type cachedAttributes struct {
	attributes
	groups  int64 // query heads for each head of key and value
	newRows bool
}

// skipped returns the number of inputs between value and the optional ones.
func (a *cachedAttributes) skipped() int {
	if a.newRows {
		return newValues - value
	}
	return valueShape - value
}

func parseCached(a *ir.Attributes) (any, error) {
	at := cachedAttributes{attributes{a.Bool("causal", false)}, a.Int("groups", 1), a.Bool("new_rows", false)}
	if at.groups < 1 {
		a.Fail("groups", "%d is less than 1", at.groups)
	}
	return at, a.Err()
}

// storedTypes are the types that key and value may be stored in if query is f32.
var storedTypes = []ir.ElementType{ir.U8, ir.F16, ir.BF16}

// plain returns the inputs that a ScaledDotProductAttention would have: key and value of query's
// type, without their room. Their rows are unknown if keyShape and valueShape are.
func plain(inputs []ir.Fact, at *cachedAttributes) ([]ir.Fact, error) {
	if len(inputs) <= value+at.skipped() {
		return nil, faults.Errorf("%d inputs, expected %d or more", len(inputs), value+at.skipped()+1)
	}
	stored, ok := ir.MergeElementTypes(inputs[key].Type, inputs[value].Type)
	if !ok {
		return nil, faults.Errorf("key is stored in %v, value in %v", inputs[key].Type, inputs[value].Type)
	}
	list := slices.Concat(inputs[:value+1], inputs[value+1+at.skipped():])
	for _, i := range []int{key, value} {
		from, memory := i+keyShape-key, list[i].Shape
		list[i].Tensor = nil
		if inputs[query].Type == ir.F32 && slices.Contains(storedTypes, stored) {
			list[i].Type = ir.F32
		}
		if !memory.RankKnown() || memory.Rank() < 3 {
			continue
		}
		dims := slices.Clone(memory.Dims())
		row := len(dims) - 2
		dims[row] = ir.AnyDim
		if column := &dims[row+1]; stored == ir.U8 && column.IsStatic() {
			if *column = ir.Dim(column.Max - levels.RowExtra); column.Max < 0 {
				return nil, faults.Errorf("input %d is u8%v, whose rows have no room for levels", i, memory)
			}
		} else if stored == ir.U8 {
			*column = ir.AnyDim
		}
		if t := inputs[from].Tensor; t != nil {
			if t.ElementType() != ir.I64 || t.Len() != len(dims) {
				return nil, faults.Errorf("input %d is %v%v, expected the shape of input %d, %v", from, t.ElementType(), t.Shape(), i, memory)
			}
			lengths := ir.Data[int64](t)
			dims[row] = ir.Dim(lengths[row])
			if most := memory.At(row); lengths[row] < 0 || most.IsStatic() && lengths[row] > most.Max {
				return nil, faults.Errorf("input %d of shape %v does not have the %d rows of input %d", i, memory, lengths[row], from)
			}
		}
		list[i].Shape = ir.ShapeOf(dims...)
	}
	return list, nil
}

func inferCached(in *ops.Inference) error {
	for _, i := range []int{keyShape, valueShape} {
		if t := in.Inputs[i].Type; t != ir.I64 && t != ir.Dynamic {
			return faults.Errorf("input %d is %v, expected i64", i, t)
		}
	}
	at := in.Attributes.(cachedAttributes)
	inputs, err := plain(in.Inputs, &at)
	if err != nil {
		return err
	}
	for _, i := range []int{key, value} {
		if inputs[i].Shape, err = repeated(inputs[i].Shape, at.groups); err != nil {
			return err
		}
	}
	same := *in
	same.Attributes, same.Inputs = at.attributes, inputs
	return infer(&same)
}

// repeated returns the shape of key or value if each index of the last batch axis is repeated.
func repeated(s ir.PartialShape, groups int64) (ir.PartialShape, error) {
	if !s.RankKnown() || s.Rank() < 3 || groups == 1 {
		return s, nil
	}
	dims := slices.Clone(s.Dims())
	head := &dims[len(dims)-3]
	if !head.IsStatic() {
		*head = ir.AnyDim
	} else if *head = ir.Dim(head.Max * groups); head.Max/groups != s.At(len(dims)-3).Max || head.Max < 0 {
		return s, faults.Errorf("axis %d of shape %v, repeated %d times, is too long", len(dims)-3, s, groups)
	}
	return ir.ShapeOf(dims...), nil
}

func prepareCached(p *ops.Preparation) (*ops.Prepared, error) { return prepareFor(p, cachedGeometry) }

// cachedGeometry splits the last batch axis into the heads of key and value and their groups, and
// gives key and value the strides of their memory.
func cachedGeometry(p *ops.Preparation) (*geometry, error) {
	at := p.Attributes.(cachedAttributes)
	inputs, err := plain(p.Inputs, &at)
	if err != nil {
		return nil, err
	}
	split := *p
	split.Attributes, split.Inputs, split.Outputs = at.attributes, inputs, slices.Clone(p.Outputs)
	rank := p.Outputs[0].Shape.Rank()
	if at.groups > 1 {
		heads := p.Outputs[0].Shape.At(rank - 3).Max
		for i := range inputs {
			inputs[i].Shape = grouped(inputs[i].Shape, i == key || i == value, heads, at.groups)
		}
		split.Outputs[0].Shape = grouped(p.Outputs[0].Shape, false, heads, at.groups)
	}
	g, err := newGeometry(&split)
	if err != nil {
		return nil, err
	}
	g.skipped = at.skipped()
	if t := p.Inputs[key].Type; t != p.Outputs[0].Type {
		g.stored = t
	}
	g.key.room(p.Inputs[key].Shape, g.s)
	g.value.room(p.Inputs[value].Shape, g.s)
	if at.newRows {
		if g.key.newRows, err = newRows(p, key, g.s, g.e); err != nil {
			return nil, err
		}
		if g.value.newRows, err = newRows(p, value, g.s, g.ev); err != nil {
			return nil, err
		}
	}
	g.countShared()
	return g, nil
}

// newRows returns the number of rows that the input of new rows of key or value, which is input i
// and has s rows of n columns, has.
func newRows(p *ops.Preparation, i, s, n int) (int, error) {
	port, memory := i+newKeys-key, p.Inputs[i].Shape
	rows, row := &p.Inputs[port], memory.Rank()-2
	if rows.Shape.Rank() == memory.Rank() && rows.Type == p.Outputs[0].Type {
		m := rows.Shape.At(row)
		if rows.Shape.Equal(memory.With(row, m).With(row+1, ir.Dim(int64(n)))) && m.Max <= int64(s) {
			return int(m.Max), nil
		}
	}
	return 0, faults.Errorf("input %d is %v%v, expected up to %d rows of input %d, %v%v", port, rows.Type, rows.Shape, s, i, p.Inputs[i].Type, memory)
}

// grouped splits axis 2 before the rows into heads and groups. Key and value have one group.
func grouped(s ir.PartialShape, shared bool, heads, groups int64) ir.PartialShape {
	if s.Rank() < 3 {
		return s
	}
	dims := append(make([]ir.Dimension, 0, s.Rank()+1), s.Dims()...)
	head := len(dims) - 3
	group := ir.Dim(1)
	if n := dims[head].Max; !shared && n == heads && n%groups == 0 {
		dims[head], group = ir.Dim(n/groups), ir.Dim(groups)
	}
	return ir.ShapeOf(slices.Insert(dims, head+1, group)...)
}

// room changes the strides of o, an operand of n rows, to those of memory with room for more.
func (o *operand) room(memory ir.PartialShape, n int) {
	o.capacity = int(memory.At(memory.Rank() - 2).Max)
	for i, step := range o.steps {
		if n > 0 {
			o.steps[i] = step / n * o.capacity
		}
	}
}
