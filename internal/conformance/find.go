package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/vinoir/vinoir/internal/regular"
)

// reshapeSuffix is the end of the name of a file of reshapeLines. The rest of the name is that
// of the folder with the cases.
const reshapeSuffix = ".reshape.jsonl"

// Find returns the cases below dir, sorted by path: case folders, folders with tokenizers, and the
// lines of files of reshaped models below dir and of the one for dir itself. If filter is not nil,
// only cases with matching names are returned.
func Find(dir string, filter *regexp.Regexp) ([]Case, error) {
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
		if strings.HasSuffix(path, reshapeSuffix) {
			return readLines(path, add)
		}
		if entry.IsDir() && exists(path, tokenizerXML) {
			for _, file := range []string{decodeFile, encodeFile} {
				if exists(path, file) {
					add(Case{Name: caseName(path) + "/" + strings.TrimSuffix(file, ".json"), Folder: path, file: file})
				}
			}
			return nil
		}
		if !entry.IsDir() || !exists(path, "case.json") || !exists(path, "model.xml") {
			return nil
		}
		add(Case{Name: caseName(path), Folder: path})
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

// caseName returns the name of the case in a folder.
func caseName(folder string) string {
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
			return fmt.Errorf("%s: %w", path, err)
		}
		if !filepath.IsLocal(line.Case) {
			return fmt.Errorf("%s: case %q is not a folder beside it", path, line.Case)
		}
		add(Case{
			Name:   filepath.Base(folder) + ".reshape/" + line.Case + "/" + line.Kind,
			Folder: filepath.Join(folder, line.Case),
			line:   &line,
		})
	}
}
