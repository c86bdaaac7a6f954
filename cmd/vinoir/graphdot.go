package main

import (
	"bufio"
	"context"
	"strconv"
	"strings"
)

// writeDOT writes the scene in the language of Graphviz. Bodies are clusters.
func (s *scene) writeDOT(ctx context.Context, w *bufio.Writer) error {
	d := dotWriter{s, rawWriter{w}}
	d.raw("digraph model {\nnode [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11]\nedge [fontname=\"sans-serif\", fontsize=9]\n")
	if err := d.graph(ctx, s.graphs[0]); err != nil {
		return err
	}
	d.raw("}\n")
	return nil
}

// dotWriter writes statements of DOT.
type dotWriter struct {
	*scene
	rawWriter
}

// quoted returns the lines as one string of DOT. Backslashes are escaped, since a label has escape
// sequences.
func quoted(lines ...string) string {
	for i, line := range lines {
		lines[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(line)
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}

func (d *dotWriter) graph(ctx context.Context, g *sceneGraph) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, l := range g.boxes {
		d.raw(dotName(l), " [label=", quoted(append([]string{l.title()}, l.lines...)...), "]\n")
		for i, body := range l.bodies {
			d.raw("subgraph cluster_", strconv.Itoa(body), " {\nlabel=", quoted("body "+strconv.Itoa(i)+" of "+l.title()), "\n")
			if err := d.graph(ctx, d.graphs[body]); err != nil {
				return err
			}
			d.raw("}\n")
			if boxes := d.graphs[body].boxes; len(boxes) > 0 {
				d.raw(dotName(l), " -> ", dotName(boxes[0]), " [style=dashed, arrowhead=none]\n")
			}
		}
	}
	for i := range g.edges {
		e := &g.edges[i]
		label := ""
		if e.output < len(e.from.outputs) {
			label = " [label=" + quoted(factText(&e.from.outputs[e.output])) + "]"
		}
		d.raw(dotName(e.from), " -> ", dotName(e.to), label, "\n")
	}
	return nil
}

func dotName(l *sceneLayer) string { return "l" + strconv.Itoa(l.number) }
