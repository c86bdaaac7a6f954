package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// pages lists the Markdown files of the site, in the order of its menu.
var pages = []page{
	{"docs/README.md", "index.html", "Guide"},
	{"docs/classify.md", "classify.html", "Classify a picture"},
	{"docs/chat.md", "chat.html", "Chat with a model"},
	{"docs/retrieval.md", "retrieval.html", "Search texts"},
	{"docs/onnx.md", "onnx.html", "Run ONNX models"},
	{"docs/embed.md", "embed.html", "Embed a model"},
	{"docs/validate.md", "validate.html", "Validate in CI"},
	{"docs/serve.md", "serve.html", "Serve a model"},
	{"docs/serve-migrate.md", "serve-migrate.html", "From another server"},
	{"docs/commands.md", "commands.html", "Commands"},
	{"docs/program.md", "program.html", "In a program"},
	{"docs/supported.md", "supported.html", "What is supported"},
	{"README.md", "overview.html", "Overview"},
	{"ops/README.md", "layertypes.html", "Layer types"},
	{"PERFORMANCE.md", "performance.html", "Performance"},
	{"NUMBERS.md", "numbers.html", "Numbers"},
	{"SECURITY.md", "security.html", "Safety"},
	{"docs/stability.md", "stability.html", "Stability"},
	{"CHANGELOG.md", "changelog.html", "Changes"},
	{"CONTRIBUTING.md", "contributing.html", "Contributing"},
}

// page is a page of the site.
type page struct {
	Source string // the Markdown file
	Name   string // the file of the site
	Menu   string // the text in the menu
}

// repository is where links to files that are no pages lead to.
const repository = "https://github.com/vinoir/vinoir"

//go:embed page.html
var layout string

//go:embed style.css
var style []byte

// site builds the pages.
type site struct {
	root     fs.FS
	markdown goldmark.Markdown
	layout   *template.Template
	ids      map[string]map[string]bool // the ids of headings, by page
	links    []link                     // between pages
}

// link is a link to a heading.
type link struct{ from, to, fragment string }

// build returns the files of the site by name. It returns an error if a link to a file or to a
// heading leads nowhere.
func build(root fs.FS) (map[string][]byte, error) {
	s := &site{
		root: root, ids: make(map[string]map[string]bool),
		markdown: goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID())),
	}
	var err error
	if s.layout, err = template.New("page").Parse(layout); err != nil {
		return nil, err
	}
	files := map[string][]byte{"style.css": style}
	for _, p := range pages {
		if files[p.Name], err = s.build(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Source, err)
		}
	}
	for _, l := range s.links {
		if !s.ids[l.to][l.fragment] {
			return nil, fmt.Errorf("%s: %s has no heading %q", l.from, l.to, l.fragment)
		}
	}
	return files, nil
}

// build returns a page as HTML.
func (s *site) build(p page) ([]byte, error) {
	source, err := fs.ReadFile(s.root, p.Source)
	if err != nil {
		return nil, err
	}
	s.ids[p.Name] = make(map[string]bool)
	doc := s.markdown.Parser().Parse(text.NewReader(source))
	title := ""
	var comments []ast.Node
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok {
				s.ids[p.Name][string(id.([]byte))] = true
			}
			if title == "" {
				title = string(n.Lines().Value(source))
			}
		case *ast.Link:
			n.Destination, err = s.resolve(p, string(n.Destination))
		case *ast.Image:
			err = fmt.Errorf("image %q: the site has no images", n.Destination)
		case *ast.RawHTML:
			err = fmt.Errorf("%q is HTML: put it in backquotes", n.Segments.Value(source))
		case *ast.HTMLBlock: // a comment for the tests of the programs
			comments = append(comments, n)
		}
		return ast.WalkContinue, err
	})
	if err != nil {
		return nil, err
	}
	for _, n := range comments {
		n.Parent().RemoveChild(n.Parent(), n)
	}
	var body, out bytes.Buffer
	if err := s.markdown.Renderer().Render(&body, source, doc); err != nil {
		return nil, err
	}
	err = s.layout.Execute(&out, struct {
		Page  page
		Pages []page
		Title string
		Body  template.HTML
	}{p, pages, title, template.HTML(body.String())})
	return out.Bytes(), err
}

// resolve returns the destination of a link of p in the site.
func (s *site) resolve(p page, destination string) ([]byte, error) {
	to, err := url.Parse(destination)
	if err != nil {
		return nil, err
	}
	if to.Scheme == "https" {
		return []byte(destination), nil
	}
	if to.Scheme != "" || to.Host != "" || path.IsAbs(to.Path) {
		return nil, fmt.Errorf("link %q is neither https nor a path relative to the file", destination)
	}
	file := p.Source
	if to.Path != "" {
		file = path.Join(path.Dir(p.Source), to.Path)
	}
	for _, other := range pages {
		if other.Source != file {
			continue
		}
		if to.Fragment == "" {
			return []byte(other.Name), nil
		}
		s.links = append(s.links, link{p.Source, other.Name, to.Fragment})
		return []byte(other.Name + "#" + to.Fragment), nil
	}
	info, err := fs.Stat(s.root, file)
	if err != nil {
		return nil, fmt.Errorf("link %q: %w", destination, err)
	}
	kind := "blob"
	if info.IsDir() {
		kind = "tree"
	}
	return []byte(strings.Join([]string{repository, kind, "main", file}, "/")), nil
}
