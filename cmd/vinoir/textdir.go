package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/text"
)

// maxPromptBytes bounds a text that is read from a file or from standard input.
const maxPromptBytes = 64 << 20

// directoryError returns the error of opening the files in dir, with what a directory must have if
// that is what is wrong.
func directoryError(dir string, err error) error {
	info, statErr := os.Stat(dir)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return faults.Errorf("%s: no such directory", dir)
	case statErr != nil:
		return statErr
	case !info.IsDir():
		return faults.Errorf("%s is a file, not a directory with a model and its tokenizer", dir)
	case errors.Is(err, fs.ErrNotExist):
		// Where a file is missing, the directory is said here.
		if path := (*fs.PathError)(nil); errors.As(err, &path) {
			err = &fs.PathError{Op: path.Op, Path: filepath.Base(path.Path), Err: path.Err}
		}
	case strings.HasPrefix(err.Error(), filepath.Clean(dir)): // of a file whose path it has
		return err
	default:
		return faults.Errorf("%s: %w", dir, err)
	}
	for _, pattern := range []string{"*.safetensors", "pytorch_model*.bin", "*.gguf"} {
		if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) > 0 {
			return faults.Errorf("%s has a model of another form, %s: export it: optimum-cli export openvino --model %[1]s OUT", dir, filepath.Base(found[0]))
		}
	}
	return faults.Errorf("%s: %w: optimum-cli export openvino writes the model and its tokenizer", dir, err)
}

// openTokenizer opens the tokenizer in dir, or a SentencePiece model.
func openTokenizer(dir string) (*text.Tokenizer, error) {
	tokenizer, err := text.Open(dir)
	if err == nil {
		return tokenizer, nil
	}
	if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
		return nil, faults.Errorf("%s is neither a directory with a tokenizer nor a SentencePiece model: %w", dir, err)
	}
	return nil, directoryError(dir, err)
}

// readPrompt returns the text of a file, or of standard input if path is -, without the end of its
// last line.
func (a *app) readPrompt(path string) (string, error) {
	data, err := a.readText(path, maxPromptBytes)
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), err
}
