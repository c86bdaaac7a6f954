package ir

import (
	"fmt"
	"math"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
)

// ElementType is the type of a tensor's elements. The names are those of OpenVINO's
// element::Type. The zero value is Dynamic.
type ElementType uint8

// The element types of IR v10 and v11, and two complex types. The complex types are not in any
// IR; the Go APIs of the scatter and gather families accept them.
const (
	Dynamic ElementType = iota
	Boolean
	U1
	U2
	U3
	U4
	U6
	U8
	U16
	U32
	U64
	I4
	I8
	I16
	I32
	I64
	F16
	BF16
	F32
	F64
	NF4
	F4E2M1
	F8E4M3
	F8E5M2
	F8E8M0
	String
	Complex64
	Complex128
	numElementTypes
)

// Kind groups the element types by the arithmetic that is defined for them.
type Kind uint8

// The kinds of element types.
const (
	KindOther    Kind = iota // Dynamic, String
	KindBoolean              // Boolean
	KindSigned               // I4 ... I64
	KindUnsigned             // U1 ... U64
	KindFloat                // F16 ... F64, NF4, the 4- and 8-bit floats
	KindComplex
)

type elementTypeInfo struct {
	name   string // as in the attribute element_type
	legacy string // as in the port attribute precision
	bits   int    // 0 if elements have no fixed size
	kind   Kind
}

var elementTypes = [numElementTypes]elementTypeInfo{
	Dynamic:    {"dynamic", "UNSPECIFIED", 0, KindOther},
	Boolean:    {"boolean", "BOOL", 8, KindBoolean},
	U1:         {"u1", "BIN", 1, KindUnsigned},
	U2:         {"u2", "U2", 2, KindUnsigned},
	U3:         {"u3", "U3", 3, KindUnsigned},
	U4:         {"u4", "U4", 4, KindUnsigned},
	U6:         {"u6", "U6", 6, KindUnsigned},
	U8:         {"u8", "U8", 8, KindUnsigned},
	U16:        {"u16", "U16", 16, KindUnsigned},
	U32:        {"u32", "U32", 32, KindUnsigned},
	U64:        {"u64", "U64", 64, KindUnsigned},
	I4:         {"i4", "I4", 4, KindSigned},
	I8:         {"i8", "I8", 8, KindSigned},
	I16:        {"i16", "I16", 16, KindSigned},
	I32:        {"i32", "I32", 32, KindSigned},
	I64:        {"i64", "I64", 64, KindSigned},
	F16:        {"f16", "FP16", 16, KindFloat},
	BF16:       {"bf16", "BF16", 16, KindFloat},
	F32:        {"f32", "FP32", 32, KindFloat},
	F64:        {"f64", "FP64", 64, KindFloat},
	NF4:        {"nf4", "NF4", 4, KindFloat},
	F4E2M1:     {"f4e2m1", "F4E2M1", 4, KindFloat},
	F8E4M3:     {"f8e4m3", "F8E4M3", 8, KindFloat},
	F8E5M2:     {"f8e5m2", "F8E5M2", 8, KindFloat},
	F8E8M0:     {"f8e8m0", "F8E8M0", 8, KindFloat},
	String:     {"string", "STRING", 0, KindOther},
	Complex64:  {"complex64", "", 64, KindComplex},
	Complex128: {"complex128", "", 128, KindComplex},
}

// String returns OpenVINO's name of t, such as "f32" or "boolean".
//
//go:noinline
func (t ElementType) String() string {
	if t >= numElementTypes {
		return fmt.Sprintf("ElementType(%d)", uint8(t))
	}
	return elementTypes[t].name
}

// Precision returns the name of t in a port's precision attribute, such as "FP32" or "BOOL"; ""
// for the complex types.
func (t ElementType) Precision() string { return elementTypes[t].legacy }

// Bits returns the size of an element in bits; 0 for Dynamic and String.
func (t ElementType) Bits() int { return elementTypes[t].bits }

// Size returns the size of an element in bytes; 0 for sub-byte types, Dynamic and String. It is not
// inlined, like String: each has hundreds of callers outside of loops.
//
//go:noinline
func (t ElementType) Size() int {
	if b := t.Bits(); b%8 == 0 {
		return b / 8
	}
	return 0
}

// Kind returns the kind of t. It is not inlined, as it has many callers.
//
//go:noinline
func (t ElementType) Kind() Kind { return elementTypes[t].kind }

// IsIntegral reports whether t is an integer type or, as in OpenVINO, boolean.
func (t ElementType) IsIntegral() bool { return t.IsInteger() || t == Boolean }

// IsInteger reports whether t is a signed or unsigned integer type. It is not inlined, as it has
// many callers.
//
//go:noinline
func (t ElementType) IsInteger() bool { return t.Kind() == KindSigned || t.Kind() == KindUnsigned }

// IsFloat reports whether t is a floating-point type.
func (t ElementType) IsFloat() bool { return t.Kind() == KindFloat }

// IsReal reports whether OpenVINO counts t as a real number type: the float types except NF4,
// whose elements are indices into a table.
func (t ElementType) IsReal() bool { return t.IsFloat() && t != NF4 }

// Limits returns the smallest and the largest value of boolean or of an integer type of whole
// bytes. For u64, the largest is math.MaxInt64. Limits returns false for other types.
func (t ElementType) Limits() (lo, hi int64, ok bool) {
	switch bits := t.Size() * 8; {
	case bits == 0 || !t.IsIntegral():
		return 0, 0, false
	case t == Boolean:
		return 0, 1, true
	case t == U64:
		return 0, math.MaxInt64, true
	case t.Kind() == KindUnsigned:
		return 0, 1<<bits - 1, true
	default:
		return -1 << (bits - 1), 1<<(bits-1) - 1, true
	}
}

// ParseElementType parses an attribute such as element_type: OpenVINO's name of a type, in any
// letter case. "undefined" is Dynamic.
func ParseElementType(s string) (ElementType, error) {
	lower := strings.ToLower(s)
	for t := range Complex64 {
		if elementTypes[t].name == lower {
			return t, nil
		}
	}
	if lower == "undefined" {
		return Dynamic, nil
	}
	return Dynamic, faults.Errorf("%q is not an element type", s)
}

// ParsePrecision parses the precision attribute of a port: the upper-case name ("FP32", "BOOL",
// "BIN") or the name of the element type ("f32").
func ParsePrecision(s string) (ElementType, error) {
	for t := range Complex64 {
		if elementTypes[t].legacy == s || elementTypes[t].name == s {
			return t, nil
		}
	}
	switch s {
	case "U1":
		return U1, nil
	case "UNDEFINED", "undefined":
		return Dynamic, nil
	}
	return Dynamic, faults.Errorf("%q is not a port precision", s)
}

// MergeElementTypes returns the type that both a and b can be. Dynamic can be every type. It
// returns false if a and b differ and neither is Dynamic.
func MergeElementTypes(a, b ElementType) (ElementType, bool) {
	switch {
	case a == Dynamic:
		return b, true
	case b == Dynamic, a == b:
		return a, true
	}
	return Dynamic, false
}
