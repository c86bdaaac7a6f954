// Package graph tests the pages that vinoir graph writes.
package graph

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/docs/test/browser"
	"github.com/vinoir/vinoir/docs/test/repository"
)

// openGraph draws a model, the text of which is read if path is -, and opens the page. Everything
// that the page loads or complains of is a failure when the test ends.
func openGraph(t *testing.T, b *browser.Browser, text, path string, flags ...string) *browser.Page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, graph(text, path, append(flags, "-o", file)...))
	page := b.Open(t, "file://"+file)
	frame(page)
	t.Cleanup(func() {
		assert.Empty(t, page.Faults())
		assert.Equal(t, []string{"file://" + file}, page.Loaded())
	})
	return page
}

// tool is the path of the command.
var tool string

// TestMain builds the command for all tests.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "graph")
	if err == nil {
		defer os.RemoveAll(dir)
		tool = filepath.Join(dir, "vinoir")
		err = repository.Go(nil, "build", "-o", tool, "./cmd/vinoir")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// graph runs vinoir graph with text as its standard input.
func graph(text, path string, flags ...string) error {
	command := exec.Command(tool, append([]string{"graph", path}, flags...)...)
	command.Stdin = strings.NewReader(text)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", command.Args, err, out)
	}
	return nil
}

// frame waits until what has changed is drawn.
func frame(p *browser.Page) {
	browser.Evaluate[bool](p, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

// shown returns the text of the panel beside the drawing.
func shown(p *browser.Page) string { return browser.Evaluate[string](p, `side.innerText`) }

// TestGraph searches, clicks and presses keys on pages in a browser.
func TestGraph(t *testing.T) {
	usePages(t, repository.Path("testdata/ir/If-8/boolean/model.xml"), repository.Path("examples/scatter/model.xml"))
}

// TestGraph_Corpus is TestGraph for the networks of the corpus.
func TestGraph_Corpus(t *testing.T) {
	usePages(t, append(corpusModels(t, "zoo", "model.xml"), corpusModels(t, "quant", "model.xml")...)...)
}

// corpusModels returns the models in a folder of the corpus.
func corpusModels(t *testing.T, folder, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository.Corpus(t), folder, "*", pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func usePages(t *testing.T, models ...string) {
	t.Helper()
	b := browser.Start(t)
	for _, path := range models {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) { usePage(t, openGraph(t, b, "", path)) })
	}
}

func usePage(t *testing.T, page *browser.Page) {
	t.Helper()
	assert.Contains(t, shown(page), "IR version 1")
	assert.Positive(t, browser.Evaluate[int](page, `drawn`))

	// The search finds a layer by a part of its name and its type.
	layer := browser.Evaluate[struct {
		Number     int
		Name, Type string
	}](page, `(() => { const l = layers[data.graphs[0].boxes.find(n => layers[n].in.length && layers[n].readers.length)]; return {number: l.n, name: l.name, type: l.type}; })()`)
	page.Press("/" + strings.ToUpper(layer.Type) + " " + layer.Name)
	assert.Equal(t, layer.Type+" "+layer.Name, browser.Evaluate[string](page, `found.children[1].textContent`))
	page.Press(kb.Enter)
	assert.Contains(t, shown(page), layer.Name)
	page.Press(kb.Escape)
	assert.True(t, browser.Evaluate[bool](page, `found.hidden && document.activeElement === view`))
	page.Press(kb.Escape)
	assert.Contains(t, shown(page), "IR version 1")

	// A click on a box shows the layer, and one beside it the model.
	browser.Evaluate[bool](page, fmt.Sprintf(`(() => { const b = scene.at.get(%d); scale = 1; centre(b.x + b.w / 2, b.y + b.h / 2); return true; })()`, layer.Number))
	frame(page)
	place := browser.Evaluate[[]float64](page, `(() => { const r = view.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2, r.x + 2, r.y + 2]; })()`)
	page.Click(place[0], place[1])
	assert.Equal(t, layer.Number, browser.Evaluate[int](page, `selected`))
	for _, want := range []string{layer.Type, layer.Name, "INPUTS", "OUTPUTS", "READ BY"} {
		assert.Contains(t, shown(page), want)
	}

	// The keys.
	page.Press("i")
	assert.True(t, browser.Evaluate[bool](page, `[...marked].every(n => n === selected || layers[n].readers.some(([m]) => marked.has(shown(m))))`))
	page.Press("o")
	assert.True(t, browser.Evaluate[bool](page, `[...marked].some(n => layers[n].type === 'Result' || layers[n].type === 'Assign')`))
	page.Press(kb.ArrowDown)
	assert.True(t, browser.Evaluate[bool](page, fmt.Sprintf(`layers[%d].readers.some(([m]) => m === selected)`, layer.Number)))
	page.Press("f")
	frame(page)
	assert.Equal(t, browser.Evaluate[int](page, `scene.boxes.length`), browser.Evaluate[int](page, `drawn`), "all boxes are in view")
	page.Press("?")
	assert.Contains(t, shown(page), "mark the way to the inputs, outputs")
	page.Press(kb.Escape)
	page.Press("d")
	assert.True(t, browser.Evaluate[bool](page, `getComputedStyle(side).display === 'none'`))
	page.Press("d")

	// Bodies unfold, and the boxes in them are found.
	inner := browser.Evaluate[*int](page, `data.graphs[1] ? data.graphs[1].boxes[0] : null`)
	if inner != nil {
		browser.Evaluate[bool](page, fmt.Sprintf(`select(%d, true) || true`, *inner))
		assert.True(t, browser.Evaluate[bool](page, fmt.Sprintf(`scene.at.has(%d)`, *inner)))
	}
	assert.Contains(t, browser.Evaluate[string](page, `new Promise(done => {
	  URL.createObjectURL = blob => { blob.text().then(done); return '#'; };
	  save();
	})`), `<svg xmlns="http://www.w3.org/2000/svg"`)
	for _, dark := range []bool{false, true} {
		browser.Evaluate[bool](page, fmt.Sprintf(`theme(%v) || true`, dark))
		for _, n := range []int{-1, layer.Number} {
			browser.Evaluate[bool](page, fmt.Sprintf(`select(%d) || true`, n))
			contrast(t, page)
		}
	}
}

// contrast checks that all text, in elements and on the drawing, has the contrast that WCAG 2 asks
// for: 4.5 to 1, and 3 to 1 for marks.
func contrast(t *testing.T, page *browser.Page) {
	t.Helper()
	assert.Empty(t, browser.Evaluate[[]string](page, `(() => {
	  const c = document.createElement('canvas').getContext('2d', {willReadFrequently: true}), weak = [];
	  const rgb = (colours) => { c.globalAlpha = 1; for (const [colour, alpha] of colours) { c.globalAlpha = alpha; c.fillStyle = colour; c.fillRect(0, 0, 1, 1); } return c.getImageData(0, 0, 1, 1).data; };
	  const luminance = d => [.2126, .7152, .0722].reduce((sum, part, i) => { const v = d[i] / 255; return sum + part * (v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); }, 0);
	  const check = (name, text, alpha, back) => {
	    const [a, b] = [luminance(rgb([[back, 1]])), luminance(rgb([[back, 1], [text, alpha]]))].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
	    if (ratio < (name.endsWith('■ ') ? 3 : 4.5)) weak.push(name + ': ' + text + ' on ' + back + ' is ' + ratio.toFixed(2));
	  };
	  for (const e of document.body.querySelectorAll('*')) {
	    if (e.closest('[hidden],script,style') || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
	    let o = e, back = 'rgba(0, 0, 0, 0)';
	    for (; back === 'rgba(0, 0, 0, 0)'; o = o.parentElement) back = getComputedStyle(o).backgroundColor;
	    const s = getComputedStyle(e);
	    check(e.tagName + ' ' + e.textContent.slice(0, 20), e.namespaceURI.endsWith('svg') ? s.fill : s.color, 1, back);
	  }
	  palette.fill.forEach((fill, i) => check('box of kind ' + i, palette.text, .82, fill));
	  for (const part of [0, .2, .4, .6, .85]) check('box of time ' + part, palette.text, .95, mix(palette.cold, palette.hot, part));
	  check('shape', palette.soft, 1, palette.bg);
	  check('dynamic shape', palette.accent, 1, palette.bg);
	  for (const severity of ['error', 'warning', 'note']) check(severity, palette.panel, 1, palette[severity]);
	  return weak;
	})()`))
}

// TestGraph_profile opens a page with times.
func TestGraph_profile(t *testing.T) {
	page := openGraph(t, browser.Start(t), "", repository.Path("testdata/ir/MatMul-1/f32/model.xml"), "--profile", "--runs", "2", "--threads", "1")
	text := shown(page)
	for _, want := range []string{"TIME BY TYPE", "ROOFLINE", "SLOWEST LAYERS", "GFLOP/s in a product of matrices in the cache"} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, "time", browser.Evaluate[string](page, `colours`))
	assert.Positive(t, browser.Evaluate[int](page, `side.querySelectorAll('circle').length`), "points of the roofline")
	widths := browser.Evaluate[[]float64](page, `[...side.querySelectorAll('.bar')].slice(0, profile.types.length).map(e => e.getBoundingClientRect().width)`)
	assert.True(t, slices.IsSortedFunc(widths, func(a, b float64) int { return int(100 * (b - a)) }), "bars of types, longest first: %v", widths)
	page.Press("c")
	assert.Equal(t, "kind", browser.Evaluate[string](page, `colours`))
	page.Press("/matmul" + kb.Enter)
	assert.Contains(t, shown(page), "kernel")
}

