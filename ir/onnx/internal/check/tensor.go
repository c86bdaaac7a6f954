package check

import (
	"math/bits"
	"path"
	"strings"

	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// tensor checks that a tensor has the elements that its dims and its type demand, if they are in
// the file of the model.
func (c *checker) tensor(t *proto.Tensor) {
	what := "tensor " + quote(t.Name)
	if t.DataType == 0 {
		c.add(KindField, "%s has no element type", what)
		return
	}
	if t.External {
		c.external(t, what)
		return
	}
	elements := uint64(1)
	for _, dim := range t.Dims {
		high, low := bits.Mul64(elements, uint64(dim))
		if dim < 0 || high != 0 {
			c.add(KindField, "%s has dims %v, which no tensor can have", what, t.Dims)
			return
		}
		elements = low
	}
	switch fields := fieldsOf(t); {
	case fields > 1:
		c.add(KindField, "%s has elements in %d fields, one is allowed", what, fields)
	case fields > 0 && elements == 0:
		c.add(KindField, "%s has elements, and dims %v demand none", what, t.Dims)
	case fields == 0 && elements > 0:
		c.add(KindField, "%s has no elements, and dims %v demand %d", what, t.Dims, elements)
	case fields == 1:
		c.elements(t, what, elements)
	}
}

// fieldsOf returns the number of fields that have elements of t.
func fieldsOf(t *proto.Tensor) int {
	fields := 0
	for _, n := range [...]int{len(t.Raw), len(t.Floats), len(t.Doubles), len(t.Int32s), len(t.Int64s), len(t.Uint64s), len(t.Strings)} {
		if n > 0 {
			fields++
		}
	}
	return fields
}

// external checks that a tensor whose elements are in a file names one below the folder of the
// model. Whether the file exists is not checked: the reader opens it if something reads the tensor.
func (c *checker) external(t *proto.Tensor, what string) {
	if fieldsOf(t) > 0 {
		c.add(KindField, "%s has elements, and they are said to be in a file", what)
		return
	}
	found := false
	for _, e := range t.Location {
		if e.Key != "location" {
			continue
		}
		found = true
		switch clean := path.Clean(e.Value); {
		case e.Value == "":
			c.add(KindField, "%s is in a file without a name", what)
		case path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../"):
			c.add(KindField, "%s is in file %s, which is not below the folder of the model", what, quote(e.Value))
		}
	}
	if !found {
		c.add(KindField, "%s is in a file, and no location says in which", what)
	}
}

// elements checks the number of elements of a tensor.
func (c *checker) elements(t *proto.Tensor, what string, elements uint64) {
	if len(t.Raw) == 0 && !inField(t) {
		c.add(KindField, "%s of %v has its elements in the field of another type", what, t.DataType)
		return
	}
	width, has := widthOf(t.DataType), uint64(0)
	switch {
	case len(t.Raw) > 0 && t.DataType == proto.String:
		c.add(KindField, "%s has strings in raw_data, which cannot hold them", what)
		return
	case len(t.Raw) > 0:
		high, low := bits.Mul64(elements, width)
		if want := low/8 + (low%8+7)/8; high != 0 || want > uint64(len(t.Raw)) {
			c.add(KindField, "%s has %d bytes, and dims %v of %v demand more", what, len(t.Raw), t.Dims, t.DataType)
		}
		return
	case t.DataType == proto.Complex64 || t.DataType == proto.Complex128: // pairs
		has = uint64(len(t.Floats)+len(t.Doubles)) / 2
	case len(t.Floats) > 0:
		has = uint64(len(t.Floats))
	case len(t.Doubles) > 0:
		has = uint64(len(t.Doubles))
	case len(t.Int32s) > 0:
		has = uint64(len(t.Int32s))
		if width < 8 { // an entry is a byte of them
			has *= 8 / width
		}
	case len(t.Int64s) > 0:
		has = uint64(len(t.Int64s))
	case len(t.Uint64s) > 0:
		has = uint64(len(t.Uint64s))
	case len(t.Strings) > 0:
		has = uint64(len(t.Strings))
	}
	if has < elements {
		c.add(KindField, "%s has %d elements, and dims %v demand %d", what, has, t.Dims, elements)
	}
}

// widthOf returns the number of bits of an element; 1 for a type that is not known.
func widthOf(t proto.DataType) uint64 {
	switch t {
	case proto.Uint2, proto.Int2:
		return 2
	case proto.Uint4, proto.Int4, proto.Float4E2M1:
		return 4
	case proto.Uint8, proto.Int8, proto.Bool, proto.Float8E4M3FN, proto.Float8E4M3FNUZ, proto.Float8E5M2, proto.Float8E5M2FNUZ, proto.Float8E8M0:
		return 8
	case proto.Uint16, proto.Int16, proto.Float16, proto.BFloat16:
		return 16
	case proto.Float, proto.Int32, proto.Uint32:
		return 32
	case proto.Double, proto.Int64, proto.Uint64, proto.Complex64:
		return 64
	case proto.Complex128:
		return 128
	}
	return 1
}

// inField reports whether the elements of t are in the field for its type.
func inField(t *proto.Tensor) bool {
	switch t.DataType {
	case proto.Float, proto.Complex64:
		return len(t.Floats) > 0
	case proto.Double, proto.Complex128:
		return len(t.Doubles) > 0
	case proto.Int64:
		return len(t.Int64s) > 0
	case proto.Uint32, proto.Uint64:
		return len(t.Uint64s) > 0
	case proto.String:
		return len(t.Strings) > 0
	}
	return len(t.Int32s) > 0
}
