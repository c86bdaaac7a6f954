// Coverage prints the share of the statements of each package that the tests of all packages execute,
// the smallest first. It exits with 1 if a package is below the least share, which is smaller for packages with
// assembly: a processor runs the code for its own instructions only. Examples, which return errors of embedded
// files that cannot occur, and packages that are only for tests are in the table, but may be below it.
//
//	go run ./internal/test/coverage
//	go test -coverpkg ./... -coverprofile cover.out ./... && go run ./internal/test/coverage cover.out
//
// With the profile of a run, it prints the table of that run. A statement counts if any test of the
// module executes it: most layer types are tested by models, in other packages.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
)

// least is the smallest share of covered statements of a package, in percent, and leastAssembly that of a package with
// assembly.
const least, leastAssembly = 85, 70

// leastOf returns the smallest share of a package.
func leastOf(pkg string) float64 {
	for _, generator := range []string{"_asm", "_neon"} {
		if _, err := os.Stat(path.Join(strings.TrimPrefix(pkg, module), generator)); err == nil {
			return leastAssembly
		}
	}
	return least
}

// module is the start of the paths of packages.
const module = "github.com/vinoir/vinoir/"

// share is a line of the table.
type share struct {
	pkg                 string
	statements, covered int
}

func (s share) percent() float64 { return 100 * float64(s.covered) / float64(s.statements) }

func main() {
	below, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if below > 0 {
		fmt.Printf("%d packages are below %d %%, or %d %% with assembly\n", below, least, leastAssembly)
		os.Exit(1)
	}
}

// run prints the table for the profile in args, or for one that it makes. It returns the number of
// packages below least.
func run(args []string, out io.Writer) (below int, err error) {
	if len(args) == 0 {
		file, err := os.CreateTemp("", "cover")
		if err != nil {
			return 0, err
		}
		defer os.Remove(file.Name())
		if err := file.Close(); err != nil {
			return 0, err
		}
		test := exec.Command("go", "test", "-coverpkg", "./...", "-coverprofile", file.Name(), "./...")
		if text, err := test.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("go test: %w\n%s", err, text)
		}
		args = []string{file.Name()}
	}
	file, err := os.Open(args[0])
	if err != nil {
		return 0, err
	}
	defer file.Close()
	shares, err := read(file)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", args[0], err)
	}
	for _, s := range shares {
		mark := ""
		if s.percent() < leastOf(s.pkg) {
			if exempt(s.pkg) {
				mark = " (exempt)"
			} else {
				mark = " (below)"
				below++
			}
		}
		fmt.Fprintf(out, "%5.1f %%  %5d  %s%s\n", s.percent(), s.statements, s.pkg, mark)
	}
	return below, nil
}

// exempt reports whether a package may be below least.
func exempt(pkg string) bool {
	return strings.Contains(pkg, "/examples/") || strings.Contains(pkg, "/internal/test/")
}

// read reads a profile. A block of statements occurs in it once for each tested package. The result
// starts with the smallest share.
func read(r io.Reader) ([]share, error) {
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
	packages := make(map[string]share)
	for position, b := range blocks {
		file, _, _ := strings.Cut(position, ":")
		s := packages[path.Dir(file)]
		s.pkg = path.Dir(file)
		s.statements += b.statements
		if b.covered {
			s.covered += b.statements
		}
		packages[s.pkg] = s
	}
	var shares []share
	for _, s := range packages {
		if s.statements > 0 {
			shares = append(shares, s)
		}
	}
	slices.SortFunc(shares, func(a, b share) int {
		return cmp.Or(cmp.Compare(a.percent(), b.percent()), cmp.Compare(a.pkg, b.pkg))
	})
	return shares, nil
}
