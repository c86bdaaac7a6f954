package diff

import (
	"github.com/vinoir/vinoir/ir"
)

// graph is one of the two graphs that are compared.
type graph struct {
	model *ir.Model
	// hashes and partner, the layer of the other graph that corresponds, are by Layer.Index.
	hashes  []hashes
	partner []*ir.Layer
	readers map[*ir.Layer][]reader // of the layers in the order
}

// reader is an input that reads a layer.
type reader struct {
	layer        *ir.Layer
	port, output int
}

func newGraph(m *ir.Model) *graph {
	g := &graph{model: m, partner: make([]*ir.Layer, len(m.Layers)), readers: make(map[*ir.Layer][]reader, len(m.Order))}
	for _, layer := range m.Order {
		for i, in := range layer.Inputs {
			g.readers[in.Source] = append(g.readers[in.Source], reader{layer, i, in.SourceIndex})
		}
	}
	return g
}

// matcher finds which layers of two graphs correspond.
type matcher struct {
	a, b *graph
	// todo has the layers of a whose neighbours in the graphs are still to be matched.
	todo []*ir.Layer
}

// match finds the layers of a and b that correspond.
func match(a, b *graph, h hasher) {
	m := &matcher{a: a, b: b}
	m.ends(a.model.Parameters, b.model.Parameters, parameterNames)
	m.ends(a.model.Results, b.model.Results, resultNames)
	inputsA, inputsB := make(map[*ir.Layer]uint64), make(map[*ir.Layer]uint64)
	for i, p := range a.model.Parameters {
		inputsA[p] = uint64(2 * i)
		if q := a.partner[p.Index]; q != nil {
			inputsB[q] = uint64(2 * i)
		}
	}
	for i, p := range b.model.Parameters {
		if b.partner[p.Index] == nil {
			inputsB[p] = uint64(2*i + 1)
		}
	}
	a.hashes, b.hashes = h.graph(a.model, inputsA), h.graph(b.model, inputsB)
	exact := func(x hashes) uint64 { return x.exact }
	loose := func(x hashes) uint64 { return x.loose }
	m.equal(func(l *ir.Layer, x hashes) (key, bool) { return key{hash: exact(x), name: l.Name}, true }, false)
	m.equal(func(l *ir.Layer, x hashes) (key, bool) { return key{hash: exact(x)}, l.Type != "Constant" }, false)
	m.spread()
	m.equal(func(l *ir.Layer, x hashes) (key, bool) { return key{hash: loose(x), name: l.Name}, true }, false)
	m.equal(func(l *ir.Layer, x hashes) (key, bool) { return key{hash: loose(x)}, l.Type != "Constant" }, false)
	m.spread()
	m.equal(func(l *ir.Layer, _ hashes) (key, bool) { return key{name: l.Name, layerType: l.Type}, true }, true)
	m.spread()
	m.equal(func(l *ir.Layer, _ hashes) (key, bool) { return key{name: l.Name}, !isEnd(l) && l.Type != "Constant" }, true)
	m.spread()
}

// isEnd reports whether layer is an input or output of a graph.
func isEnd(layer *ir.Layer) bool { return layer.Type == "Parameter" || layer.Type == "Result" }

// pair makes a and b correspond.
func (m *matcher) pair(a, b *ir.Layer) {
	m.a.partner[a.Index], m.b.partner[b.Index] = b, a
	m.todo = append(m.todo, a)
}

// ends matches inputs or outputs of the graphs: first by name, then the remaining ones in their
// order.
func (m *matcher) ends(listA, listB []*ir.Layer, names func(*ir.Layer) []string) {
	byName := make(map[string]*ir.Layer, len(listB))
	for _, layer := range listB {
		for _, name := range names(layer) {
			if byName[name] == nil {
				byName[name] = layer
			}
		}
	}
	for _, layer := range listA {
		for _, name := range names(layer) {
			if other := byName[name]; other != nil && m.b.partner[other.Index] == nil {
				m.pair(layer, other)
				break
			}
		}
	}
	next := 0
	for _, layer := range listA {
		if m.a.partner[layer.Index] != nil {
			continue
		}
		for next < len(listB) && m.b.partner[listB[next].Index] != nil {
			next++
		}
		if next < len(listB) {
			m.pair(layer, listB[next])
		}
	}
}

