package jinja

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/text/python"
)

// str is str(v).
func (st *state) str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case markup:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		if v {
			return "True"
		}
		return "False"
	case none:
		return "None"
	case *undefined:
		return ""
	case float64:
		return python.FloatRepr(v)
	}
	return st.repr(v)
}

// repr is repr(v).
func (st *state) repr(v any) string {
	w := &writer{st: st}
	w.repr(v, 0)
	return w.b.String()
}

// repr is repr(v) for messages: only of keys and names, whose size was counted.
func repr(v any) string {
	w := &writer{}
	switch v.(type) {
	case *List, *Dict, *dictView:
		return "(" + typeName(v) + ")"
	}
	w.repr(v, 0)
	if text := w.b.String(); len(text) > 200 {
		return python.Prefix(text, 100) + "..."
	}
	return w.b.String()
}

// writer writes values as text, and counts the memory.
type writer struct {
	st *state // or nil
	b  strings.Builder
	// ascii escapes what is outside of ASCII.
	ascii bool
}

// count counts what is about to be written.
func (w *writer) count(n int) {
	if w.st != nil {
		w.st.make(n)
	}
}

func (w *writer) text(s string) {
	w.count(len(s))
	w.b.WriteString(s)
}

func (w *writer) repr(v any, depth int) {
	if w.st != nil {
		w.st.step()
		w.st.deep(depth)
	} else if depth > 3 {
		w.text("...")
		return
	}
	switch v := v.(type) {
	case string:
		w.count(len(v) + 2)
		python.Repr(&w.b, v, w.ascii)
	case markup:
		w.count(len(v) + 10)
		w.b.WriteString("Markup(")
		python.Repr(&w.b, string(v), w.ascii)
		w.b.WriteByte(')')
	case int64:
		w.text(strconv.FormatInt(v, 10))
	case bool:
		if v {
			w.text("True")
		} else {
			w.text("False")
		}
	case none:
		w.text("None")
	case *big.Int:
		w.big(v)
	case float64:
		w.text(python.FloatRepr(v))
	case *undefined:
		w.text("Undefined")
	case *List:
		w.items("[", v.items, "]", depth)
	case *tuple:
		end := ")"
		if len(v.items) == 1 {
			end = ",)"
		}
		w.items("(", v.items, end, depth)
	case *Dict:
		w.dict(v, depth)
	case *dictView:
		w.text("dict_" + v.kind + "(")
		w.items("[", v.list(), "]", depth)
		w.text(")")
	case *rangeValue:
		w.text("range(" + strconv.FormatInt(v.start, 10) + ", " + strconv.FormatInt(v.stop, 10))
		if v.step != 1 {
			w.text(", " + strconv.FormatInt(v.step, 10))
		}
		w.text(")")
	case *namespace:
		w.text("<Namespace ")
		w.dict(v.attrs, depth)
		w.text(">")
	case *loopContext:
		w.text("<LoopContext " + strconv.Itoa(v.index0+1) + "/" + strconv.Itoa(v.length(w.st)) + ">")
	case *macro:
		if v.def.name == "" {
			w.text("<Macro anonymous>")
		} else {
			w.text("<Macro '" + v.def.name + "'>")
		}
	case *builtin:
		w.text("<built-in function " + v.name + ">")
	default:
		w.text("<" + typeName(v) + " object>")
	}
}

func (w *writer) big(n *big.Int) {
	// 3.3 bits are a digit.
	if n.BitLen() > python.MaxIntDigits*10/3 && len(n.String()) > python.MaxIntDigits+1 && w.st != nil {
		w.st.fail("exceeds the limit (%d digits) for integer string conversion", python.MaxIntDigits)
	}
	if w.st != nil {
		w.st.steps(n.BitLen() / 64)
	}
	w.text(n.String())
}

func (w *writer) items(begin string, items []any, end string, depth int) {
	w.text(begin)
	for i, item := range items {
		if i > 0 {
			w.text(", ")
		}
		w.repr(item, depth+1)
	}
	w.text(end)
}

func (w *writer) dict(d *Dict, depth int) {
	w.text("{")
	for i, key := range d.keys {
		if i > 0 {
			w.text(", ")
		}
		w.repr(key, depth+1)
		w.text(": ")
		w.repr(d.values[i], depth+1)
	}
	w.text("}")
}