// TestGraph_phone opens a page on the screen of a phone: the graph has all of it until a box is
// tapped, and the panel comes from below, over the lower half.
func TestGraph_phone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, graph("", repository.Path("examples/classify/model.xml"), "-o", file))
	page := browser.Start(t).OpenSized(t, "file://"+file, 390, 844)
	frame(page)
	covered := func() float64 {
		frame(page)
		return browser.Evaluate[float64](page, `side.getBoundingClientRect().height / view.clientHeight`)
	}
	assert.Zero(t, covered(), "closed at first")
	assert.LessOrEqual(t, browser.Evaluate[float64](page, `document.documentElement.scrollWidth`), 390.0)
	assert.Empty(t, browser.Evaluate[[]string](page, `[...document.querySelectorAll('button')].filter(b => b.getBoundingClientRect().right > 390).map(b => b.textContent)`))

	browser.Evaluate[any](page, `byID('panel').click()`)
	assert.InDelta(t, .5, covered(), .02, "by the button")
	browser.Evaluate[any](page, `byID('panel').click()`)
	assert.Zero(t, covered(), "and away again")

	browser.Evaluate[any](page, `select(layers.find(l => l.type === 'ReduceMean').n, true)`)
	assert.InDelta(t, .5, covered(), .02, "a selected layer")
	assert.Less(t, browser.Evaluate[float64](page, `(scene.at.get(selected).y - top_) * scale / view.clientHeight`), .5, "the layer is above the sheet")
	page.Press(kb.Escape)
	assert.Zero(t, covered(), "without a selected layer")
	assert.Empty(t, page.Faults())
}

