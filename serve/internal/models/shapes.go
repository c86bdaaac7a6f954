package models

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/repository"
)

// newShapes returns the shapes that a configuration gives the inputs of a model, as far as they are
// not those of the model: those that it names, and an unknown number of rows if it says that there
// are rows.
func newShapes(model *ir.Model, config *repository.Config) (map[string]ir.PartialShape, error) {
	shapes := make(map[string]ir.PartialShape)
	for name := range config.Shapes {
		if name == "" {
			continue
		}
		if _, err := model.Parameter(name); err != nil {
			return nil, fmt.Errorf("shape: %w", err)
		}
	}
	for _, parameter := range model.Parameters {
		old := ir.AttributesOf(parameter).PartialShape("shape", ir.UnknownRank)
		shape := configuredShape(parameter, old, config.Shapes)
		if config.BatchSize != nil && shape.Rank() > 0 {
			shape = shape.With(0, *config.BatchSize)
		}
		if config.MaxBatchSize > 0 {
			if shape.Rank() < 1 {
				return nil, fmt.Errorf("max_batch_size is %d, but input %q of the shape %s has no rows",
					config.MaxBatchSize, parameter.Name, shape)
			}
			shape = shape.With(0, ir.AnyDim)
		}
		if !shape.Equal(old) {
			shapes[nameOf(parameter)] = shape
		}
	}
	return shapes, nil
}

// configuredShape returns the shape that shapes has for an input whose shape is old.
func configuredShape(parameter *ir.Layer, old ir.PartialShape, shapes map[string]ir.PartialShape) ir.PartialShape {
	shape, ok := shapes[parameter.Name]
	for _, name := range parameter.Outputs[0].Names {
		if !ok {
			shape, ok = shapes[name]
		}
	}
	if !ok {
		shape, ok = shapes[""]
	}
	switch {
	case !ok:
		return old
	case !shape.RankKnown() && old.RankKnown(): // auto
		return ir.ShapeOfRank(old.Rank())
	}
	return shape
}

// nameOf returns a name that finds an input.
func nameOf(parameter *ir.Layer) string {
	if names := parameter.Outputs[0].Names; len(names) > 0 {
		return names[0]
	}
	return parameter.Name
}

// configurePorts checks the inputs and outputs of v against the configuration, and narrows their
// shapes to what it says.
func (v *version) configurePorts() error {
	v.maxRows = v.config.MaxBatchSize
	for _, side := range []struct {
		kind       string
		ports      []port
		indices    map[string]int
		configured []repository.Port
	}{
		{"input", v.inputs, v.inputIndices, v.config.Inputs},
		{"output", v.outputs, v.outputIndices, v.config.Outputs},
	} {
		for i := range side.ports {
			if v.maxRows > 0 && side.ports[i].shape.Rank() == 0 {
				return fmt.Errorf("max_batch_size is %d, but %s %q is a single number", v.maxRows, side.kind, side.ports[i].name)
			}
		}
		for i := range side.configured {
			c := &side.configured[i]
			at, ok := side.indices[c.Name]
			if !ok {
				return fmt.Errorf("the configuration has an %s %q, the model has %s", side.kind, c.Name, names(side.ports))
			}
			if err := side.ports[at].configure(c, v.maxRows > 0); err != nil {
				return fmt.Errorf("%s %q: %w", side.kind, c.Name, err)
			}
		}
	}
	return nil
}

// configure checks p against c, and narrows its shape. withRows says that the dims of c are without
// the rows.
func (p *port) configure(c *repository.Port, withRows bool) error {
	if c.Type != ir.Dynamic && c.Type != p.elementType {
		return fmt.Errorf("the configuration says %s, the model has %s", typeName(c.Type), p.datatype)
	}
	if c.Dims == nil {
		return nil
	}
	shape := shapeOf(c.Dims, withRows)
	if c.Reshape != nil {
		var err error
		if p.reshaping, err = newReshaping(c.Dims, c.Reshape, withRows); err != nil {
			return err
		}
		shape = p.reshaping.own
	}
	merged, ok := p.shape.Merge(shape)
	if !ok {
		return fmt.Errorf("the configuration says the shape %s, the model has %s", shape, p.shape)
	}
	p.shape = merged
	return nil
}

// shapeOf returns the shape with the given lengths, of which -1 is any, behind any number of rows.
func shapeOf(dims []int64, withRows bool) ir.PartialShape {
	var list []ir.Dimension
	if withRows {
		list = append(list, ir.AnyDim)
	}
	for _, n := range dims {
		list = append(list, ir.DimOfInt(n))
	}
	return ir.ShapeOf(list...)
}
