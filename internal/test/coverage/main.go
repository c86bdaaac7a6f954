// Coverage prints the share of the statements of each package that the tests of all packages
// execute, the smallest first. It exits with 1 if a share is too small: see least. Examples, which
// return errors of embedded files that cannot occur, and packages that are only for tests are in
// the table, but may be below it.
//
//	go run ./internal/test/coverage                 # tests all packages first
//	go run ./internal/test/coverage DIR             # of the counters of tests that have run
//	go run ./internal/test/coverage cover.out       # of a profile
//
// DIR has what this wrote:
//
//	go test -cover -coverpkg ./... ./... -args -test.gocoverdir=DIR
//
// A statement counts if any test of the module executes it: most layer types are tested by models,
// in other packages.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// kind is a part of the files of a package.
type kind int

const (
	// portable is all files of a package without files of an architecture.
	portable kind = iota
	// beside is the portable files of a package that has others: a processor for which there is
	// assembly executes a part of them.
	beside
	// architecture is the files of an architecture: a processor has some of the instruction sets.
	architecture
)

// least returns the smallest share of covered statements, in percent.
func (k kind) least() float64 { return [...]float64{85, 75, 40}[k] }

func (k kind) String() string {
	return [...]string{"", " portable", " architecture"}[k]
}

// module is the start of the paths of packages.
const module = "github.com/vinoir/vinoir/"

// named matches the names of files of an architecture, and constrained the start of others.
var (
	named       = regexp.MustCompile(`_(amd64|arm64|asm|noasm)\.go$`)
	constrained = regexp.MustCompile(`(?m)^//go:build .*\b(amd64|arm64|noasm)\b`)
)

// part is a line of the table.
type part struct {
	pkg                 string
	kind                kind
	statements, covered int
}

func (p part) percent() float64 { return 100 * float64(p.covered) / float64(p.statements) }

func main() {
	below, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if below > 0 {
		fmt.Printf("%d lines are below %g %%, %g %% for portable files beside those of an architecture, and %g %% for the latter\n",
			below, portable.least(), beside.least(), architecture.least())
		os.Exit(1)
	}
}

// run prints the table for the profile or the folder of counters in args, or for counters that it
// makes. It returns the number of lines that are below the least share.
func run(args []string, out io.Writer) (below int, err error) {
	work, err := os.MkdirTemp("", "cover")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	profile := work
	if len(args) > 0 {
		profile = args[0]
	} else if err := command("test", "-cover", "-coverpkg", "./...", "./...", "-args", "-test.gocoverdir="+work); err != nil {
		return 0, err
	}
	if info, err := os.Stat(profile); err != nil {
		return 0, err
	} else if info.IsDir() {
		text := filepath.Join(work, "cover.out")
		if err := command("tool", "covdata", "textfmt", "-i", profile, "-o", text); err != nil {
			return 0, err
		}
		profile = text
	}
	file, err := os.Open(profile)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	parts, err := read(file)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", profile, err)
	}
	if len(parts) == 0 {
		return 0, fmt.Errorf("%s: no statements", profile)
	}
	for _, p := range parts {
		mark := ""
		if p.percent() < p.kind.least() {
			if exempt(p.pkg) {
				mark = " (exempt)"
			} else {
				mark = " (below)"
				below++
			}
		}
		fmt.Fprintf(out, "%5.1f %%  %5d  %s%v%s\n", p.percent(), p.statements, p.pkg, p.kind, mark)
	}
	return below, nil
}

// command runs the go command.
func command(args ...string) error {
	if text, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", args[0], err, text)
	}
	return nil
}

// exempt reports whether a package may be below the least share.
func exempt(pkg string) bool {
	return strings.Contains(pkg, "/examples/") || strings.Contains(pkg, "/internal/test/")
}

// read reads a profile. A block of statements occurs in it once for each tested package. The result
// starts with the smallest share.
func read(r io.Reader) ([]part, error) {
	type block struct {
		statements int
		covered    bool
	}
	blocks := make(map[string]block)
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "mode: ") {
			continue
		}
		fields := strings.Fields(lines.Text()) // file.go:1.2,3.4 statements count
		if len(fields) != 3 {
			return nil, fmt.Errorf("line %d: %d fields, not 3", n, len(fields))
		}
		statements, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		blocks[fields[0]] = block{statements, blocks[fields[0]].covered || fields[2] != "0"}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	type key struct {
		pkg          string
		architecture bool
	}
	counts := make(map[key]part)
	for position, b := range blocks {
		file, _, _ := strings.Cut(position, ":")
		k := key{path.Dir(file), ofArchitecture(file)}
		p := counts[k]
		p.statements += b.statements
		if b.covered {
			p.covered += b.statements
		}
		counts[k] = p
	}
	var parts []part
	for k, p := range counts {
		p.pkg = k.pkg
		switch {
		case k.architecture:
			p.kind = architecture
		case hasArchitecture(k.pkg):
			p.kind = beside
		}
		if p.statements > 0 {
			parts = append(parts, p)
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.percent(), b.percent()), cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.kind, b.kind))
	})
	return parts, nil
}

// ofArchitecture reports whether a file, by its path in a profile, is one of an architecture.
func ofArchitecture(file string) bool {
	if named.MatchString(file) {
		return true
	}
	source, err := os.ReadFile(strings.TrimPrefix(file, module))
	return err == nil && constrained.Match(source)
}

// hasArchitecture reports whether a package has files of an architecture, whether or not they are
// built on this one.
func hasArchitecture(pkg string) bool {
	files, err := filepath.Glob(path.Join(strings.TrimPrefix(pkg, module), "*.go"))
	return err == nil && slices.ContainsFunc(files, func(file string) bool {
		return !strings.HasSuffix(file, "_test.go") && ofArchitecture(filepath.ToSlash(file))
	})
}
