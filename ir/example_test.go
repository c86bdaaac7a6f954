package ir_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"unsafe"

	"github.com/x448/float16"

	"github.com/vinoir/vinoir/ir"
)

// A tensor is made of a Go slice, and read as one.
func ExampleTensor() {
	t, err := ir.TensorOf(ir.F32, ir.Shape{2, 3}, []float32{1, 2, 3, 4, 5, 6}) // shares the slice
	if err != nil {
		log.Fatal(err)
	}
	copied, err := t.Clone()
	if err != nil {
		log.Fatal(err)
	}
	ir.Data[float32](t)[0] = 10
	fmt.Println(t.ElementType(), t.Shape(), t.Len(), len(t.Bytes()), ir.Data[float32](t))
	fmt.Println(ir.Data[float32](copied))
	copied.CopyFrom(t)
	fmt.Println(ir.Data[float32](copied))
	// Output:
	// f32 [2,3] 6 24 [10 2 3 4 5 6]
	// [1 2 3 4 5 6]
	// [10 2 3 4 5 6]
}

// The shape follows from nested slices, or is given.
func ExampleTensorFrom() {
	for _, t := range []func() (*ir.Tensor, error){
		func() (*ir.Tensor, error) { return ir.TensorFrom([][]float32{{1, 2}, {3, 4}}) },
		func() (*ir.Tensor, error) { return ir.TensorFrom([]float32{1, 2, 3, 4}, 1, 2, 2) },
		func() (*ir.Tensor, error) { return ir.TensorFrom(int64(7)) },
		func() (*ir.Tensor, error) { return ir.TensorFrom([][]bool{{true}, {false, true}}) },
	} {
		tensor, err := t()
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(tensor.ElementType(), tensor.Shape())
	}
	// Output:
	// f32 [2,2]
	// f32 [1,2,2]
	// i64 []
	// data[1] has 2 elements, the first list of that depth has 1
}

// The Go type must be the one of the element type, so that a mistake is an error.
func ExampleDataOf() {
	t, err := ir.TensorFrom([]int64{3, 1, 2})
	if err != nil {
		log.Fatal(err)
	}
	classes, err := ir.DataOf[int64](t)
	fmt.Println(classes, err)
	_, err = ir.DataOf[float32](t)
	fmt.Println(err)
	// Output:
	// [3 1 2] <nil>
	// the tensor is i64[3], not of type f32
}

// Data reads elements as any Go type of their size, and panics if the size is another. DataOf
// returns errors.
func ExampleData() {
	t, err := ir.NewTensor(ir.F16, 2)
	if err != nil {
		log.Fatal(err)
	}
	ir.Data[float16.Float16](t)[1] = float16.Fromfloat32(1)
	fmt.Printf("%#x\n", ir.Data[uint16](t))
	// Output: [0x0 0x3c00]
}

