// Package repository finds what the tests of this module need of the module around it.
package repository

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Path returns the absolute path of a file or folder of the repository. It is for tests of the
// packages beside this one, which run in their folders.
func Path(name string) string {
	path, err := filepath.Abs(filepath.Join("..", "..", "..", filepath.FromSlash(name)))
	if err != nil {
		panic(err)
	}
	return path
}

// Go runs the go command in the root of the repository, with the variables env besides those of
// this process.
func Go(env []string, args ...string) error {
	command := exec.Command("go", args...)
	command.Dir, command.Env = Path(""), append(os.Environ(), env...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %v: %w\n%s", args, err, out)
	}
	return nil
}

// Corpus returns the path of the corpus, which VINOIR_CORPUS has. It skips the test if there is
// none.
func Corpus(t *testing.T) string {
	t.Helper()
	corpus := os.Getenv("VINOIR_CORPUS")
	if corpus == "" {
		t.Skip("needs the corpus")
	}
	return corpus
}
