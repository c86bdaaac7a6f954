package models

import (
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/repository"
)

// port is an input or output of a version as clients see it.
type port struct {
	name     string
	datatype oip.Datatype
	// elementType and shape are those of the model.
	elementType ir.ElementType
	shape       ir.PartialShape
	// reshaping is between shape and the one that clients see; nil if they are the same.
	reshaping *reshaping
}

// portsOf returns the ports as clients see them, and the index of each name that finds one: the one
// that is shown, and the other names of the tensor. kind is "input" or "output". The names that are
// shown are, in this order, those of the mapping, those that the configuration has, and the first
// tensor name.
func portsOf(kind string, list []plugin.Port, mapping map[string]string, configured []repository.Port) ([]port, map[string]int, error) {
	ports := make([]port, len(list))
	indices := make(map[string]int, len(list))
	for i := range list {
		p := &list[i]
		datatype, ok := oip.DatatypeOf(p.Type)
		if !ok {
			return nil, nil, fmt.Errorf("%s %q is of type %s, which the protocol does not have", kind, p.Name, p.Type)
		}
		names := clientNames(p, mapping, configured)
		free := slices.IndexFunc(names, func(name string) bool { _, taken := indices[name]; return !taken })
		if free < 0 {
			return nil, nil, fmt.Errorf("%s %d has no name of its own: %q is that of another one", kind, i, names[0])
		}
		indices[names[free]] = i
		ports[i] = port{name: names[free], datatype: datatype, elementType: p.Type, shape: p.Shape}
	}
	for i := range list {
		for _, name := range list[i].AllNames() {
			if _, taken := indices[name]; !taken {
				indices[name] = i
			}
		}
	}
	for tensor := range mapping {
		if !slices.ContainsFunc(list, func(p plugin.Port) bool { return slices.Contains(p.AllNames(), tensor) }) {
			return nil, nil, fmt.Errorf("the mapping names an %s %q, which the model does not have", kind, tensor)
		}
	}
	return ports, indices, nil
}

// clientNames returns the names that p can be shown under, the best first.
func clientNames(p *plugin.Port, mapping map[string]string, configured []repository.Port) []string {
	all := p.AllNames()
	for _, name := range all {
		if to, ok := mapping[name]; ok {
			return []string{to}
		}
	}
	var names []string
	for _, c := range configured {
		if slices.Contains(all, c.Name) {
			names = append(names, c.Name)
		}
	}
	if len(p.Names) > 0 {
		names = append(names, slices.Min(p.Names)) // OpenVINO's get_any_name
	}
	return append(names, all...)
}

// seen returns the shape that clients see.
func (p *port) seen() ir.PartialShape {
	if p.reshaping != nil {
		return p.reshaping.client
	}
	return p.shape
}

// dims returns shape as the protocol has it, with -1 for dimensions that are not known. Of an
// unknown rank it can only say that there is one dimension.
func dims(shape ir.PartialShape) []int64 {
	if !shape.RankKnown() {
		return []int64{-1}
	}
	list := make([]int64, shape.Rank())
	for i, d := range shape.Dims() {
		list[i] = -1
		if d.IsStatic() {
			list[i] = d.Min
		}
	}
	return list
}

// describe returns ports as the protocol has them. With withoutRows, the first dimension is left
// out.
func describe(ports []port, withoutRows bool) []oip.Port {
	list := make([]oip.Port, len(ports))
	for i, p := range ports {
		shape := dims(p.seen())
		if withoutRows && p.seen().RankKnown() {
			shape = shape[1:]
		}
		list[i] = oip.Port{Name: p.name, Datatype: p.datatype, Shape: shape}
	}
	return list
}
