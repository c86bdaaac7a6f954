package jinja

// filterFunc is a filter, which applies to a value.
type filterFunc = func(st *state, v any, a *callArgs) any

// findFilter returns the filter of a name, or nil.
func findFilter(name string) filterFunc {
	switch name {
	case "map":
		return filterMap
	case "select":
		return selection(name, true, false)
	case "reject":
		return selection(name, false, false)
	case "selectattr":
		return selection(name, true, true)
	case "rejectattr":
		return selection(name, false, true)
	}
	return filters[name]
}

// filters are the filters of Jinja, but for those that apply filters and tests to items.
var filters = map[string]filterFunc{
	"abs":            filterAbs,
	"attr":           filterAttr,
	"batch":          filterBatch,
	"capitalize":     filterCapitalize,
	"center":         filterCenter,
	"count":          filterLength,
	"d":              filterDefault,
	"default":        filterDefault,
	"dictsort":       filterDictSort,
	"e":              filterEscape,
	"escape":         filterEscape,
	"filesizeformat": filterFileSize,
	"first":          filterFirst,
	"float":          filterFloat,
	"forceescape":    filterForceEscape,
	"format":         filterFormat,
	"groupby":        filterGroupBy,
	"indent":         filterIndent,
	"int":            filterInt,
	"items":          filterItems,
	"join":           filterJoin,
	"last":           filterLast,
	"length":         filterLength,
	"list":           filterList,
	"lower":          filterLower,
	"max":            extreme("max", ">"),
	"min":            extreme("min", "<"),
	"pprint":         filterPrettyPrint,
	"random":         filterRandom,
	"replace":        filterReplace,
	"reverse":        filterReverse,
	"round":          filterRound,
	"safe":           filterSafe,
	"slice":          filterSlice,
	"sort":           filterSort,
	"string":         filterString,
	"striptags":      filterStripTags,
	"sum":            filterSum,
	"title":          filterTitle,
	"tojson":         toJSON,
	"trim":           filterTrim,
	"truncate":       filterTruncate,
	"unique":         filterUnique,
	"upper":          filterUpper,
	"urlencode":      filterURLEncode,
	"urlize":         filterURLize,
	"wordcount":      filterWordCount,
	"wordwrap":       filterWordWrap,
	"xmlattr":        filterXMLAttr,
}

func filterDefault(st *state, v any, a *callArgs) any {
	b := a.bind(st, "default", 0, "default_value", "boolean")
	if b[0] == nil {
		b[0] = ""
	}
	if isUndefined(v) || isTrue(b[1]) && !truth(v) {
		return b[0]
	}
	return v
}

func filterAttr(st *state, v any, a *callArgs) any {
	name := st.text(a.bind(st, "attr", 1, "name")[0], "", "attribute name")
	if found, ok := st.attribute(v, name); ok {
		return found
	}
	return &undefined{of: v, name: name}
}
