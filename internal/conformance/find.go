package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
)

// reshapeSuffix is the end of the name of a file of reshapeLines. The rest of the name is that
// of the folder with the cases.
const reshapeSuffix = ".reshape.jsonl"

// Finder returns the cases of a folder or file, if they are of a kind that it knows. Kinds that
// need more than package plugin have one, so that programs without them need not link it.
type Finder func(path string) ([]Case, error)

// Find returns the cases below dir, sorted by path: case folders, folders with tokenizers, the
// lines of files of reshaped models below dir and of the one for dir itself, and what finders find.
// If filter is not nil, only cases with matching names are returned.
func Find(dir string, filter *regexp.Regexp, finders ...Finder) ([]Case, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var cases []Case
	add := func(c Case) {
		if filter == nil || filter.MatchString(c.Name) {
			cases = append(cases, c)
		}
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		for _, find := range finders {
			found, err := find(path)
			if err != nil {
				return err
			}
			for _, c := range found {
				add(c)
			}
		}
		if strings.HasSuffix(path, reshapeSuffix) {
			return readLines(path, add)
		}
		if entry.IsDir() && (exists(path, tokenizerXML) || exists(path, detokenizerXML)) {
			for _, file := range []string{decodeFile, encodeFile} {
				if exists(path, file) {
					add(NewCase(CaseName(path)+"/"+strings.TrimSuffix(file, ".json"), path, tokenizerTexts{path, file}.run))
				}
			}
			return nil
		}
		if !entry.IsDir() || !exists(path, "case.json") || !exists(path, "model.xml") {
			return nil
		}
		add(NewCase(CaseName(path), path, caseFolder(path).run))
		return filepath.SkipDir
	})
	if err != nil {
		return nil, err
	}
	if beside := dir + reshapeSuffix; exists(beside) {
		if err := readLines(beside, add); err != nil {
			return nil, err
		}
	}
	return cases, nil
}

// CaseName returns the name of the case in a folder.
func CaseName(folder string) string {
	name := filepath.Base(filepath.Dir(folder)) + "/" + filepath.Base(folder)
	if filepath.Base(filepath.Dir(filepath.Dir(folder))) == "text" {
		return "text." + name
	}
	return name
}

// exists reports whether the path of the given elements exists.
func exists(elements ...string) bool {
	_, err := os.Stat(filepath.Join(elements...))
	return err == nil
}

// readLines calls add for each line of a file of reshaped models.
func readLines(path string, add func(Case)) error {
	f, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	folder := strings.TrimSuffix(path, reshapeSuffix)
	decoder := json.NewDecoder(f)
	for {
		var line reshapeLine
		if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return faults.Errorf("%s: %w", path, err)
		}
		if !filepath.IsLocal(line.Case) {
			return faults.Errorf("%s: case %q is not a folder beside it", path, line.Case)
		}
		of := filepath.Join(folder, line.Case)
		add(NewCase(filepath.Base(folder)+".reshape/"+line.Case+"/"+line.Kind, of, func(ctx context.Context, r *Runner) error {
			return line.run(ctx, r, of)
		}))
	}
}
