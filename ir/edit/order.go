package edit

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Sort sets m.Order and m.Sinks. The order has every layer that a Parameter, Result or sink
// depends on, after its sources; an Assign also comes after the ReadValues of its variable.
// Layers that nothing depends on are not in the order. The error is a *ir.LayerError: the graph
// has a cycle, or an Assign has no ReadValue.
func Sort(m *ir.Model) error {
	variables, err := variablesOf(m)
	if err != nil {
		return err
	}
	o := orderer{variables: variables, state: make([]orderState, len(m.Layers))}
	o.order = make([]*ir.Layer, 0, len(m.Layers))
	for _, layer := range m.Parameters {
		if err := o.visit(layer); err != nil {
			return err
		}
	}
	for _, layer := range m.Layers {
		if layer.Type == "Result" || isSink(layer) {
			if err := o.visit(layer); err != nil {
				return err
			}
		}
	}
	m.Order, m.Sinks = o.order, nil
	for _, layer := range m.Order {
		if isSink(layer) || holdsSink(layer) {
			m.Sinks = append(m.Sinks, layer)
		}
	}
	return nil
}

// sortAll returns all layers of m but those in without, each after its sources.
func sortAll(m *ir.Model, without map[*ir.Layer]bool) ([]*ir.Layer, error) {
	o := orderer{state: make([]orderState, len(m.Layers))}
	for _, layer := range m.Layers {
		if without[layer] {
			continue
		}
		if err := o.visit(layer); err != nil {
			return nil, err
		}
	}
	return o.order, nil
}

// isSink reports whether layer changes a variable, so that it must run even if nothing reads its
// outputs.
func isSink(layer *ir.Layer) bool { return layer.Type == "Assign" || layer.Type == "AppendState" }

// holdsSink reports whether a body of layer has sinks.
func holdsSink(layer *ir.Layer) bool {
	for i := range layer.Bodies {
		if len(layer.Bodies[i].Model.Sinks) > 0 {
			return true
		}
	}
	return false
}

// variable holds the ReadValues with one variable_id. The first done of them are in the order,
// so that many Assigns of one variable do not check all of them again.
type variable struct {
	reads []*ir.Layer
	done  int
}

// variablesOf returns the variable of each Assign.
func variablesOf(m *ir.Model) (map[*ir.Layer]*variable, error) {
	var assigns []*ir.Layer
	for _, layer := range m.Layers {
		if layer.Type == "Assign" {
			assigns = append(assigns, layer)
		}
	}
	if assigns == nil {
		return nil, nil
	}
	reached := reachable(m)
	byID := make(map[string]*variable)
	for _, layer := range m.Layers {
		if layer.Type == "ReadValue" && reached[layer.Index] {
			id := variableID(layer)
			if byID[id] == nil {
				byID[id] = new(variable)
			}
			byID[id].reads = append(byID[id].reads, layer)
		}
	}
	variables := make(map[*ir.Layer]*variable, len(assigns))
	for _, layer := range assigns {
		id := variableID(layer)
		if variables[layer] = byID[id]; byID[id] == nil {
			return nil, &ir.LayerError{Layer: layer, Err: faults.Errorf("no ReadValue has the variable_id %q", id)}
		}
	}
	return variables, nil
}

func variableID(layer *ir.Layer) string { return ir.AttributesOf(layer).String("variable_id", "") }

// reachable reports, by Layer.Index, which layers a Parameter, Result or sink depends on.
func reachable(m *ir.Model) []bool {
	reached := make([]bool, len(m.Layers))
	var stack []*ir.Layer
	visit := func(layer *ir.Layer) {
		if !reached[layer.Index] {
			reached[layer.Index] = true
			stack = append(stack, layer)
		}
	}
	for _, layer := range m.Layers {
		if layer.Type == "Parameter" || layer.Type == "Result" || isSink(layer) {
			visit(layer)
		}
	}
	for len(stack) > 0 {
		layer := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for i := range layer.Inputs {
			visit(layer.Inputs[i].Source)
		}
	}
	return reached
}

type orderState uint8

const (
	orderNew orderState = iota
	orderOpen
	orderDone
)

// orderer sorts layers by a depth-first search from layers to their sources. It has a stack of
// its own instead of recursion, because graphs can be deep.
type orderer struct {
	variables map[*ir.Layer]*variable // of the Assigns
	state     []orderState            // by Layer.Index
	order     []*ir.Layer
	stack     []orderFrame
}

type orderFrame struct {
	layer *ir.Layer
	next  int // number of the layer's next source
}

// visit appends root and the layers that it depends on to the order.
func (o *orderer) visit(root *ir.Layer) error {
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
			return &ir.LayerError{Layer: source, Err: errCycle}
		}
	}
	return nil
}

var errCycle = errors.New("the layer depends on its own output: the graph has a cycle")

// source returns the i-th layer that must come before layer: first its sources, then, for an
// Assign, the ReadValues that are not in the order yet. It returns nil if there are no more.
func (o *orderer) source(layer *ir.Layer, i int) *ir.Layer {
	if i < len(layer.Inputs) {
		return layer.Inputs[i].Source
	}
	if layer.Type != "Assign" {
		return nil
	}
	for v := o.variables[layer]; v != nil && v.done < len(v.reads); v.done++ {
		if read := v.reads[v.done]; o.state[read.Index] != orderDone {
			return read
		}
	}
	return nil
}