// hostileModel has ATTACK in all its names.
const hostileModel = `<net name="mATTACK" version="11"><layers>
<layer id="0" name="pATTACK" type="Parameter" version="opset1"><data shape="2" element_type="f32" odd="ATTACK"/><output><port id="0" precision="FP32" names="tATTACK"><dim>3</dim></port></output></layer>
<layer id="1" name="nATTACK" type="Relu" version="opset1"><input><port id="0" precision="FP32ATTACK"><dim>2</dim></port></input><output><port id="1" precision="FP32" names="uATTACK"><dim>2</dim></port></output></layer>
<layer id="2" name="rATTACK" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges>
<rt_info><x value="iATTACK"/></rt_info></net>`

// TestGraph_hostile opens the page of a model whose names are markup and scripts.
func TestGraph_hostile(t *testing.T) {
	b := browser.Start(t)
	const attack = `]]>&lt;/script>&lt;!--&lt;script>alert(1)&lt;/script>&lt;img src=x onerror=alert(2)>&lt;a href='javascript:alert(3)'>&quot;\&quot; onload=x &#x2028;&#10;'`
	page := openGraph(t, b, strings.ReplaceAll(hostileModel, "ATTACK", attack), "-")
	for _, number := range browser.Evaluate[[]int](page, `layers.map(l => l.n)`) {
		browser.Evaluate[bool](page, `select(`+strconv.Itoa(number)+`, true) || true`)
		assert.Contains(t, browser.Evaluate[string](page, `side.textContent`), "<img src=x onerror=alert(2)>")
	}
	page.Press("/<img")
	assert.NotZero(t, browser.Evaluate[int](page, `hits.length`))
	assert.Equal(t, []int{2, 0}, browser.Evaluate[[]int](page, `[document.scripts.length, document.querySelectorAll('img,iframe,object,a[href^=javascript]').length]`))
}

