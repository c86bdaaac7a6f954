package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// natural lists the element types that NumPy also has.
var natural = []struct {
	kind byte
	size int
	t    ir.ElementType
}{
	{'b', 1, ir.Boolean},
	{'i', 1, ir.I8}, {'i', 2, ir.I16}, {'i', 4, ir.I32}, {'i', 8, ir.I64},
	{'u', 1, ir.U8}, {'u', 2, ir.U16}, {'u', 4, ir.U32}, {'u', 8, ir.U64},
	{'f', 2, ir.F16}, {'f', 4, ir.F32}, {'f', 8, ir.F64},
	{'c', 8, ir.Complex64}, {'c', 16, ir.Complex128},
}

// typeOf returns the element type for a kind and size of NumPy; Dynamic if there is none.
func typeOf(kind byte, size int) ir.ElementType {
	for _, n := range natural {
		if n.kind == kind && n.size == size {
			return n.t
		}
	}
	return ir.Dynamic
}

// ElementType returns the element type for NumPy's type in the file. For uint16 it is U16, even
// if the elements are meant as BF16.
func (a *Array) ElementType() ir.ElementType { return a.elementType }

// carries reports whether a file of NumPy's equivalent of own can have elements of type t.
func carries(own, t ir.ElementType) bool {
	switch {
	case own == t:
		return true
	case t == ir.BF16:
		return own == ir.U16
	case t == ir.F8E4M3, t == ir.F8E5M2, t == ir.F8E8M0:
		return own == ir.U8
	case t.Bits() > 0 && t.Bits() < 8:
		return own == ir.U8 || own == ir.I8
	}
	return false
}

// Tensor returns a as a tensor of element type t and the given shape. Dynamic means
// a.ElementType(), and nil means a.Shape. t may be a type that NumPy does not have: see the
// package comment. For a sub-byte type that is stored as packed bytes, shape is the shape of
// the elements. The tensor may share the memory of a.
func (a *Array) Tensor(t ir.ElementType, shape ir.Shape) (*ir.Tensor, error) {
	if t == ir.Dynamic {
		t = a.elementType
	}
	if !carries(a.elementType, t) {
		return nil, faults.Errorf("an array of %s does not hold %v", a.Descr, t)
	}
	if shape == nil {
		shape = a.Shape
	}
	if t == ir.String {
		return ir.StringTensor(shape, a.Strings)
	}
	size, err := ir.ByteSize(t, shape)
	if err != nil {
		return nil, err
	}
	if size != len(a.Data) {
		return nil, faults.Errorf("%v%v needs %d bytes, the array %s%v has %d", t, shape, size, a.Descr, a.Shape, len(a.Data))
	}
	return ir.TensorOfBytes(t, shape, a.Data)
}

// describe returns the type and the shape with which NumPy writes t.
func describe(t *ir.Tensor) (string, ir.Shape, error) {
	order := byte('<')
	if bigEndian() {
		order = '>'
	}
	et := t.ElementType()
	switch {
	case et == ir.String:
		n, err := longest(t.Strings())
		return fmt.Sprintf("%cU%d", order, n), t.Shape(), err
	case et == ir.BF16:
		et = ir.U16
	case et.Size() == 0:
		return "|u1", ir.Shape{len(t.Bytes())}, nil
	case et.Size() == 1 && et.IsFloat():
		et = ir.U8
	}
	for _, n := range natural {
		if n.t != et {
			continue
		}
		if n.size == 1 {
			order = '|'
		}
		return fmt.Sprintf("%c%c%d", order, n.kind, n.size), t.Shape(), nil
	}
	return "", nil, faults.Errorf("element type %v has no NumPy type", et)
}

// longest returns the number of code points of the longest string, which is the length of every
// element in the file. It returns an error if the file would be too large: one long string in a
// large tensor could fill a disk.
func longest(all []string) (int, error) {
	const maxBytes = 1 << 31
	n := 1
	for i, s := range all {
		if !utf8.ValidString(s) {
			return 0, faults.Errorf("element %d, %.40q, is not UTF-8", i, s)
		}
		n = max(n, utf8.RuneCountInString(s))
	}
	if len(all) > 0 && int64(n) > maxBytes/4/int64(len(all)) {
		return 0, faults.Errorf("%d strings, the longest of %d characters, need more than %d bytes", len(all), n, int64(maxBytes))
	}
	return n, nil
}

// writeStrings writes strings as 4-byte code points, padded with zeros to the same length.
func writeStrings(w io.Writer, all []string) error {
	n, err := longest(all)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	var code [4]byte
	for _, s := range all {
		left := n
		for _, c := range s {
			binary.NativeEndian.PutUint32(code[:], uint32(c))
			left--
			if _, err := out.Write(code[:]); err != nil {
				return err
			}
		}
		code = [4]byte{}
		for range left {
			if _, err := out.Write(code[:]); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}
