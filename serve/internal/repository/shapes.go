package repository

import (
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
)

// shapes decodes OVMS's shapes: "auto", "(1,3,224:512,-1)", or an object of these by input. The
// text can be the JSON of that object.
func (d *decoder) shapes(f *field) error {
	inner := f.message
	if inner == nil && strings.HasPrefix(strings.TrimSpace(f.text), "{") {
		var err error
		if inner, err = parseJSON([]byte(f.text)); err != nil {
			return f.in(err)
		}
	}
	if d.config.Shapes == nil {
		d.config.Shapes = make(map[string]ir.PartialShape)
	}
	if inner == nil {
		shape, err := parseShape(f)
		d.config.Shapes[""] = shape
		return err
	}
	for i := range inner.fields {
		shape, err := parseShape(&inner.fields[i])
		if err != nil {
			return f.in(err)
		}
		d.config.Shapes[inner.fields[i].name] = shape
	}
	return nil
}

// parseShape returns the shape in f. "auto" is an unknown rank.
func parseShape(f *field) (ir.PartialShape, error) {
	text, err := f.value()
	if err != nil {
		return ir.UnknownRank, err
	}
	text = strings.TrimSpace(text)
	if strings.EqualFold(text, "auto") {
		return ir.UnknownRank, nil
	}
	inner, opened := strings.CutPrefix(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !opened || !closed {
		return ir.UnknownRank, f.errorf("%q is not a shape, such as auto or (1,3,224,224)", text)
	}
	var list []ir.Dimension
	for part := range strings.SplitSeq(strings.TrimSuffix(inner, ","), ",") {
		if strings.TrimSpace(inner) == "" {
			break // a scalar
		}
		dimension, ok := parseDimension(part)
		if !ok || len(list) == ir.MaxRank {
			return ir.UnknownRank, f.errorf("%q is not a shape, such as auto or (1,3,224,224)", text)
		}
		list = append(list, dimension)
	}
	return ir.ShapeOf(list...), nil
}

// parseDimension returns the dimension in text: a length, -1 for any, or two lengths with a colon.
func parseDimension(text string) (ir.Dimension, bool) {
	from, to, isRange := strings.Cut(strings.TrimSpace(text), ":")
	least, err := strconv.ParseInt(from, 10, 64)
	if err != nil || least < -1 {
		return ir.AnyDim, false
	}
	if !isRange {
		if least == -1 {
			return ir.AnyDim, true
		}
		return ir.Dim(least), true
	}
	most, err := strconv.ParseInt(to, 10, 64)
	if err != nil || least < 0 || most < least {
		return ir.AnyDim, false
	}
	return ir.DimRange(least, most), true
}

// batchSize decodes OVMS's batch size: a number, a range, or "auto". 0 means that of the model.
func (d *decoder) batchSize(f *field) error {
	text, err := f.value()
	if err != nil || text == "0" {
		return err
	}
	dimension := ir.AnyDim
	if !strings.EqualFold(text, "auto") {
		var ok bool
		if dimension, ok = parseDimension(text); !ok {
			return f.errorf("%q is not a batch size, such as auto or 8", text)
		}
	}
	d.config.BatchSize = &dimension
	return nil
}
