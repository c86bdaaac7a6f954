package feature

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// unused is the text for keys without a value, unless the model has another one.
const unused = "_Unused"

// encode gives the value of each element of x, a key, and other for those that are none.
func encode(n *convert.Node, x convert.Value, keys, values, other *ir.Tensor) []convert.Value {
	if n.Failed() {
		return nil
	}
	if keys.Len() != values.Len() || other.Len() != 1 {
		n.Fail("there are %d keys, %d values and %d defaults", keys.Len(), values.Len(), other.Len())
		return nil
	}
	if values.ElementType() != other.ElementType() {
		n.Fail("the values are %v, and the default is %v", values.ElementType(), other.ElementType())
		return nil
	}
	flat := func(t *ir.Tensor) convert.Value { return n.Reshape(n.Value(t), n.IntValues(-1), false) }
	table := n.Concat(0, flat(values), flat(other))
	return []convert.Value{arithmetic.Gather(n, table, index(n, x, keys, false), 0)}
}

// index returns the position of each element of x in keys; the number of keys if it is none, which
// is an error if strict is set. Numbers are compared as f64 or i64, which hold all others.
func index(n *convert.Node, x convert.Value, keys *ir.Tensor, strict bool) convert.Value {
	t := n.Type(x)
	if (t == ir.String) != (keys.ElementType() == ir.String) {
		n.Fail("the input is %v, and the keys are %v", t, keys.ElementType())
	}
	switch t {
	case ir.String, ir.I64:
	case ir.F32, ir.F64:
		t = ir.F64
	default:
		t = ir.I64
	}
	list := n.Convert(n.Reshape(n.Value(keys), n.IntValues(-1), false), t)
	return n.Own("KeyIndex", convert.Attributes("strict", strict), n.Convert(x, t), list)
}

// tensor returns values as a tensor.
func tensor(n *convert.Node, values any) *ir.Tensor {
	t, err := ir.TensorFrom(values)
	if err != nil {
		n.Fail("%w", err)
	}
	return t
}

// labelEncoder1 gives the numbers of texts in a list, or the texts of numbers.
func labelEncoder1(n *convert.Node) []convert.Value {
	n.RequireAttribute("classes_strings")
	texts := n.TextList("classes_strings")
	numbers := make([]int64, len(texts))
	for i := range numbers {
		numbers[i] = int64(i)
	}
	return between(n, texts, numbers)
}

// categoryMapper gives the numbers of texts in a list, or the texts of numbers.
func categoryMapper(n *convert.Node) []convert.Value {
	return between(n, n.TextList("cats_strings"), n.IntList("cats_int64s"))
}

// between encodes texts as numbers, or numbers as texts, as the input demands.
func between(n *convert.Node, texts []string, numbers []int64) []convert.Value {
	x := n.Input(0)
	if n.Type(x) == ir.String {
		return encode(n, x, tensor(n, texts), tensor(n, numbers), tensor(n, []int64{n.Int("default_int64", -1)}))
	}
	return encode(n, x, tensor(n, numbers), tensor(n, texts), tensor(n, []string{n.Text("default_string", unused)}))
}

// labelEncoder gives values for keys. Both are lists of one type or, since version 4, tensors.
func labelEncoder(n *convert.Node) []convert.Value {
	keys, values := list(n, "keys"), list(n, "values")
	if n.Failed() {
		return nil
	}
	if keys == nil || values == nil {
		n.Fail("the node has no attributes with keys and values")
		return nil
	}
	other := n.Tensor("default_tensor")
	if other == nil {
		switch values.ElementType() {
		case ir.String:
			other = tensor(n, []string{n.Text("default_string", unused)})
		case ir.I64:
			other = tensor(n, []int64{n.Int("default_int64", -1)})
		case ir.F32:
			other = tensor(n, []float32{n.Float("default_float", 0)})
		default:
			n.Fail("attribute default_tensor is missing, for values of type %v", values.ElementType())
			return nil
		}
	}
	return encode(n, n.Input(0), keys, values, other)
}

// list returns keys or values, of whichever type there are; nil if there are none.
func list(n *convert.Node, name string) *ir.Tensor {
	switch {
	case n.HasAttribute(name + "_tensor"):
		return n.Tensor(name + "_tensor")
	case n.HasAttribute(name + "_strings"):
		return tensor(n, n.TextList(name+"_strings"))
	case n.HasAttribute(name + "_int64s"):
		return tensor(n, n.IntList(name+"_int64s"))
	case n.HasAttribute(name + "_floats"):
		return tensor(n, n.FloatList(name+"_floats"))
	}
	return nil
}

// oneHotEncoder adds an axis with a 1 for the category that each element is. Numbers are compared
// without their fractions. An element that is no category has zeros, or is an error. Of equal
// categories, the last one counts, so that they are looked for from the last to the first.
func oneHotEncoder(n *convert.Node) []convert.Value {
	x, strict := n.Input(0), !n.Bool("zeros", true)
	var categories *ir.Tensor
	if n.Type(x) == ir.String {
		categories = tensor(n, reversed(n.TextList("cats_strings")))
	} else {
		categories = tensor(n, reversed(n.IntList("cats_int64s")))
		x = n.Convert(x, ir.I64)
	}
	if n.Failed() {
		return nil
	}
	at := n.Unsqueeze(index(n, x, categories, strict), -1)
	places := make([]int64, categories.Len())
	for i := range places {
		places[i] = int64(len(places) - 1 - i)
	}
	return []convert.Value{n.Convert(n.Layer("Equal", 1, nil, at, n.IntValues(places...)), ir.F32)}
}

// reversed returns a list from the last to the first element.
func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
