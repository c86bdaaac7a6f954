package generate

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/generate/internal/paged"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/plugin"
)

// The inputs of CachedAttention, which plugin.GrowStates inserts, see ops/attention. Those behind
// cachedMask follow it; all of them are one further for each input of new rows.
const (
	cachedQuery = 0
	cachedKey   = 1
	cachedValue = 2
	cachedMask  = 5
	newRows     = 2
)

// pagedAttention is an attention to two states that is replaced by one of paged.Store.
type pagedAttention struct {
	layer        *ir.Layer // a CachedAttention
	keys, values *ir.Layer // AppendStates
	mask         edit.Source
	of           paged.Layer
	groups       int
	scale        float64
	window       int
	slopes       []float64 // see PagedAttention
	sinks        []float64
}

// pagedRewriter makes a model whose rows are tokens of any number of texts: everything but the
// attention treats all positions alike, and the attention becomes that of a paged.Store.
type pagedRewriter struct {
	ctx        context.Context
	core       *plugin.Core
	registry   *plugin.Registry
	adapters   int
	grown      *ir.Model // with layers of plugin.GrowStates
	builder    *edit.Builder
	attentions []pagedAttention
	kept       ir.ElementType // of keys and values
}

// compilePaged compiles m for the rows of an Engine, with at most the given number of bytes for
// keys and values. The second Model has no Sessions, and must not be closed but by Model.compiled.
func (m *Model) compilePaged(ctx context.Context, bytes int64) (*Model, *paged.Cache, error) {
	o := m.options
	registry, err := plugin.NewRegistry(o.Ops...)
	if err != nil {
		return nil, nil, err
	}
	changed, selected, err := rewrite(ctx, m.source, registry, m.logits, o.Adapters, true)
	if err != nil {
		return nil, nil, err
	}
	r := &pagedRewriter{ctx: ctx, core: plugin.NewCore(registry, o.Limits), registry: registry, adapters: m.adapters}
	grow := o.CompileOptions
	grow.Disable = plugin.AllBut(plugin.RecogniseAttention, plugin.GrowStates)
	if r.grown, err = r.core.Optimize(ctx, changed, grow); err != nil {
		return nil, nil, err
	}
	if err := r.find(); err != nil {
		return nil, nil, err
	}
	layers := make([]paged.Layer, len(r.attentions))
	for i := range layers {
		layers[i] = r.attentions[i].of
	}
	store, err := paged.NewStore(layers, r.kept, bytes)
	if err != nil {
		return nil, nil, err
	}
	if err := r.findWindows(store.Blocks() * paged.BlockTokens); err != nil {
		return nil, nil, err
	}
	if registry, err = plugin.NewRegistry(append(slices.Clone(o.Ops), store.Op())...); err != nil {
		return nil, nil, err
	}
	model, err := r.replace(registry)
	if err != nil {
		return nil, nil, err
	}
	p := &Model{source: m.source, config: m.config, limits: m.limits, adapters: m.adapters, logits: m.logits}
	o.CompileOptions.ShareWeights = m.compiled
	if p.compiled, err = plugin.NewCore(registry, o.Limits).CompileModel(ctx, model, o.CompileOptions); err != nil {
		return nil, nil, err
	}
	if err := p.findPorts(selected); err != nil {
		p.compiled.Close()
		return nil, nil, err
	}
	return p, paged.NewCache(store, r.window()), nil
}

// window returns the greatest window of all attentions; 0 if one of them sees all tokens.
func (r *pagedRewriter) window() int {
	greatest := 0
	for i := range r.attentions {
		w := r.attentions[i].window
		if w == 0 {
			return 0
		}
		greatest = max(greatest, w)
	}
	return greatest
}

// find finds all attentions to states. It is an error if there are other states.
func (r *pagedRewriter) find() error {
	r.builder = edit.Change(r.ctx, r.grown, r.registry)
	states := 0
	for _, layer := range r.builder.Layers() {
		switch layer.Type {
		case "CachedAttention":
			a, err := r.attention(layer)
			if err != nil {
				return &ir.LayerError{Layer: layer, Err: err}
			}
			r.attentions = append(r.attentions, a)
		case "AppendState":
			states++
		case "ReadValue", "Assign":
			return &ir.LayerError{Layer: layer, Err: errors.New("the variable is not one of keys or values that attention reads")}
		}
	}
	if len(r.attentions) == 0 || states != 2*len(r.attentions) {
		return faults.Errorf("%d attentions read %d variables, not two each", len(r.attentions), states)
	}
	return r.builder.Err()
}

