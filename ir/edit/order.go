package edit

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// Sort fills in m.Order and m.Sinks: every layer that a Parameter, Result or Assign depends
// on comes after its sources, and an Assign after the ReadValues of its variable. Layers
// that nothing depends on are not in the order. The error is a *LayerError: the graph has
// a cycle, or an Assign has no ReadValue.
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

func holdsSink(layer *ir.Layer) bool {
	for i := range layer.Bodies {
		if len(layer.Bodies[i].Model.Sinks) > 0 {
			return true
		}
	}
	return false
}

// variable holds the ReadValues of one variable_id. The first done of them are in the
// order already, so that many Assigns of one variable do not look at all of them again.
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
			return nil, &ir.LayerError{Layer: layer, Err: fmt.Errorf("no ReadValue has the variable_id %q", id)}
		}
	}
	return variables, nil
}

func variableID(layer *ir.Layer) string { return ir.AttributesOf(layer).String("variable_id", "") }

// reachable reports, by Layer.Index, which layers a Parameter, Result or Assign depends on.
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
		switch layer.Type {
		case "Parameter", "Result", "Assign":
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

// orderer is a depth-first walk from layers to their sources. It has a stack of its own
// instead of recursion.
type orderer struct {
	variables map[*ir.Layer]*variable // of the Assigns
	state     []orderState            // by Layer.Index
	order     []*ir.Layer
	stack     []orderFrame
}

type orderFrame struct {
	layer *ir.Layer
	next  int // of the layer's sources
}

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

// source returns the layer that layer comes after: its i-th source, then the ReadValues of
// an Assign that are not in the order yet; nil if there are no more.
func (o *orderer) source(layer *ir.Layer, i int) *ir.Layer {
	if i < len(layer.Inputs) {
		return layer.Inputs[i].Source
	}
	if layer.Type != "Assign" {
		return nil
	}
	for v := o.variables[layer]; v.done < len(v.reads); v.done++ {
		if read := v.reads[v.done]; o.state[read.Index] != orderDone {
			return read
		}
	}
	return nil
}
