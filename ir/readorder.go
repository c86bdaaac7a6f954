package ir

// order fills in Model.Order and Model.Sinks: the layers that are reached, each
// after its sources, and an Assign after the ReadValues of its variable.
func (g *graph) order() error {
	m := g.model
	reads, err := g.variableReads()
	if err != nil {
		return err
	}
	o := orderer{reads: reads, state: make([]orderState, len(m.Layers))}
	o.order = make([]*Layer, 0, len(m.Layers))
	for _, layer := range m.Parameters {
		if err := o.visit(layer); err != nil {
			return err
		}
	}
	for _, layer := range m.Layers {
		if layer.Type == "Result" || layer.Type == "Assign" {
			if err := o.visit(layer); err != nil {
				return err
			}
		}
	}
	m.Order, m.Sinks = o.order, nil
	for _, layer := range m.Order {
		if layer.Type == "Assign" || holdsSink(layer) {
			m.Sinks = append(m.Sinks, layer)
		}
	}
	return nil
}

func holdsSink(layer *Layer) bool {
	for i := range layer.Bodies {
		if len(layer.Bodies[i].Model.Sinks) > 0 {
			return true
		}
	}
	return false
}

// variable is the ReadValues of one variable_id, of which those before done are in
// the order: many Assigns of a variable do not look at all of them again.
type variable struct {
	reads []*Layer
	done  int
}

// variableReads returns the ReadValues that each Assign comes after: those of its
// variable_id in the same graph, of which there must be one.
func (g *graph) variableReads() (map[*Layer]*variable, error) {
	var byVariable map[string]*variable
	var reads map[*Layer]*variable
	for _, layer := range g.model.Layers {
		if layer.Type == "ReadValue" && g.reached[layer.Index] {
			if byVariable == nil {
				byVariable = make(map[string]*variable)
			}
			id := AttributesOf(layer).String("variable_id", "")
			if byVariable[id] == nil {
				byVariable[id] = new(variable)
			}
			byVariable[id].reads = append(byVariable[id].reads, layer)
		}
	}
	for _, layer := range g.model.Layers {
		if layer.Type != "Assign" {
			continue
		}
		id := AttributesOf(layer).String("variable_id", "")
		if byVariable[id] == nil {
			return nil, layerFault(layer, "no ReadValue has the variable_id %q", id)
		}
		if reads == nil {
			reads = make(map[*Layer]*variable)
		}
		reads[layer] = byVariable[id]
	}
	return reads, nil
}

type orderState uint8

const (
	orderNew orderState = iota
	orderOpen
	orderDone
)

// orderer is a depth-first walk from layers to their sources, with a stack of its
// own in place of recursion.
type orderer struct {
	reads map[*Layer]*variable // of the Assigns
	state []orderState         // by Layer.Index
	order []*Layer
	stack []orderFrame
}

type orderFrame struct {
	layer *Layer
	next  int // of the layer's sources
}

func (o *orderer) visit(root *Layer) error {
	if o.state[root.Index] == orderDone {
		return nil
	}
	o.state[root.Index] = orderOpen
	o.stack = append(o.stack[:0], orderFrame{layer: root})
	for len(o.stack) > 0 {
		top := &o.stack[len(o.stack)-1]
		source := o.source(top.layer, top.next)
		if source == nil {
			o.state[top.layer.Index] = orderDone
			o.order = append(o.order, top.layer)
			o.stack = o.stack[:len(o.stack)-1]
			continue
		}
		top.next++
		switch o.state[source.Index] {
		case orderNew:
			o.state[source.Index] = orderOpen
			o.stack = append(o.stack, orderFrame{layer: source})
		case orderOpen:
			return layerFault(source, "the layer depends on its own output: the graph has a cycle")
		}
	}
	return nil
}

// source returns what layer comes after: its inputs, by i, then the ReadValues of an
// Assign that are not yet in the order; nil where there are no more.
func (o *orderer) source(layer *Layer, i int) *Layer {
	if i < len(layer.Inputs) {
		return layer.Inputs[i].Source
	}
	if layer.Type != "Assign" {
		return nil
	}
	for v := o.reads[layer]; v.done < len(v.reads); v.done++ {
		if read := v.reads[v.done]; o.state[read.Index] != orderDone {
			return read
		}
	}
	return nil
}