// parameterNames returns the names by which an input is found.
func parameterNames(p *ir.Layer) []string {
	if len(p.Outputs) == 0 {
		return []string{p.Name}
	}
	return append(p.Outputs[0].Names[:len(p.Outputs[0].Names):len(p.Outputs[0].Names)], p.Name)
}

// resultNames returns the names by which an output is found.
func resultNames(r *ir.Layer) []string {
	return append(r.OutputNames[:len(r.OutputNames):len(r.OutputNames)], r.Name)
}

// key is what layers that correspond have in common.
type key struct {
	hash            uint64
	name, layerType string
}

// equal matches layers of equal keys, in the order of the graphs. keyOf returns false for layers
// that are left out. If unique is set, a key that several layers of a graph have is left out too.
func (m *matcher) equal(keyOf func(*ir.Layer, hashes) (key, bool), unique bool) {
	open := make(map[key][]*ir.Layer)
	for _, layer := range m.b.model.Order {
		if k, ok := keyOf(layer, m.b.hashes[layer.Index]); ok && m.b.partner[layer.Index] == nil && !isEnd(layer) {
			open[k] = append(open[k], layer)
		}
	}
	counts := make(map[key]int)
	if unique {
		for _, layer := range m.a.model.Order {
			if k, ok := keyOf(layer, m.a.hashes[layer.Index]); ok && m.a.partner[layer.Index] == nil && !isEnd(layer) {
				counts[k]++
			}
		}
	}
	for _, layer := range m.a.model.Order {
		k, ok := keyOf(layer, m.a.hashes[layer.Index])
		if !ok || m.a.partner[layer.Index] != nil || isEnd(layer) {
			continue
		}
		list := open[k]
		if len(list) == 0 || unique && (len(list) > 1 || counts[k] > 1) {
			continue
		}
		m.pair(layer, list[0])
		open[k] = list[1:]
	}
}

// spread matches layers whose neighbours correspond: what inputs of a pair read and, if only one
// layer of a type reads an output of a pair at a port, that layer.
func (m *matcher) spread() {
	for len(m.todo) > 0 {
		a := m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
		b := m.a.partner[a.Index]
		for i := range min(len(a.Inputs), len(b.Inputs)) {
			x, y := &a.Inputs[i], &b.Inputs[i]
			if x.SourceIndex == y.SourceIndex {
				m.try(x.Source, y.Source)
			}
		}
		open := make(map[place]*ir.Layer)
		for _, r := range m.b.readers[b] {
			if m.b.partner[r.layer.Index] == nil {
				addUnique(open, r)
			}
		}
		if len(open) == 0 {
			continue
		}
		own := make(map[place]*ir.Layer)
		for _, r := range m.a.readers[a] {
			if m.a.partner[r.layer.Index] == nil {
				addUnique(own, r)
			}
		}
		for _, r := range m.a.readers[a] { // in order, unlike own
			if x, y := own[r.place()], open[r.place()]; x == r.layer && y != nil {
				m.try(x, y)
			}
		}
	}
}

// place is how a layer reads another.
type place struct {
	layerType    string
	port, output int
}

func (r reader) place() place { return place{r.layer.Type, r.port, r.output} }

// addUnique adds a reader to the readers by place. A place with several readers has none.
func addUnique(readers map[place]*ir.Layer, r reader) {
	p := r.place()
	if _, taken := readers[p]; taken {
		readers[p] = nil
		return
	}
	readers[p] = r.layer
}

// try matches a and b if nothing else corresponds to them and they have one type.
func (m *matcher) try(a, b *ir.Layer) {
	if m.a.partner[a.Index] == nil && m.b.partner[b.Index] == nil && a.Type == b.Type && !isEnd(a) {
		m.pair(a, b)
	}
}
