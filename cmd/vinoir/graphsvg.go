package main

import (
	"bufio"
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/layered"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir/validate"
)

// svgStyle has the colours of the kinds of layers, as graphpage.css has them.
const svgStyle = `<style>
svg{background:#fff;font:11px system-ui,sans-serif}text{fill:#1d2433;text-anchor:middle}.t{font-weight:600;font-size:12px}.s{fill:#556072}
rect{fill:#eef0f3;stroke:#8a94a6}path{fill:none;stroke:#8a94a6}.e{font-size:10px;fill:#556072;paint-order:stroke;stroke:#fff;stroke-width:4px}.direct{stroke-dasharray:4 4}
.k1{fill:#d3dae6;stroke:#56627a}.k2{fill:#cfe0ff;stroke:#3a6fd8}.k3{fill:#fde0cf;stroke:#c8622a}.k4{fill:#d4f0dd;stroke:#2f8f55}.k5{fill:#ece3fb;stroke:#7b57c2}
.k6{fill:#fdf0c4;stroke:#a37f0e}.k7{fill:#fbdbe8;stroke:#b8447c}.k8{fill:#d2f0f2;stroke:#1d8590}.error{stroke:#d0021b;stroke-width:3}.warning{stroke:#c77700;stroke-width:2.5}.f{fill:#fff;stroke-dasharray:3 3}
@media (prefers-color-scheme:dark){svg{background:#14171f}text{fill:#e6e9f0}.s{fill:#a9b2c3}.e{fill:#a9b2c3;stroke:#14171f}rect{fill:#262b36}
.k1{fill:#333c4d}.k2{fill:#1d3563}.k3{fill:#4d2a17}.k4{fill:#1b4029}.k5{fill:#392a5c}.k6{fill:#453a12}.k7{fill:#4c1f37}.k8{fill:#163f44}.f{fill:#14171f}}
</style>
`

// rawWriter writes text that is markup. bufio.Writer keeps the first error.
type rawWriter struct{ *bufio.Writer }

func (w rawWriter) raw(parts ...string) {
	for _, part := range parts {
		_, _ = w.WriteString(part)
	}
}

// svgWriter writes the elements of an SVG.
type svgWriter struct {
	*scene
	rawWriter
	severity map[*sceneLayer]string // the worst finding
}

// writeSVG writes the scene as an SVG. Its bodies are in their layers.
func (s *scene) writeSVG(ctx context.Context, w *bufio.Writer) error {
	g := s.graphs[0]
	margin := 20.0
	v := &svgWriter{s, rawWriter{w}, make(map[*sceneLayer]string)}
	for i := range s.report.Findings {
		f := &s.report.Findings[i]
		l := s.places[f.Layer]
		for l != nil && l.into != nil {
			l = l.into
		}
		if l != nil && v.severity[l] != validate.SeverityError.String() {
			v.severity[l] = f.Severity.String()
		}
	}
	width, height := svgNumber(g.width+2*margin), svgNumber(g.height+2*margin)
	v.raw(`<svg xmlns="http://www.w3.org/2000/svg" width="`, width, `" height="`, height, `" viewBox="0 0 `, width, ` `, height, "\">\n", svgStyle, "<title>")
	v.text(s.name)
	v.raw("</title>\n")
	if err := v.graph(ctx, g, margin, margin); err != nil {
		return err
	}
	v.raw("</svg>\n")
	return nil
}

// text writes text that can come from a file.
func (v *svgWriter) text(s string) { _ = xml.EscapeText(v, []byte(printable.Escape(s))) }

func svgNumber(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// graph draws g with its upper left corner at x,y.
func (v *svgWriter) graph(ctx context.Context, g *sceneGraph, x, y float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range g.edges {
		v.edge(&g.edges[i], x, y)
	}
	for _, l := range g.boxes {
		if err := v.box(ctx, l, x+l.at.X, y+l.at.Y); err != nil {
			return err
		}
	}
	return nil
}

func (v *svgWriter) edge(e *sceneEdge, x, y float64) {
	class := ""
	if e.direct {
		class = ` class="direct"`
	}
	v.raw("<path", class, ` d="`)
	for i, p := range e.points {
		p = layered.Point{X: p.X + x, Y: p.Y + y}
		switch {
		case i == 0:
			v.raw("M", svgNumber(p.X), " ", svgNumber(p.Y))
		case e.points[i-1].X == e.points[i].X || e.direct:
			v.raw("L", svgNumber(p.X), " ", svgNumber(p.Y))
		default:
			middle := svgNumber((e.points[i-1].Y+e.points[i].Y)/2 + y)
			v.raw("C", svgNumber(e.points[i-1].X+x), " ", middle, " ", svgNumber(p.X), " ", middle, " ", svgNumber(p.X), " ", svgNumber(p.Y))
		}
	}
	v.raw("\"/>\n")
}

// box draws a layer, its labels, and its bodies.
func (v *svgWriter) box(ctx context.Context, l *sceneLayer, x, y float64) error {
	class := "k" + strconv.Itoa(layerKind(l.Type))
	if severity := v.severity[l]; severity != "" {
		class += " " + severity
	}
	v.raw(`<g><rect class="`, class, `" x="`, svgNumber(x), `" y="`, svgNumber(y), `" width="`, svgNumber(l.size.Width), `" height="`, svgNumber(l.size.Height), `" rx="5"/>`)
	middle := x + l.size.Width/2
	v.line("t", middle, y+16, l.title())
	for i, line := range l.lines {
		v.line("s", middle, y+titleHeight+8+lineHeight*float64(i), line)
	}
	v.raw("</g>\n")
	at := y + l.size.Height + 14
	starts := l.starts()
	if l.Type != "Result" && len(l.outputs) > 0 {
		for i := range starts {
			if i == 0 || l.spread() {
				v.line("e", middle+starts[i], at, l.label(i))
			}
		}
		v.raw("\n")
	}
	left, top := x+frameGap, y+titleHeight+4+float64(len(l.lines))*lineHeight+frameGap
	for _, body := range l.bodies {
		g := v.graphs[body]
		v.raw(`<rect class="f" x="`, svgNumber(left-6), `" y="`, svgNumber(top-6), `" width="`, svgNumber(g.width+12), `" height="`, svgNumber(g.height+12), "\" rx=\"5\"/>\n")
		if err := v.graph(ctx, g, left, top); err != nil {
			return err
		}
		left += g.width + frameGap
	}
	return nil
}

func (v *svgWriter) line(class string, x, y float64, text string) {
	v.raw(`<text class="`, class, `" x="`, svgNumber(x), `" y="`, svgNumber(y), `">`)
	v.text(strings.TrimSpace(text))
	v.raw("</text>")
}
