package irtest

import (
	"math/rand/v2"
	"strings"

	"github.com/beevik/etree"
)

// hostileValues are values that Mutate sets in attributes and texts.
var hostileValues = []string{
	"", "0", "1", "2", "-1", "-2", "7", "999999999", "2147483648", "4294967296", "9223372036854775807",
	"9223372036854775808", "18446744073709551615", "1,0", "4611686018427387904,4", "4294967296,4294967296", "65536,65536", "?", "...",
	"u1", "u3", "u6", "i4", "f16", "f64", "boolean", "string", "dynamic", "Parameter", "Result", "Const", "Assign", "ReadValue", "Loop",
	"TensorIterator", "If", "x", `a\,b,`, "FP16", "I64", "BOOL", "1e300", "nan", "true", "0..9223372036854775807",
}

// Mutate returns an XML document with a few random changes that keep it well-formed: attributes and
// elements that are missing or there twice, hostile values, values of another element, so that
// edges end elsewhere and constants share bytes, and numbers and elements that change places.
// Random changes of bytes would rarely be well-formed. It returns doc unchanged if it is not
// well-formed.
func Mutate(doc []byte, random *rand.Rand) []byte {
	tree := etree.NewDocument()
	if err := tree.ReadFromBytes(doc); err != nil || tree.Root() == nil {
		return doc
	}
	var all []*etree.Element
	for stack := []*etree.Element{tree.Root()}; len(stack) > 0; {
		e := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], e.ChildElements()...)
		all = append(all, e)
	}
	for range 1 + random.IntN(3) {
		mutate(all, random)
	}
	changed, err := tree.WriteToBytes()
	if err != nil {
		return doc
	}
	return changed
}

// mutate makes one change to one of the elements of a document. The first is the root.
func mutate(all []*etree.Element, random *rand.Rand) {
	e := all[random.IntN(len(all))]
	other := all[random.IntN(len(all))]
	parent := e.Parent() // nil after e was removed
	var attribute *etree.Attr
	if len(e.Attr) > 0 {
		attribute = &e.Attr[random.IntN(len(e.Attr))]
	}
	hostile := hostileValues[random.IntN(len(hostileValues))]
	switch random.IntN(10) {
	case 0, 1:
		if attribute != nil {
			attribute.Value = hostile
		}
	case 2:
		if attribute != nil {
			e.RemoveAttr(attribute.Key)
		}
	case 3:
		if parent != nil && e != all[0] {
			parent.RemoveChild(e)
		}
	case 4:
		if parent != nil && e != all[0] {
			parent.AddChild(e.Copy())
		}
	case 5:
		if attribute != nil && len(other.Attr) > 0 {
			attribute.Value = other.Attr[random.IntN(len(other.Attr))].Value
		}
	case 6: // the same attribute of another element of the same kind: an edge, the data of a layer
		same := similar(all, e, random)
		if attribute != nil && same.SelectAttr(attribute.Key) != nil {
			attribute.Value = same.SelectAttr(attribute.Key).Value
		}
	case 7: // one number of a list
		if attribute != nil {
			items := strings.Split(attribute.Value, ",")
			items[random.IntN(len(items))] = hostile
			if random.IntN(2) == 0 {
				random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
			}
			attribute.Value = strings.Join(items, ",")
		}
	case 8:
		e.SetText(hostile)
	case 9: // two dims or types change places
		same := similar(all, e, random)
		if len(e.ChildElements()) == 0 && len(same.ChildElements()) == 0 {
			a, b := e.Text(), same.Text()
			e.SetText(b)
			same.SetText(a)
		}
	}
}

// similar returns another element with the tag of e; e if there is none.
func similar(all []*etree.Element, e *etree.Element, random *rand.Rand) *etree.Element {
	start := random.IntN(len(all))
	for i := range all {
		other := all[(start+i)%len(all)]
		if other != e && other.Tag == e.Tag {
			return other
		}
	}
	return e
}
