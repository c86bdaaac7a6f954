// Package regular reads regular files only. Opening a named pipe would wait for its other end, and
// a device can be endless: somebody else may have chosen what is at a path.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/vinoir/vinoir/internal/faults"
)

// Open opens the regular file at path for reading.
func Open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|NonBlock, 0)
	if err != nil {
		return nil, err
	}
	if err := Check(file); err != nil {
		file.Close()
		return nil, faults.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// Check returns an error if file is not a regular file. It looks at the open file, which nobody can
// replace.
func Check(file fs.File) error {
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = faults.Errorf("not a regular file (%v)", info.Mode())
	}
	return err
}

// ReadFile reads the regular file at path. If it has more than limit bytes, it returns a
// *TooLongError before it allocates memory for them.
func ReadFile(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|NonBlock, 0)
	if err != nil {
		return nil, err
	}
	data, err := Read(file, limit)
	if err != nil {
		return nil, faults.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// Read reads the whole of file, which must be a regular file of at most limit bytes, and closes it.
func Read(file fs.File, limit int64) ([]byte, error) {
	defer file.Close()
	size, err := Size(file, limit)
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(file, data); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
			return nil, faults.Errorf("the file became shorter than %d bytes while it was read", len(data))
		}
		return nil, err
	}
	return data, nil
}

// Size returns the size of file, which must be a regular file of at most limit bytes.
func Size(file fs.File, limit int64) (int64, error) {
	if err := Check(file); err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() > limit {
		return 0, &TooLongError{What: "the file", Size: info.Size(), Limit: limit}
	}
	return info.Size(), nil
}

// TooLongError reports a file that has more than Limit bytes.
type TooLongError struct {
	What        string
	Size, Limit int64
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("%s has %d bytes: it is longer than the limit of %d bytes", e.What, e.Size, e.Limit)
}
