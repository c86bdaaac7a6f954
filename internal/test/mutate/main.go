// Mutate changes the source of packages in one place at a time, runs their tests, and prints the
// changes that no test notices:
//
//	go run ./internal/test/mutate [flags] PACKAGE...
//
// A mutant is one package with one change: a comparison with another boundary, a constant plus 1, a
// statement that does not run (mutants.go lists them all). It is built with an overlay, so the
// source tree does not change. A mutant is killed if a test of its package fails, or a test of one
// of the packages in -tests. It is also killed if a test takes too long or too much memory, since a
// test that never ends is noticed too. A mutant that does not compile does not count. A change in a
// line that no test runs survives without a run.
//
// A mutant that survives shows a missing test, or it is equivalent: it computes the same, perhaps
// slower. equivalent.txt lists the mutants that are known to be equivalent, with the reasons.
//
// There are too many mutants for one evening. -sample takes some of them, chosen by -seed, and with
// -log, an interrupted run continues: it runs only the mutants that are not in the file, those of
// files that have changed since, and the survivors again.
//
// It needs a POSIX shell, which limits memory and time.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "mutate:", err)
		}
		os.Exit(1)
	}
}

// options are the command-line options.
type options struct {
	sample     int
	seed       uint64
	processes  int
	megabytes  int
	short      bool
	tags       string
	tests      string
	log        string
	equivalent string
	only       *regexp.Regexp // nil if all mutants are taken
	packages   []string
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: mutate [flags] PACKAGE...")
		flags.PrintDefaults()
	}
	flags.IntVar(&o.sample, "sample", 0, "run only so `many` mutants of each package; 0 means all")
	flags.Uint64Var(&o.seed, "seed", 1, "the `seed` of the choice for -sample")
	flags.IntVar(&o.processes, "processes", 1, "the `number` of mutants that are tested at once")
	flags.IntVar(&o.megabytes, "memory", 8<<10, "the address space of a test, in `MiB`")
	flags.BoolVar(&o.short, "short", false, "run the tests with -short")
	flags.StringVar(&o.tags, "tags", "", "a comma-separated `list` of build tags")
	flags.StringVar(&o.tests, "tests", "", "a space-separated `list` of other packages, whose tests a mutant must also pass")
	flags.StringVar(&o.log, "log", "", "a `file` for the results, to continue a run")
	flags.Func("only", "take only mutants that a regular `expression` matches, as they are printed, such as kernel.go:51", func(value string) (err error) {
		o.only, err = regexp.Compile(value)
		return err
	})
	flags.StringVar(&o.equivalent, "equivalent", "internal/test/mutate/equivalent.txt", "the `file` of known equivalent mutants")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	o.packages = flags.Args()
	switch {
	case len(o.packages) == 0:
		return nil, errors.New("a PACKAGE is needed")
	case o.processes < 1:
		return nil, fmt.Errorf("-processes %d is not 1 or more", o.processes)
	case o.megabytes < 1:
		return nil, fmt.Errorf("-memory %d is not 1 or more", o.megabytes)
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	equivalents, err := readEquivalents(o.equivalent)
	if err != nil {
		return err
	}
	log, err := openLog(o.log)
	if err != nil {
		return err
	}
	defer log.file.Close()
	packages, err := list(ctx, o)
	if err != nil {
		return err
	}
	total := counts{}
	for _, p := range packages {
		t, err := newTester(ctx, o, p)
		if err != nil {
			return err
		}
		found, err := runPackage(ctx, o, t, equivalents, log, stdout)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %v\n", p.ImportPath, found)
		for r, n := range found {
			total[r] += n
		}
	}
	if len(packages) > 1 {
		fmt.Fprintf(stdout, "all: %v\n", total)
	}
	return nil
}

// goPackage is what go list says about a package.
type goPackage struct {
	ImportPath string
	Dir        string
	Files      []string
}

// list returns the packages of o.
func list(ctx context.Context, o *options) (packages []goPackage, err error) {
	args := []string{"list", "-tags", o.tags, "-f", "{{.ImportPath}}\t{{.Dir}}{{range .GoFiles}}\t{{.}}{{end}}"}
	cmd := exec.CommandContext(ctx, "go", append(args, o.packages...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		packages = append(packages, goPackage{ImportPath: fields[0], Dir: fields[1], Files: fields[2:]})
	}
	return packages, nil
}

// result is what became of a mutant.
type result string

const (
	killed      result = "killed"
	timedOut    result = "killed by the time limit"
	notCompiled result = "not compiled"
	survived    result = "survived"
	notCovered  result = "survived, no test runs the line"
	argued      result = "argued to be equivalent"
)

// counts is the number of mutants with each result.
type counts map[result]int

func (c counts) String() string {
	total := 0
	var parts []string
	for _, r := range slices.Sorted(maps.Keys(c)) {
		total += c[r]
		parts = append(parts, fmt.Sprintf("%d %s", c[r], r))
	}
	return strings.Join(append([]string{fmt.Sprintf("%d mutants", total)}, parts...), "; ")
}

// runPackage tests the mutants of one package and prints the survivors.
func runPackage(ctx context.Context, o *options, t *tester, equivalents []equivalent, log *resultLog, stdout io.Writer) (counts, error) {
	mutants, err := mutantsOf(t.pkg)
	if err != nil {
		return nil, err
	}
	if o.only != nil {
		mutants = slices.DeleteFunc(mutants, func(m *mutant) bool { return !o.only.MatchString(m.String()) })
	}
	if o.sample > 0 && o.sample < len(mutants) {
		rng := rand.New(rand.NewPCG(o.seed, 0))
		rng.Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
		mutants = mutants[:o.sample]
		slices.SortFunc(mutants, func(a, b *mutant) int {
			return cmp.Or(cmp.Compare(a.file.path, b.file.path), a.from-b.from, a.to-b.to)
		})
	}
	var (
		found  = counts{}
		failed error
		lock   sync.Mutex
		wg     sync.WaitGroup
		queue  = make(chan *mutant)
	)
	for range o.processes {
		wg.Go(func() {
			for m := range queue {
				r, err := resultOf(ctx, t, m, equivalents, log)
				lock.Lock()
				if err != nil {
					failed = cmp.Or(failed, err)
				} else {
					found[r]++
					if r == survived || r == notCovered {
						fmt.Fprintf(stdout, "%v: %s\n", m, r)
					}
				}
				lock.Unlock()
			}
		})
	}
	for _, m := range mutants {
		if ctx.Err() != nil {
			break
		}
		queue <- m
	}
	close(queue)
	wg.Wait()
	return found, cmp.Or(failed, ctx.Err())
}

// resultOf returns the result of a mutant, from the log or from a run.
func resultOf(ctx context.Context, t *tester, m *mutant, equivalents []equivalent, log *resultLog) (result, error) {
	if slices.ContainsFunc(equivalents, func(e equivalent) bool { return e.matches(m) }) {
		return argued, nil
	}
	if r, ok := log.known[m.key()]; ok {
		return r, nil
	}
	r, err := t.test(ctx, m)
	if err != nil || r == survived || r == notCovered {
		return r, err
	}
	return r, log.add(m, r)
}
