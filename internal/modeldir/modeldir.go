// Package modeldir reads the files of a model directory, each of which may be missing.
package modeldir

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/vinoir/vinoir/internal/faults"
)

// maxJSONBytes bounds the size of a file with settings.
const maxJSONBytes = 16 << 20

// Read returns the contents of the file name, which must not be larger than limit bytes; nil if it
// does not exist. Errors name the file.
func Read(fsys fs.FS, name string, limit int64) ([]byte, error) {
	file, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = faults.Errorf("it is larger than the limit of %d bytes", limit)
	}
	if err != nil {
		return nil, faults.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// ReadJSON decodes the file name, which has settings, into what to points to. A file that does not
// exist changes nothing. Errors name the file.
func ReadJSON(fsys fs.FS, name string, to any) error {
	data, err := Read(fsys, name, maxJSONBytes)
	if err != nil || data == nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return faults.Errorf("%s: %w", name, err)
	}
	return nil
}
