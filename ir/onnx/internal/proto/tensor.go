package proto

import (
	"strconv"

	"github.com/vinoir/vinoir/ir/onnx/internal/wire"
)

// DataType is a number of TensorProto.DataType.
type DataType int32

// The types of elements.
const (
	Float DataType = iota + 1
	Uint8
	Int8
	Uint16
	Int16
	Int32
	Int64
	String
	Bool
	Float16
	Double
	Uint32
	Uint64
	Complex64
	Complex128
	BFloat16
	Float8E4M3FN
	Float8E4M3FNUZ
	Float8E5M2
	Float8E5M2FNUZ
	Uint4
	Int4
	Float4E2M1
	Float8E8M0
	Uint2
	Int2
	Float6E2M3
	Float6E3M2
	numDataTypes
)

// String returns ONNX's name of t.
func (t DataType) String() string {
	if t < 0 || t >= numDataTypes {
		return strconv.Itoa(int(t))
	}
	return [...]string{
		"UNDEFINED", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE", "UINT32",
		"UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",
		"INT4", "FLOAT4E2M1", "FLOAT8E8M0", "UINT2", "INT2", "FLOAT6E2M3", "FLOAT6E3M2",
	}[t]
}

// ParseDataType returns the type with ONNX's name; 0 if there is none.
func ParseDataType(name string) DataType {
	for t := Float; t < numDataTypes; t++ {
		if t.String() == name {
			return t
		}
	}
	return 0
}

// Tensor is a TensorProto. Its elements are in one of the lists, or in a file.
type Tensor struct {
	Name     string
	Dims     []int64
	DataType DataType
	// Segment means that the tensor is a part of another one, which nothing specifies.
	Segment bool

	Raw     []byte // nil if the field is absent
	Floats  []float32
	Doubles []float64
	Int32s  []int32
	Int64s  []int64
	Uint64s []uint64
	Strings [][]byte

	// External means that the elements are in a file: Location says which.
	External bool
	Location []Entry
}

// SparseTensor is a SparseTensorProto: the elements of a tensor that are not zero.
type SparseTensor struct {
	Values  *Tensor // of one axis; its name is that of the tensor
	Indices *Tensor // i64
	Dims    []int64
}

func (t *Tensor) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Int64s(&t.Dims)
		case 2:
			r.Int32((*int32)(&t.DataType))
		case 3:
			t.Segment = true
			r.Skip()
		case 4:
			r.Floats(&t.Floats)
		case 5:
			r.Int32s(&t.Int32s)
		case 6:
			r.ByteLists(&t.Strings)
		case 7:
			r.Int64s(&t.Int64s)
		case 8:
			r.Text(&t.Name)
		case 9:
			r.Bytes(&t.Raw)
		case 10:
			r.Doubles(&t.Doubles)
		case 11:
			r.Uint64s(&t.Uint64s)
		case 13:
			r.Message(appendsValue(&t.Location, (*Entry).read))
		case 14:
			var location int64
			r.Int64(&location)
			t.External = location == 1
		default:
			r.Skip()
		}
	}
}

func (s *SparseTensor) read(r *wire.Reader) {
	for r.Next() {
		switch r.Field {
		case 1:
			r.Message(reads(&s.Values, (*Tensor).read))
		case 2:
			r.Message(reads(&s.Indices, (*Tensor).read))
		case 3:
			r.Int64s(&s.Dims)
		default:
			r.Skip()
		}
	}
}
