package attention

import (
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// GrowStates makes the states that attention appends to grow where they are, and attention read
// them there:
//
//	state = Concat(Gather(ReadValue(initial), order), rows)
//	Assign(state)
//	ScaledDotProductAttention(query, state, state of the values, ...)
//
// Without it, a text model copies all keys and values of the text so far several times for each
// token. States of f32 are kept in Graph.KVCache.
// The Gather, which reorders the texts of a beam search, may be missing. Between a state and the
// attention there may be a Broadcast that repeats each head for a group of heads of the query.
// Nothing else may read the state but its shape.
func GrowStates(g *ops.Graph) bool {
	if !g.Has("ReadValue") || !g.Has("ScaledDotProductAttention") ||
		!g.CanInsert("AppendState", rewrite.Namespace) || !g.CanInsert("StateShape", rewrite.Namespace) || !g.CanInsert("CachedAttention", rewrite.Namespace) || !g.CanInsert("Convert", "opset1") {
		return false
	}
	e := &editor{rewrite.NewEditor(g)}
	s := e.findStates()
	var found []cachedAttention
	for _, layer := range g.Model.Order {
		if layer.Type != "ScaledDotProductAttention" || len(layer.Inputs) < 3 {
			continue
		}
		if a, ok := s.attention(layer); ok {
			found = append(found, a)
		}
	}
	kept := found[:0]
	for i := range found {
		if a := &found[i]; s.keepsLengths(a, a.keys.broadcast) && s.keepsLengths(a, a.values.broadcast) {
			kept = append(kept, *a)
		}
	}
	for i := range kept {
		s.grow(&kept[i])
	}
	return e.Done()
}

// cachedAttention is an attention to two states.
type cachedAttention struct {
	layer        *ir.Layer
	keys, values cache
}

// attention matches an attention to two states.
func (s *states) attention(layer *ir.Layer) (a cachedAttention, ok bool) {
	a.layer = layer
	if a.keys, ok = s.cache(layer, 1); !ok {
		return a, false
	}
	if a.values, ok = s.cache(layer, 2); !ok || a.keys.groups != a.values.groups || a.keys.concat == a.values.concat {
		return a, false
	}
	for _, c := range []*cache{&a.keys, &a.values} {
		if c.gather != nil {
			s.orders[c.concat] = edit.SourceOf(c.gather.Inputs[1])
		}
	}
	return a, true
}

// cache is a state that an attention reads.
type cache struct {
	id                   string
	axis                 int
	read, concat, assign *ir.Layer
	gather               *ir.Layer // nil if the state is not reordered
	groups               int64     // heads of the query for each head of the state
	broadcast            *ir.Layer // repeats the heads; nil if groups is 1
}

// states is an editor that knows where states are used.
type states struct {
	*editor
	reads, assigns map[string][]*ir.Layer    // by variable_id, in bodies too
	readers        map[*ir.Layer][]*ir.Layer // of output 0
	orders         map[*ir.Layer]edit.Source // of the Gathers, by the Concat of the state
}

func (e *editor) findStates() *states {
	s := &states{e, make(map[string][]*ir.Layer), make(map[string][]*ir.Layer), make(map[*ir.Layer][]*ir.Layer), make(map[*ir.Layer]edit.Source)}
	for layer := range e.Model.AllLayers() {
		id, traits := ir.AttributesOf(layer).String("variable_id", ""), e.Traits(layer)
		switch {
		case traits.Reads != nil:
			s.reads[id] = append(s.reads[id], layer)
		case traits.Assigns != nil:
			s.assigns[id] = append(s.assigns[id], layer)
		}
		for _, in := range layer.Inputs {
			if in.SourceIndex == 0 {
				s.readers[in.Source] = append(s.readers[in.Source], layer)
			}
		}
	}
	return s
}

// cache matches the state that an input of an attention reads.
func (s *states) cache(attention *ir.Layer, input int) (c cache, ok bool) {
	in, reader := attention.Inputs[input], attention
	c.groups = 1
	if reshape := rewrite.Producer(in, "Reshape"); reshape != nil {
		unsqueeze, broadcast, groups, ok := s.repeated(reshape)
		if !ok {
			return c, false
		}
		in, reader, c.groups, c.broadcast = unsqueeze.Inputs[0], unsqueeze, groups, broadcast
	}
	c.concat = rewrite.Producer(in, "Concat")
	rank := s.Fact(in).Shape.Rank()
	if c.concat == nil || len(c.concat.Inputs) != 2 || rank < 3 {
		return c, false
	}
	axis, err := index.Axis(ir.AttributesOf(c.concat).Int("axis", 0), rank)
	if err != nil || axis != rank-2 {
		return c, false
	}
	c.axis = axis
	state := c.concat.Inputs[0]
	if c.gather = rewrite.Producer(state, "Gather"); c.gather != nil {
		if !s.reorders(c.gather) {
			return c, false
		}
		state = c.gather.Inputs[0]
	}
	if c.read = rewrite.Producer(state, "ReadValue"); c.read == nil || len(c.read.Inputs) != 1 || s.Fact(c.concat.Inputs[1]).Type != s.Fact(ir.Input{Source: c.read}).Type {
		return c, false
	}
	c.id = ir.AttributesOf(c.read).String("variable_id", "")
	if len(s.reads[c.id]) != 1 || len(s.assigns[c.id]) != 1 {
		return c, false
	}
	c.assign = s.assigns[c.id][0]
	return c, rewrite.IsSame(c.assign.Inputs[0], ir.Input{Source: c.concat}) && s.readers[c.assign] == nil &&
		s.readOnlyBy(c.concat, c.assign, reader) && s.readOnlyBy(c.read, c.concat, c.gather) && (c.gather == nil || s.readOnlyBy(c.gather, c.concat))
}

// readOnlyBy reports whether each reader of layer is in list or reads only its shape.
func (s *states) readOnlyBy(layer *ir.Layer, list ...*ir.Layer) bool {
	for _, reader := range s.readers[layer] {
		if reader.Type != "ShapeOf" && !slices.Contains(list, reader) {
			return false
		}
	}
	return true
}

// reorders reports whether a Gather picks indices of axis 0, in the order of a vector.
func (e *editor) reorders(gather *ir.Layer) bool {
	// An older Gather does not count negative indices from the end.
	if op, err := e.Op(gather); err != nil || op.Version < 8 || len(gather.Inputs) != 3 || ir.AttributesOf(gather).Int("batch_dims", 0) != 0 {
		return false
	}
	axis, order := e.Value(gather.Inputs[2]), e.Fact(gather.Inputs[1])
	if axis == nil || order.Shape.Rank() != 1 || order.Type != ir.I32 && order.Type != ir.I64 {
		return false
	}
	at, err := axis.Ints()
	if err != nil || len(at) != 1 {
		return false
	}
	shape := e.Fact(gather.Inputs[0]).Shape
	return at[0] == 0 || shape.RankKnown() && at[0] == -int64(shape.Rank())
}

// repeated matches Reshape(Broadcast(Unsqueeze(state))), which repeats each index of the axis
// before the last two as often as groups says, if keepsLengths is true.
func (e *editor) repeated(reshape *ir.Layer) (unsqueeze, broadcast *ir.Layer, groups int64, ok bool) {
	broadcast = rewrite.Producer(reshape.Inputs[0], "Broadcast")
	if broadcast == nil || len(broadcast.Inputs) != 2 || !e.HasOneReader(reshape) || !e.HasOneReader(broadcast) {
		return nil, nil, 0, false
	}
	unsqueeze = rewrite.Producer(broadcast.Inputs[0], "Unsqueeze", "Reshape")
	if unsqueeze == nil || !e.HasOneReader(unsqueeze) {
		return nil, nil, 0, false
	}
	x, apart := e.Fact(unsqueeze.Inputs[0]).Shape, e.Fact(ir.Input{Source: unsqueeze}).Shape
	all, joined := e.Fact(ir.Input{Source: broadcast}).Shape, e.Fact(ir.Input{Source: reshape}).Shape
	rank := x.Rank()
	if rank < 3 || apart.Rank() != rank+1 || all.Rank() != rank+1 || joined.Rank() != rank {
		return nil, nil, 0, false
	}
	head := rank - 3
	for k, n := range x.Dims() {
		at := k // of the same axis after the Unsqueeze
		if k > head {
			at++
		}
		if apart.At(at) != n || n.IsStatic() && all.At(at) != n {
			return nil, nil, 0, false
		}
	}
	groups = all.At(head + 1).Max
	ok = x.At(head).IsStatic() && apart.At(head+1) == ir.Dim(1) && all.At(head+1) == ir.Dim(groups) && groups > 0 &&
		joined.At(head) == ir.Dim(x.At(head).Max*groups)
	return unsqueeze, broadcast, groups, ok
}

// keepsLengths reports whether attention has the same result if a Broadcast of keys or values only
// repeats heads. The axes before the heads may be stretched to the length of the other state, as
// attention does.
//
// The target often has the number of rows, computed in another way than by ShapeOf. If that were
// more than the one row that there is, attention to the one row would give the same result, except
// for a sink, or for a mask of more columns: that is an error when it runs.
func (s *states) keepsLengths(a *cachedAttention, broadcast *ir.Layer) bool {
	if broadcast == nil {
		return true
	}
	order, ordered := s.orders[a.keys.concat]
	for k, n := range s.Fact(broadcast.Inputs[0]).Shape.Dims() {
		switch {
		case n.IsStatic(): // repeated has compared it
		case k == a.keys.axis+1:
			if len(a.layer.Inputs) > 5 {
				return false
			}
		case !s.isLength(broadcast.Inputs[1], k, func(state *ir.Layer) bool {
			other, hasOrder := s.orders[state]
			return state == a.keys.concat || state == a.values.concat || k == 0 && ordered && hasOrder && other == order
		}):
			return false
		}
	}
	return true
}

// maxSteps bounds how far isLength follows a vector.
const maxSteps = 8

// isLength reports whether element i of a vector is 1 or the length of axis i of a Concat that
// accept accepts.
func (e *editor) isLength(vector ir.Input, i int, accept func(concat *ir.Layer) bool) bool {
	axis := i
	for range maxSteps {
		if t := e.Value(vector); t != nil {
			values, err := t.Ints()
			return err == nil && i < len(values) && values[i] == 1
		}
		switch layer := vector.Source; layer.Type {
		case "Concat":
			part := slices.IndexFunc(layer.Inputs, func(in ir.Input) bool {
				shape := e.Fact(in).Shape
				if shape.Rank() != 1 || !shape.IsStatic() || i < int(shape.At(0).Max) {
					return true
				}
				i -= int(shape.At(0).Max)
				return false
			})
			if part < 0 || !e.Fact(layer.Inputs[part]).Shape.IsStatic() {
				return false
			}
			vector = layer.Inputs[part]
		case "Reshape", "Unsqueeze": // of a scalar
			if !e.Fact(vector).Shape.Equal(ir.StaticShape(1)) {
				return false
			}
			vector = layer.Inputs[0]
		case "Gather":
			shape, indices := rewrite.Producer(layer.Inputs[0], "ShapeOf"), e.Value(layer.Inputs[1])
			if shape == nil || indices == nil {
				return false
			}
			concat := rewrite.Producer(shape.Inputs[0], "Concat")
			if concat == nil || !accept(concat) {
				return false
			}
			picked, err := indices.Ints()
			rank := int64(e.Fact(shape.Inputs[0]).Shape.Rank())
			return err == nil && i < len(picked) && (picked[i] == int64(axis) || picked[i] == int64(axis)-rank)
		default:
			return false
		}
	}
	return false
}

// grow replaces an attention to two states.
func (s *states) grow(a *cachedAttention) {
	attention, key, value := a.layer, s.append(&a.keys), s.append(&a.values)
	inputs := []ir.Input{
		attention.Inputs[0], {Source: key}, {Source: value}, {Source: key, SourceIndex: 1}, {Source: value, SourceIndex: 1},
	}
	attributes := edit.Attributes(
		"causal", strconv.FormatBool(ir.AttributesOf(attention).Bool("causal", false)), "groups", strconv.FormatInt(a.keys.groups, 10))
	if rows := a.keys.concat.Inputs[1]; s.packs(rows) { // the attention need not round what is new
		attributes = append(attributes, ir.Attribute{Name: "new_rows", Value: "true"})
		inputs = append(inputs, rows, a.values.concat.Inputs[1])
	}
	by := s.AddLayer(attention, "CachedAttention", rewrite.Namespace, attributes, append(inputs, attention.Inputs[3:]...)...)
	s.ReplaceLayer(attention, edit.First(by))
}

// append turns the Assign of a state into its AppendState, and connects the readers of shapes.
func (s *states) append(c *cache) *ir.Layer {
	id, initial := ir.Attribute{Name: "variable_id", Value: c.id}, c.read.Inputs[0]
	before, ordered := []ir.Input{initial}, []ir.Input{initial}
	if c.gather != nil {
		ordered = append(ordered, c.gather.Inputs[1])
		s.replaceShape(c.gather, func() edit.Source {
			return edit.First(s.AddLayer(c.gather, "StateShape", rewrite.Namespace, []ir.Attribute{id}, ordered...))
		})
	}
	s.replaceShape(c.read, func() edit.Source {
		return edit.First(s.AddLayer(c.read, "StateShape", rewrite.Namespace, []ir.Attribute{id}, before...))
	})
	sources := []edit.Source{edit.SourceOf(c.concat.Inputs[1])}
	for _, in := range ordered {
		sources = append(sources, edit.SourceOf(in))
	}
	by := c.assign
	s.SetInputs(by, sources...)
	by.Type, by.FileType, by.Opset = "AppendState", "AppendState", rewrite.Namespace
	by.Data = []ir.Attribute{id, {Name: "axis", Value: strconv.Itoa(c.axis)}}
	if s.packs(c.concat.Inputs[1]) {
		by.Data = append(by.Data, ir.Attribute{Name: "kept_type", Value: s.KVCache.String()})
	}
	by.Outputs = []ir.Output{{Port: 3, Declared: ir.UnknownRank}, {Port: 4, Declared: ir.UnknownRank}}
	s.replaceShape(c.concat, func() edit.Source { return edit.Source{Layer: by, Output: 1} })
	return by
}

// packs reports whether a state that rows are appended to is kept in another type than that of the
// rows.
func (s *states) packs(rows ir.Input) bool {
	return s.KVCache != ir.Dynamic && s.KVCache != ir.F32 && s.Fact(rows).Type == ir.F32
}

// replaceShape connects the readers of each ShapeOf that reads layer to what shape returns, an i64
// vector.
func (s *states) replaceShape(layer *ir.Layer, shape func() edit.Source) {
	for _, reader := range s.readers[layer] {
		if reader.Type != "ShapeOf" {
			continue
		}
		to := shape()
		if t := s.Fact(ir.Input{Source: reader}).Type; t != ir.I64 {
			to = edit.First(s.AddConvert(reader, to.Input(), t))
		}
		s.ReplaceLayer(reader, to)
	}
}
