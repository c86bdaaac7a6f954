package ir

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
)

// MarshalJSON implements json.Marshaler: an object with the type, the shape and the elements in
// row-major order, such as {"type":"f32","shape":[2,2],"data":[1,2,3,4.5]}. Numbers are exact, also
// those of 64 bits. Types without arithmetic have the bits of their elements. It is an error if an
// element is NaN or infinite, which JSON does not have, or complex.
func (t *Tensor) MarshalJSON() ([]byte, error) {
	if t == nil {
		return []byte("null"), nil
	}
	out := append([]byte(`{"type":"`), t.elementType.String()...)
	out = append(out, `","shape":[`...)
	for i, d := range t.shape {
		out = strconv.AppendInt(appendComma(out, i), int64(d), 10)
	}
	out = append(out, `],"data":[`...)
	if t.elementType.Kind() == KindComplex || t.elementType == Dynamic {
		return nil, faults.Errorf("elements of %v are no numbers of JSON", t.elementType)
	}
	element := t.elementText('g', -1)
	value := func(int) float64 { return 0 } // is finite
	if t.elementType.IsFloat() {
		value = t.Values()
	}
	for i := range t.Len() {
		out = appendComma(out, i)
		switch v := value(i); {
		case t.elementType == String:
			text, err := json.Marshal(t.strings[i])
			if err != nil {
				return nil, err
			}
			out = append(out, text...)
		case math.IsNaN(v) || math.IsInf(v, 0):
			return nil, faults.Errorf("element %d of %v%v is %v, which JSON does not have", i, t.elementType, t.shape, v)
		default:
			out = append(out, element(i)...)
		}
	}
	return append(out, "]}"...), nil
}

// appendComma appends the comma before element i of a list.
func appendComma(out []byte, i int) []byte {
	if i > 0 {
		return append(out, ',')
	}
	return out
}