// attention describes a CachedAttention.
func (r *pagedRewriter) attention(layer *ir.Layer) (pagedAttention, error) {
	attributes, first := ir.AttributesOf(layer), cachedMask
	if attributes.Bool("new_rows", false) {
		first += newRows
	}
	a := pagedAttention{
		layer: layer, keys: layer.Inputs[cachedKey].Source, values: layer.Inputs[cachedValue].Source, groups: int(attributes.Int("groups", 1)),
	}
	switch rest := layer.Inputs[first:]; {
	case attributes.Bool("causal", false) || len(rest) == 0:
		return a, errors.New("it has no mask")
	case len(rest) > 1:
		if len(rest) > 2 {
			sinks := r.builder.Fact(edit.SourceOf(rest[2])).Tensor
			if sinks == nil {
				return a, errors.New("its sink is not constant")
			}
			for i := range sinks.Len() {
				a.sinks = append(a.sinks, sinks.Values()(i))
			}
		}
		scale := r.builder.Fact(edit.SourceOf(rest[1])).Tensor
		if scale == nil || scale.Len() != 1 {
			return a, errors.New("its scale is not constant")
		}
		a.scale = scale.Values()(0)
		fallthrough
	default:
		a.mask = edit.SourceOf(rest[0])
	}
	kept := ir.AttributesOf(a.keys).ElementType("kept_type", ir.F32)
	if r.kept == ir.Dynamic {
		r.kept = kept
	}
	keys, values := r.builder.Fact(newRowsOf(a.keys)).Shape, r.builder.Fact(newRowsOf(a.values)).Shape
	if kept != r.kept || keys.Rank() != 4 || values.Rank() != 4 || !keys.At(1).IsStatic() || keys.At(1) != values.At(1) || !keys.At(3).IsStatic() || !values.At(3).IsStatic() {
		return a, faults.Errorf("keys are %v%v and values %v, expected [?,heads,?,n] of %v", kept, keys, values, r.kept)
	}
	a.of = paged.Layer{Heads: int(keys.At(1).Max), KeyWidth: int(keys.At(3).Max), ValueWidth: int(values.At(3).Max)}
	if a.scale == 0 {
		a.scale = defaultScale(a.of.KeyWidth)
	}
	var err error
	if a.sinks, err = a.perHead(a.sinks); err != nil {
		return a, faults.Errorf("its sink: %w", err)
	}
	return a, r.builder.Err()
}

// perHead returns numbers, of which there is none, one, or one for each head, for each head.
func (a *pagedAttention) perHead(numbers []float64) ([]float64, error) {
	heads := a.of.Heads * a.groups
	switch len(numbers) {
	case 0, heads:
		return numbers, nil
	case 1:
		return slices.Repeat(numbers, heads), nil
	}
	return nil, faults.Errorf("it has %d numbers for %d heads", len(numbers), heads)
}

// listOf returns numbers as an attribute has them.
func listOf(numbers []float64) string {
	var list []string
	for _, v := range numbers {
		list = append(list, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(list, ",")
}

// newRowsOf returns what an AppendState appends.
func newRowsOf(state *ir.Layer) edit.Source { return edit.SourceOf(state.Inputs[0]) }

// replace returns the model with the layers of a paged.Store, which registry has.
func (r *pagedRewriter) replace(registry *plugin.Registry) (*ir.Model, error) {
	b := edit.Change(r.ctx, r.grown, registry)
	layers := b.Layers()
	for i := range r.attentions {
		a := &r.attentions[i]
		layer := layers[a.layer.Index]
		by := b.Extension(paged.Type, paged.Namespace, edit.Attributes(
			"layer", strconv.Itoa(i), "groups", strconv.Itoa(a.groups), "window", strconv.Itoa(a.window), "scale", strconv.FormatFloat(a.scale, 'g', -1, 64),
			"slopes", listOf(a.slopes), "sinks", listOf(a.sinks),
		), edit.SourceOf(layer.Inputs[cachedQuery]), newRowsOf(layers[a.keys.Index]), newRowsOf(layers[a.values.Index]))
		b.Replace(edit.First(layer), by)
	}
	if err := checkDependencies(b, layers); err != nil {
		return nil, err
	}
	for _, layer := range layers {
		if layer.Type == "AppendState" {
			// What reads its outputs is not needed any more.
			unread := b.ConstantOf([]int64{0}, 1)
			b.Replace(edit.First(layer), unread)
			b.Replace(edit.Source{Layer: layer, Output: 1}, unread)
			b.Remove(layer)
		}
	}
	model, err := b.Model()
	if err != nil {
		return nil, err
	}
	return model, checkMixing(r.ctx, model, registry, r.adapters)
}
