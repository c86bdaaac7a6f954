// Package textcases has the conformance cases that need more than a model: chat templates, the
// tokenizers of package text, the answers of package generate, and the vectors and scores of
// package embedding. It stands beside package conformance, so that programs and tests that run
// models only do not link those packages.
package textcases

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/faults"
)

// The files that make a folder or file one with cases.
const (
	genAIFile   = "genai.json"
	streamFile  = "stream.json"
	answersFile = "generate.json"
	logitsFile  = "logits.json"
	embedFile   = "embed.json"
	vectorsFile = "vectors.npy" // beside case.json
	templateEnd = ".jinja"
)

// Find is a conformance.Finder. It knows folders with genai.json and stream.json, which have a
// tokenizer, those with generate.json and logits.json, which have a language model, those with
// embed.json and vectors.npy, for models of embeddings, and files of chats beside a template,
// name.json and name.jinja.
func Find(path string) ([]conformance.Case, error) {
	name := filepath.Base(path)
	switch name {
	case genAIFile:
		return []conformance.Case{newCase(path, folderCase{filepath.Dir(path), genAI})}, nil
	case streamFile:
		return []conformance.Case{newCase(path, folderCase{filepath.Dir(path), stream})}, nil
	case logitsFile:
		return []conformance.Case{newCase(path, folderCase{filepath.Dir(path), logits})}, nil
	case vectorsFile:
		return []conformance.Case{newCase(path, folderCase{filepath.Dir(path), vectors})}, nil
	case answersFile:
		return findAnswers(path)
	case embedFile:
		return findEmbeddings(path)
	}
	template, isJSON := strings.CutSuffix(path, ".json")
	if !isJSON {
		return nil, nil
	}
	if _, err := os.Stat(template + templateEnd); err != nil {
		return nil, nil
	}
	return findChats(path)
}

// newCase returns the case of a file with one case.
func newCase(path string, c folderCase) conformance.Case {
	name := conformance.CaseName(c.folder) + "/" + strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return conformance.NewCase(name, c.folder, c.run)
}

// differ returns an error if got is not want, and nil if it is.
func differ[T comparable](what string, got, want T) error {
	if got == want {
		return nil
	}
	return faults.Errorf("%s is %#v, want %#v", what, got, want)
}

// differIn is differ for lists.
func differIn[T comparable](what string, got, want []T) error {
	if slices.Equal(got, want) {
		return nil
	}
	return faults.Errorf("%s is %#v, want %#v", what, got, want)
}

// near returns an error that names the first number that differs by more than atol.
func near(what string, got, want []float32, atol float64) error {
	if err := differ("the number of "+what+"s", len(got), len(want)); err != nil {
		return err
	}
	for i := range got {
		if !(math.Abs(float64(got[i])-float64(want[i])) <= atol) {
			return faults.Errorf("%s %d is %v, want %v", what, i, got[i], want[i])
		}
	}
	return nil
}

// failures collects the cases of a file that fail.
type failures struct {
	n, failed int
	first     error
}

// add counts a case that has ended with err.
func (f *failures) add(err error) {
	if err != nil {
		if f.failed++; f.first == nil {
			f.first = faults.Errorf("case %d: %w", f.n, err)
		}
	}
	f.n++
}

// err returns an error with the number of cases that fail and the first of their errors.
func (f *failures) err() error {
	switch {
	case f.n == 0:
		return faults.Errorf("there are no cases")
	case f.failed > 0:
		return faults.Errorf("%d of %d cases fail, the first: %w", f.failed, f.n, f.first)
	}
	return nil
}
