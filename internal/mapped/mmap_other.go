//go:build !unix

package mapped

import (
	"errors"
	"os"
)

// mapFile is not supported: the caller reads the file instead.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return nil }

func discard([]byte, int, int) {}
