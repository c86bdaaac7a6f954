package npy

import (
	"encoding/binary"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// magic is the start of every file.
const magic = "\x93NUMPY"

// maxRank is NumPy's own limit on the number of axes.
const maxRank = 64

// maxHeader bounds the length of the dictionary in a header. One of a simple type is far shorter.
const maxHeader = 1 << 16

// split returns the dictionary in the header of a file, and its data.
func split(file []byte) (dict, data []byte, err error) {
	const fixed = len(magic) + 2 // magic, major and minor version
	if len(file) < fixed+4 || string(file[:len(magic)]) != magic {
		return nil, nil, errors.New("not an .npy file")
	}
	major, minor := file[fixed-2], file[fixed-1]
	if major < 1 || major > 3 || minor != 0 {
		return nil, nil, faults.Errorf("version %d.%d of the .npy format is not supported", major, minor)
	}
	start, length := fixed+2, uint64(binary.LittleEndian.Uint16(file[fixed:]))
	if major > 1 {
		start, length = fixed+4, uint64(binary.LittleEndian.Uint32(file[fixed:]))
	}
	if length > uint64(len(file)-start) {
		return nil, nil, faults.Errorf("header of %d bytes in a file of %d", length, len(file))
	}
	if length > maxHeader {
		return nil, nil, faults.Errorf("header of %d bytes is longer than %d", length, maxHeader)
	}
	end := start + int(length)
	return file[start:end], file[end:], nil
}

// The entries of the dictionary, as Python writes them. A length of a shape ends with L if
// Python 2 held it as a long.
const (
	descrEntry = `(?:'descr'|"descr")\s*:\s*('[^'"]*'|"[^'"]*")`
	orderEntry = `(?:'fortran_order'|"fortran_order")\s*:\s*(True|False)`
	shapeEntry = `(?:'shape'|"shape")\s*:\s*\(\s*((?:[0-9]+L?\s*,\s*)*(?:[0-9]+L?\s*)?)\)`
	entry      = `(?:` + descrEntry + `|` + orderEntry + `|` + shapeEntry + `)\s*`
)

var (
	headerRE = regexp.MustCompile(`^\s*\{\s*` + entry + `,\s*` + entry + `,\s*` + entry + `,?\s*\}\s*$`)
	descrRE  = regexp.MustCompile(descrEntry)
	orderRE  = regexp.MustCompile(orderEntry)
	shapeRE  = regexp.MustCompile(shapeEntry)
	// simpleType has the byte order, the kind and the size of a type.
	simpleType = regexp.MustCompile(`^([<>|=]?)([a-zA-Z])([0-9]{1,9})$`)
)

// header is the dictionary in the header of a file.
type header struct {
	descr   string // order, kind and size together
	order   string // "<", ">", "|", "=" or ""
	kind    byte
	size    int  // in bytes, for the kind U in code points
	fortran bool // the data is in column-major order
	shape   ir.Shape
}

// parseHeader parses a dictionary such as
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//
// Its keys may be in any order.
func parseHeader(dict []byte) (*header, error) {
	// As there are three entries, none occurs twice unless another is missing.
	descr, order, shape := descrRE.FindSubmatch(dict), orderRE.FindSubmatch(dict), shapeRE.FindSubmatch(dict)
	var simple []string
	if headerRE.Match(dict) && descr != nil && order != nil && shape != nil {
		simple = simpleType.FindStringSubmatch(strings.Trim(string(descr[1]), `'"`))
	}
	if simple == nil {
		return nil, faults.Errorf("header %.100q is not that of an array of one simple type", dict)
	}
	h := &header{descr: simple[0], order: simple[1], kind: simple[2][0], fortran: string(order[1]) == "True"}
	var err error
	if h.size, err = strconv.Atoi(simple[3]); err != nil {
		return nil, err
	}
	notDigit := func(c rune) bool { return c < '0' || c > '9' }
	for _, text := range strings.FieldsFunc(string(shape[1]), notDigit) {
		length, err := strconv.Atoi(text)
		if err != nil {
			return nil, faults.Errorf("length %.30s in the shape: %w", text, errors.Unwrap(err))
		}
		h.shape = append(h.shape, length)
	}
	if len(h.shape) > maxRank {
		return nil, faults.Errorf("%d axes are more than NumPy's %d", len(h.shape), maxRank)
	}
	return h, nil
}
