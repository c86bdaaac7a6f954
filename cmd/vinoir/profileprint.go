package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/vinoir/vinoir/internal/printable"
)

// print prints a table of the layers in their order, and a table of the types, the slowest first.
func (p *profile) print(a *app) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	threads := p.divided()
	fprintf(w, "us\tshare\tGFLOP/s\tGB/s\t")
	if threads {
		fprintf(w, "threads\tlongest\t")
	}
	fprintf(w, "prec\ttype\tlayer\toutput\tkernel\tfused\n")
	limit := p.fit(a)
	for _, layer := range p.Layers {
		text := layer.cells(limit)
		fprintf(w, "%.1f\t%.1f%%\t%s\t%s\t", layer.MinUS, 100*layer.Share, number(layer.GFlops), number(layer.GB))
		if threads {
			fprintf(w, "%d\t%s\t", layer.Threads, number(layer.Longest))
		}
		fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", layer.Precision, text[0], text[1], text[2], text[3], text[4])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if n := p.all - len(p.Layers); n > 0 {
		a.printf("... %d layers more\n", n)
	}
	a.printf("\n")
	fprintf(w, "us\tshare\tGFLOP/s\tGB/s\tlayers\ttype\n")
	for _, t := range p.Types {
		fprintf(w, "%.1f\t%.1f%%\t%s\t%s\t%d\t%s\n", t.MinUS, 100*t.Share, number(t.GFlops), number(t.GB), t.Layers, cell(maxCell, t.Type))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	p.printReasons(a)
	a.printf("\n")
	p.repetition.print(a)
	a.printf("%d layers %s; whole inference: min %s, median %s of %s\n",
		p.all, duration(p.LayersUS), duration(p.MinUS), duration(p.MedianUS), count(p.Runs, "run"))
	a.printf("%s of an inference are between the layers (median): its start, its end, and two looks at the clock for each layer\n", duration(p.BetweenUS))
	a.printf("read %.3f ms, compile %.3f ms, first inference %.3f ms\n", p.ReadMS, p.CompileMS, p.FirstMS)
	a.printf("%v; %s\n", p.used, p.Peaks)
	return nil
}

// divided reports whether several threads worked on a layer.
func (p *profile) divided() bool {
	return slices.ContainsFunc(p.Layers, func(l *layerProfile) bool { return l.Threads > 1 })
}

// printReasons prints why layers of quantised networks are not computed in integers, and the first
// layer for each reason.
func (p *profile) printReasons(a *app) {
	layers := map[string][]string{}
	var reasons []string
	for _, layer := range p.Layers {
		if layer.Reason == "" {
			continue
		}
		if layers[layer.Reason] == nil {
			reasons = append(reasons, layer.Reason)
		}
		layers[layer.Reason] = append(layers[layer.Reason], layer.Type+" "+layer.Name)
	}
	for i, reason := range reasons {
		if i == 0 {
			a.printf("\n")
		}
		a.printf("not in integers: %s", layers[reason][0])
		if n := len(layers[reason]) - 1; n > 0 {
			a.printf(" and %d more", n)
		}
		a.printf(": %s\n", reason)
	}
}

// cells returns the cells with the type, name, outputs, kernel and fused layers.
func (l *layerProfile) cells(limit int) [5]string {
	fused := make([]string, len(l.Fused))
	for i, node := range l.Fused {
		fused[i] = node.Type
	}
	return [5]string{cell(limit, l.Type), tail(limit, l.Name), cell(limit, l.Outputs...), cell(limit, l.Kernel), cell(limit, fused...)}
}

// cell returns the text of a cell with a list. It is cut at limit characters if that is less than
// maxCell, and otherwise at maxCell with a remark.
func cell(limit int, list ...string) string {
	text := uncut(list)
	if runes := []rune(text); len(runes) > limit && limit < maxCell {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// tail is cell for the name of a layer, of which it keeps the end: what stands before it is that of
// many layers.
func tail(limit int, name string) string {
	if runes := []rune(name); len(runes) > limit && limit < maxCell {
		return "…" + string(runes[len(runes)-limit+1:])
	}
	return uncut([]string{name})
}

// uncut returns the text of a cell with a list, cut to maxCell characters.
func uncut(list []string) string {
	text := ""
	for i, item := range list {
		if i > 0 {
			text += " "
		}
		if text += item; len(text) > maxCell {
			if i+1 < len(list) {
				text += " ..."
			}
			return printable.Cut(text, maxCell)
		}
	}
	return text
}

// number formats a rate with three digits; it returns "" for 0, which means unknown.
func number(v float64) string {
	switch {
	case v == 0:
		return ""
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