func ExampleTensor_Strings() {
	t, err := ir.StringTensor(ir.Shape{2}, []string{"a cat", "a dog"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", t.Strings())
	// Output: ["a cat" "a dog"]
}

// Weights of a .bin are bytes. Types of less than a byte are packed.
func ExampleTensorOfBytes() {
	t, err := ir.TensorOfBytes(ir.U4, ir.Shape{3}, []byte{0x21, 0x03})
	if err != nil {
		log.Fatal(err)
	}
	t.SetPacked(1, 9)
	fmt.Println(t.Packed(0), t.Packed(1), t.Packed(2))
	// Output: 1 9 3
}

func ExampleTensor_SetPacked() {
	t, err := ir.NewTensor(ir.I4, 2)
	if err != nil {
		log.Fatal(err)
	}
	t.SetPacked(1, 0xf) // the bits of -1
	fmt.Printf("%#x %#x\n", t.Packed(1), t.Bytes())
	// Output: 0xf 0xf0
}

// TensorOfInts checks that each number fits the type, and Ints reads any integer type.
func ExampleTensorOfInts() {
	t, err := ir.TensorOfInts(ir.U8, ir.Shape{2}, []int64{1, 255})
	if err != nil {
		log.Fatal(err)
	}
	values, err := t.Ints()
	fmt.Println(values, err)
	_, err = ir.TensorOfInts(ir.U8, ir.Shape{2}, []int64{1, 256})
	fmt.Println(err)
	// Output:
	// [1 255] <nil>
	// value 1 is 256, which does not fit element type u8
}

func ExampleTensor_Ints() {
	t, err := ir.TensorFrom([]int32{-1, 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Ints())
	// Output: [-1 2] <nil>
}

// Values reads elements of any type as numbers. It is for reports, not for kernels.
func ExampleTensor_Values() {
	t, err := ir.NewTensor(ir.F16, 2)
	if err != nil {
		log.Fatal(err)
	}
	t.SetValue(1, 2.5)
	value := t.Values()
	fmt.Println(value(0), value(1))
	// Output: 0 2.5
}

// A runtime that runs many times reuses a Tensor and its memory.
func ExampleTensor_Reset() {
	memory := ir.AlignedBytes(64)
	var t, other ir.Tensor
	for _, n := range []int{2, 4} {
		if err := t.Reset(ir.F32, ir.Shape{n}, memory, nil); err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Shape(), t.Len())
	}
	other.Share(&t) // the same elements, with a shape of its own
	t.Release()     // t no longer refers to the memory
	fmt.Println(len(t.Bytes()), len(other.Bytes()))
	// Output:
	// [2] 2
	// [4] 4
	// 0 16
}

func ExampleTensor_Share() {
	t, err := ir.TensorFrom([]float32{1, 2})
	if err != nil {
		log.Fatal(err)
	}
	var view ir.Tensor
	view.Share(t)
	ir.Data[float32](t)[0] = 5
	fmt.Println(ir.Data[float32](&view))
	// Output: [5 2]
}

// The elements start at a cache line.
func ExampleAlignedBytes() {
	memory := ir.AlignedBytes(100)
	fmt.Println(len(memory), uintptr(unsafe.Pointer(&memory[0]))%64)
	// Output: 100 0
}

// Before a tensor is made for a shape from elsewhere, its size is compared with a limit.
func ExampleByteSize() {
	fmt.Println(ir.ByteSize(ir.F32, ir.Shape{1, 3, 224, 224}))
	fmt.Println(ir.ByteSize(ir.U4, ir.Shape{3}))
	fmt.Println(ir.ByteSize(ir.F32, ir.Shape{2, -1}))
	// Output:
	// 602112 <nil>
	// 2 <nil>
	// 0 shape [2 -1]: dimension 1 is negative
}

func ExampleCheckRank() {
	fmt.Println(ir.CheckRank(8))
	fmt.Println(ir.CheckRank(100))
	// Output:
	// <nil>
	// 100 axes are more than the limit of 64
}

// A constant that is stored in another form is computed when it is first read.
func ExampleTensor_Deferred() {
	t, err := ir.DeferredTensor(ir.U8, ir.Shape{3}, ones(3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Deferred() != nil, ir.Data[uint8](t))
	// Output: true [1 1 1]
}

// ones is a Deferred of as many bytes 1.
type ones int

func (n ones) Bytes() []byte {
	data := ir.AlignedBytes(int(n))
	for i := range data {
		data[i] = 1
	}
	return data
}

// A constant at an odd address in a file is copied when it is first read.
func ExampleTensor_Unaligned() {
	file := []byte{9, 1, 0, 0, 0}
	t, err := ir.DeferredTensor(ir.U32, ir.Shape{1}, ir.UnalignedBytes(file[1:]))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Unaligned(), len(ir.Data[uint32](t)))
	// Output: [1 0 0 0] 1
}

func ExampleDeferred() {
	var d ir.Deferred = ir.UnalignedBytes([]byte{1, 2})
	fmt.Println(d.Bytes())
	// Output: [1 2]
}

// A kernel that only moves bytes can read them where they are.
func ExampleUnalignedTensor() {
	file := []byte{9, 1, 0, 0, 0}
	t, err := ir.UnalignedTensor(ir.U32, ir.Shape{1}, file[1:])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Bytes())
	// Output: [1 0 0 0]
}

// ElementTypeOf is the element type that a function with a type parameter works on.
func ExampleElementTypeOf() {
	fmt.Println(ir.ElementTypeOf[float32](), ir.ElementTypeOf[ir.BFloat16](), ir.ElementTypeOf[bool]())
	// Output: f32 bf16 boolean
}

// sum adds the elements of a tensor of any number type.
func sum[T ir.Element](t *ir.Tensor, add func(a, b T) T) (total T) {
	for _, v := range ir.Data[T](t) {
		total = add(total, v)
	}
	return total
}

func ExampleElement() {
	t, err := ir.TensorFrom([]int32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum(t, func(a, b int32) int32 { return a + b }))
	// Output: 6
}

// first returns the first element of t, which must have element type T.
func first[T ir.Scalar](t *ir.Tensor) (value T, err error) {
	data, err := ir.DataOf[T](t)
	if err != nil || len(data) == 0 {
		return value, err
	}
	return data[0], nil
}

func ExampleScalar() {
	t, err := ir.TensorFrom([]string{"cat"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first[string](t))
	// Output: cat <nil>
}

func ExampleBFloat16() {
	x := ir.BFloat16Of(3.14159)
	fmt.Println(x.Float32())
	// Output: 3.140625
}

func ExampleElementType() {
	for _, t := range []ir.ElementType{ir.Boolean, ir.U4, ir.I32, ir.BF16, ir.NF4} {
		lo, hi, ok := t.Limits()
		fmt.Println(t, t.Precision(), t.Bits(), t.Size(), t.IsInteger(), t.IsIntegral(), t.IsFloat(), t.IsReal(), lo, hi, ok)
	}
	fmt.Println(ir.F32.Kind() == ir.KindFloat)
	fmt.Println(ir.F16.Round(1.0001)) // the nearest f16
	fmt.Println(ir.U3.RowBytes(16))   // 16 elements in 6 bytes
	// Output:
	// boolean BOOL 8 1 false true false false 0 1 true
	// u4 U4 4 0 true true false false 0 0 false
	// i32 I32 32 4 true true false false -2147483648 2147483647 true
	// bf16 BF16 16 2 false false true true 0 0 false
	// nf4 NF4 4 0 false false true false 0 0 false
	// true
	// 1 true
	// 6 true
}

func ExampleKind() {
	fmt.Println(ir.U8.Kind() == ir.KindUnsigned, ir.String.Kind() == ir.KindOther)
	// Output: true true
}

// An attribute has OpenVINO's name of a type, a port has its precision.
func ExampleParseElementType() {
	fmt.Println(ir.ParseElementType("f16"))
	fmt.Println(ir.ParseElementType("float"))
	// Output:
	// f16 <nil>
	// dynamic "float" is not an element type
}

func ExampleParsePrecision() {
	fmt.Println(ir.ParsePrecision("FP16"))
	// Output: f16 <nil>
}

func ExampleMergeElementTypes() {
	fmt.Println(ir.MergeElementTypes(ir.F32, ir.Dynamic))
	fmt.Println(ir.MergeElementTypes(ir.F32, ir.F16))
	// Output:
	// f32 true
	// dynamic false
}

func ExampleShape() {
	shape := ir.Shape{2, 3}
	fmt.Println(shape, shape.Elements(), shape.Partial().With(0, ir.AnyDim))
	// Output: [2,3] 6 [?,3]
}

// A dimension is an interval of lengths.
func ExampleDimension() {
	batch, unknown := ir.DimRange(1, 8), ir.AnyDim
	fmt.Println(batch, ir.Dim(3), unknown, batch.IsStatic(), batch.IsDynamic(), batch.Contains(9))
	fmt.Println(batch.Add(ir.Dim(1)), batch.Sub(ir.Dim(1)), batch.Mul(ir.Dim(2)), unknown.Mul(ir.Dim(0)))
	fmt.Println(ir.DimRange(0, 9).Div(4))
	fmt.Println(batch.Compatible(ir.Dim(9)), batch.Relax(ir.Dim(9)))
	fmt.Println(batch.Merge(ir.DimRange(4, 16)))
	fmt.Println(ir.Dim(1).Broadcast(batch))
	// -1 as an element of the target of a Reshape is any length.
	fmt.Println(ir.DimOfInt(-1), ir.DimOf(ir.Interval{Min: 2, Max: 4}))
	fmt.Println(ir.ParseDimension("1..8"))
	// Output:
	// 1..8 3 ? false true false
	// 2..9 ..7 2..16 0
	// ..2 true
	// false 1..9
	// 4..8 true
	// 1..8 true
	// ? 2..4
	// 1..8 <nil>
}

// A partial shape has dimensions that are known, bounded or unknown.
func ExamplePartialShape() {
	shape := ir.ShapeOf(ir.AnyDim, ir.Dim(3), ir.DimRange(1, 224))
	fmt.Println(shape, shape.Rank(), shape.RankKnown(), shape.IsStatic(), shape.At(1), len(shape.Dims()), shape.Elements())
	image := ir.StaticShape(1, 3, 200)
	fmt.Println(shape.Contains(image), shape.Compatible(image), shape.Equal(image), ir.ShapeOfRank(2))
	fmt.Println(shape.Merge(image))
	fmt.Println(shape.Relax(ir.StaticShape(1, 4, 5)))
	fmt.Println(image.Broadcast(ir.StaticShape(7, 1, 1)))
	_, err := shape.Static()
	fmt.Println(err)
	// Output:
	// [?,3,1..224] 3 true false 3 3 ?
	// true true false [?,?]
	// [1,3,200] true
	// [?,3..4,1..224]
	// [7,3,200] true
	// shape [?,3,1..224] is not static
}

func ExamplePartialShape_With() {
	fmt.Println(ir.StaticShape(1, 3, 224, 224).With(0, ir.Dim(8)))
	// Output: [8,3,224,224]
}

func ExampleParsePartialShape() {
	fmt.Println(ir.ParsePartialShape("[1,?,3..5]"))
	fmt.Println(ir.ParsePartialShape("..."))
	_, err := ir.ParsePartialShape("1,x")
	fmt.Println(err)
	// Output:
	// [1,?,3..5] <nil>
	// [...] <nil>
	// shape "1,x": dimension "x" is not a number from 0 to 2^63-2, a range or "?"
}

// A fact is what is known of a tensor before the model runs: perhaps the values of a ShapeOf, whose
// bounds are those of the lengths.
func ExampleFact() {
	lengths := ir.Fact{Type: ir.I64, Shape: ir.StaticShape(2), Values: []ir.Interval{{Min: 1, Max: 8}, {Min: 3, Max: 3}}}
	fmt.Println(lengths.Known(), lengths.Bounds(), lengths.Intervals()[1].Known())
	lengths.Values[0] = ir.Interval{Min: 2, Max: 2}
	fmt.Println(lengths.Ints())
	fmt.Println(lengths.Constant().Ints())
	// Output:
	// false [{1 8} {3 3}] true
	// [2 3] true
	// [2 3] <nil>
}

func ExampleInterval() {
	fmt.Println(ir.Interval{Min: 3, Max: 3}.Known(), ir.Interval{Min: 3, Max: math.MaxInt64}.Known())
	// Output: true false
}

// Bounds of floats are integers in the same order.
func ExampleCodeOf() {
	fmt.Println(ir.CodeOf(-1) < ir.CodeOf(0), ir.CodeOf(0) < ir.CodeOf(0.5), ir.RealOf(ir.CodeOf(0.5)))
	// Output: true true 0.5
}

func ExampleRealOf() {
	fmt.Println(ir.RealOf(ir.CodeOf(-2.5)), ir.RealOf(math.MaxInt64)) // the second has no bound
	// Output: -2.5 +Inf
}

// Errors of names list the names there are.
func ExampleNameError() {
	var err error = &ir.NameError{Kind: "input", Name: "imgae", Names: [][]string{{"image", "x"}, {"scale"}}}
	var unknown *ir.NameError
	fmt.Println(errors.As(err, &unknown), unknown.Name)
	fmt.Println(err)
	// Output:
	// true imgae
	// input "imgae": the model has no input of that name, it has "image" ("x"), "scale"
}
