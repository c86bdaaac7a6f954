package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the root of the repository, relative to this package.
const root = "../.."

// block is a comment of a page, and the code block after it: the content of a file, the part of a
// file from a line to the next empty line, or the output of a command.
var block = regexp.MustCompile("(?s)<!-- (file|part|output): ([^\n]*) -->\n```(?:go)?\n(.*?)```\n")

// TestPages checks that the pages show the programs as they are, and what they print. With
// VINOIR_UPDATE=1, it writes the pages.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	blocks := 0
	for _, name := range pages {
		page, err := os.ReadFile(name)
		require.NoError(t, err)
		updated := block.ReplaceAllFunc(page, func(text []byte) []byte {
			blocks++
			parts := block.FindSubmatchIndex(text)
			want := content(t, string(text[parts[2]:parts[3]]), string(text[parts[4]:parts[5]]))
			return append(append(bytes.Clone(text[:parts[6]]), want...), "```\n"...)
		})
		if os.Getenv("VINOIR_UPDATE") != "" {
			require.NoError(t, os.WriteFile(name, updated, 0o644))
		}
		assert.Equal(t, string(updated), string(page), "%s; VINOIR_UPDATE=1 writes it", name)
	}
	assert.Greater(t, blocks, 4)
}

// content returns what a block shows. A command runs in the root of the repository, and may fail,
// as one does that has found something.
func content(t *testing.T, kind, what string) string {
	t.Helper()
	if kind != "output" {
		name, first, _ := strings.Cut(what, ": ")
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		if kind == "file" {
			return string(text)
		}
		_, after, found := strings.Cut(string(text), "\n"+first+"\n")
		require.True(t, found, what)
		part, _, _ := strings.Cut(after, "\n\n")
		return first + "\n" + part + "\n"
	}
	words := strings.Fields(what)
	command := exec.Command(words[0], words[1:]...)
	command.Dir = root
	out, err := command.Output()
	require.NotEmpty(t, out, "%s: %v", what, err)
	return string(out)
}

// TestBuild checks that all pages are there, that their links lead somewhere, and that nothing is
// loaded from elsewhere.
func TestBuild(t *testing.T) {
	files, err := build(os.DirFS(root))
	require.NoError(t, err)
	assert.Len(t, files, len(pages)+1)
	sources, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	listed := make(map[string]bool)
	for _, p := range pages {
		listed[p.Source] = true
	}
	for _, name := range sources {
		assert.True(t, listed[path.Join("docs", filepath.Base(name))], "%s is not in pages", name)
	}
	loaded, links := regexp.MustCompile(`(src|srcset|@import|url\()|<script`), regexp.MustCompile(`href="([^"]*)"`)
	for name, file := range files {
		assert.Empty(t, loaded.Find(file), name)
		assert.False(t, bytes.Contains(file, []byte("<!-- ")), name)
		for _, match := range links.FindAllSubmatch(file, -1) {
			to := string(match[1])
			if strings.HasPrefix(to, "https://") {
				continue
			}
			page, fragment, _ := strings.Cut(to, "#")
			require.True(t, files[page] != nil, "%s links to %s", name, page)
			if fragment != "" {
				assert.True(t, bytes.Contains(files[page], []byte(`id="`+fragment+`"`)), "%s links to %s", name, to)
			}
		}
	}
	for name, link := range map[string]string{
		"index.html":    "commands.html",
		"embed.html":    "https://github.com/vinoir/vinoir/blob/main/examples/embedded/main.go",
		"validate.html": "https://github.com/vinoir/vinoir/tree/main/examples/checkmodels/models",
	} {
		assert.True(t, bytes.Contains(files[name], []byte(`<a href="`+link+`">`)), "%s: %s", name, link)
	}
}

// TestBuild_reproducible builds the site twice.
func TestBuild_reproducible(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	require.NoError(t, run(root, []string{first}))
	require.NoError(t, run(root, []string{second}))
	for _, dir := range []string{first, second} {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, len(pages)+1)
		for _, entry := range entries {
			a, err := os.ReadFile(filepath.Join(first, entry.Name()))
			require.NoError(t, err)
			b, err := os.ReadFile(filepath.Join(second, entry.Name()))
			require.NoError(t, err)
			assert.Equal(t, a, b, entry.Name())
		}
	}
}

func TestBuild_links(t *testing.T) {
	for link, want := range map[string]string{
		"none.md":          `docs/README.md: link "none.md": open docs/none.md: file does not exist`,
		"../../up.md":      "open ../up.md: ",
		"a <b> c](x":       `docs/README.md: "<b>" is HTML: put it in backquotes`,
		"/etc/passwd":      "neither https nor a path relative to the file",
		"http://a.example": "neither https nor a path relative to the file",
		"embed.md#none":    `docs/README.md: embed.html has no heading "none"`,
		"#none":            `docs/README.md: index.html has no heading "none"`,
		"embed.md#size":    "",
		"#page-docs":       "",
		"embed.md":         "",
	} {
		files := fstest.MapFS{}
		for _, p := range pages {
			files[p.Source] = &fstest.MapFile{Data: []byte("# page docs\n\n## size\n")}
		}
		files["docs/README.md"].Data = append(files["docs/README.md"].Data, "[text]("+link+")\n"...)
		_, err := build(fs.FS(files))
		if want == "" {
			assert.NoError(t, err, link)
		} else {
			assert.ErrorContains(t, err, want, link)
		}
	}
}

// TestRun_fails has a root without pages, a folder that is a file, and a page that is a folder.
func TestRun_fails(t *testing.T) {
	assert.ErrorIs(t, run(t.TempDir(), []string{t.TempDir()}), os.ErrNotExist)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	assert.Error(t, run(root, []string{file}))
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "index.html"), 0o700))
	assert.Error(t, run(root, []string{dir}))
}