// TestGraph_hostileCorpus opens pages of those attacks of the corpus that can be drawn.
func TestGraph_hostileCorpus(t *testing.T) {
	files := corpusModels(t, "attacks", "*.xml")
	b := browser.Start(t)
	drawn := 0
	for _, file := range files {
		out := filepath.Join(t.TempDir(), "page.html")
		if graph("", file, "-o", out) != nil {
			continue
		}
		drawn++
		page := b.Open(t, "file://"+out)
		frame(page)
		assert.Contains(t, shown(page), "IR version", file)
		assert.Empty(t, page.Faults(), file)
		assert.Equal(t, []string{"file://" + out}, page.Loaded())
	}
	t.Logf("%d of %d attacks are drawn", drawn, len(files))
	assert.Positive(t, drawn)
}

// TestGraph_large opens a model of more than 10,000 layers. What it costs to move the drawing
// depends on what is in view, not on the model.
func TestGraph_large(t *testing.T) {
	b := browser.Start(t)
	page := openGraph(t, b, wideModel(2500), "-")
	assert.Equal(t, 10_002, browser.Evaluate[int](page, `scene.boxes.length`))
	small := openGraph(t, b, wideModel(50), "-")
	// The shortest of the times that drawing takes, in milliseconds, while the drawing moves.
	pan := func(p *browser.Page) float64 {
		return browser.Evaluate[float64](p, `(async () => {
		  let best = Infinity, most = 0;
		  scale = .8;
		  for (let i = 0; i < 40; i++) {
		    top_ = scene.height / 2 + 11 * i; left = scene.width / 2 - view.clientWidth / scale / 2;
		    const start = performance.now();
		    draw();
		    best = Math.min(best, performance.now() - start);
		    most = Math.max(most, drawn);
		    await new Promise(requestAnimationFrame);
		  }
		  if (!most || most > 100) throw new Error(most + ' boxes are drawn');
		  return best;
		})()`)
	}
	few, many := pan(small), pan(page)
	t.Logf("drawing takes %.2f ms with 202 layers, %.2f ms with 10,002", few, many)
	assert.Less(t, many, 20*few+5)
	page.Press("/abs1234" + kb.Enter)
	assert.Equal(t, "abs1234", browser.Evaluate[string](page, `layers[selected].name`))
	frame(page)
	assert.Positive(t, browser.Evaluate[int](page, `drawn`))
}

// wideModel returns a model with four layers in each of n steps, and two more.
func wideModel(n int) string {
	var b, edges strings.Builder
	const output = `<output><port id="9" precision="FP32"><dim>1</dim><dim>8</dim></port></output>`
	layer := func(id int, layerType, name, data, ports string) {
		fmt.Fprintf(&b, `<layer id="%d" name="%s" type="%s" version="opset1">%s%s</layer>`, id, name, layerType, data, ports)
	}
	edge := func(from, to, port int) {
		fmt.Fprintf(&edges, `<edge from-layer="%d" from-port="9" to-layer="%d" to-port="%d"/>`, from, to, port)
	}
	b.WriteString(`<net name="wide" version="11"><layers>`)
	layer(0, "Parameter", "x", `<data shape="1,8" element_type="f32"/>`, output)
	last := 0
	for i := range n {
		first := 4*i + 1
		for k, layerType := range []string{"Relu", "Sigmoid", "Abs"} {
			layer(first+k, layerType, strings.ToLower(layerType)+strconv.Itoa(i), "", `<input><port id="0"/></input>`+output)
		}
		layer(first+3, "Add", "add"+strconv.Itoa(i), "", `<input><port id="0"/><port id="1"/></input>`+output)
		edge(last, first, 0)
		edge(last, first+1, 0)
		edge(first, first+2, 0)
		edge(first+2, first+3, 0)
		edge(first+1, first+3, 1)
		last = first + 3
	}
	layer(last+1, "Result", "y", "", `<input><port id="0"/></input>`)
	edge(last, last+1, 0)
	return b.String() + `</layers><edges>` + edges.String() + `</edges></net>`
}
