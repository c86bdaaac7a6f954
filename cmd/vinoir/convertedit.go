package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// edited returns the part of m that --extract asks for, with the layers of --preprocess. It returns
// m if there are no such flags.
func (f *convertFlags) edited(ctx context.Context, a *app, m *ir.Model) (*ir.Model, error) {
	if f.extract != "" {
		inputs, outputs, ok := strings.Cut(f.extract, "..")
		if !ok {
			return nil, usagef("--extract %s has no .. between inputs and outputs", f.extract)
		}
		part, err := edit.Extract(ctx, m, a.registry, names(inputs), names(outputs))
		if err != nil {
			return nil, err
		}
		m = part
	}
	if len(f.preprocess) == 0 {
		return m, nil
	}
	b := edit.Change(ctx, m, a.registry)
	for _, spec := range f.preprocess {
		input, words, ok := strings.Cut(spec, ": ")
		if !ok {
			return nil, usagef("--preprocess %s does not start with the name of an input, a colon and a space", spec)
		}
		p, err := parsePreprocess(words)
		if err != nil {
			return nil, usagef("--preprocess %s: %w", spec, err)
		}
		b.Preprocess(input, *p)
	}
	return b.Model()
}

// names returns the names in a list with commas.
func names(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// parsePreprocess returns what the words of --preprocess describe. The steps have the order of the
// words.
func parsePreprocess(text string) (*edit.Preprocess, error) {
	p := &edit.Preprocess{}
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		from, to, changes := strings.Cut(value, ":")
		var err error
		switch key {
		case "type":
			p.Type, err = ir.ParseElementType(value)
		case "layout":
			p.Layout = from
			if p.ModelLayout = from; changes {
				p.ModelLayout = to
			}
		case "size":
			p.Size, err = parseSize(value)
		case "color":
			if p.Color = from; changes {
				p.Steps = append(p.Steps, edit.ConvertColor(to))
			}
		case "resize":
			p.Steps = append(p.Steps, edit.Resize(value))
		case "mean", "scale":
			var numbers []float64
			if numbers, err = parseNumbers(value); key == "mean" {
				p.Steps = append(p.Steps, edit.Mean(numbers...))
			} else {
				p.Steps = append(p.Steps, edit.Scale(numbers...))
			}
		case "convert":
			var t ir.ElementType
			t, err = ir.ParseElementType(value)
			p.Steps = append(p.Steps, edit.ConvertType(t))
		default:
			return nil, usagef("%s is none of type=, layout=, size=, color=, convert=, resize=, mean=, scale=", word)
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// parseSize parses a height and a width, such as 480x640 or ?x?.
func parseSize(text string) ([]ir.Dimension, error) {
	shape, err := ir.ParsePartialShape("[" + strings.Replace(text, "x", ",", 1) + "]")
	if err != nil || shape.Rank() != 2 {
		return nil, usagef("size %s is not HxW", text)
	}
	return shape.Dims(), nil
}

// parseNumbers parses numbers with commas.
func parseNumbers(text string) ([]float64, error) {
	var numbers []float64
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return nil, usagef("%s is not a number", part)
		}
		numbers = append(numbers, v)
	}
	return numbers, nil
}
