package xmlscan_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/xmlscan"
)

var limits = xmlscan.Limits{Depth: 8, Attrs: 4}

// events returns the events that a Scanner finds in doc, separated by spaces.
func events(doc string) (string, error) {
	s := xmlscan.New([]byte(doc), limits)
	var b strings.Builder
	for {
		kind, err := s.Next()
		if err != nil {
			return b.String(), err
		}
		switch kind {
		case xmlscan.EOF:
			return strings.TrimSpace(b.String()), nil
		case xmlscan.Start:
			fmt.Fprintf(&b, "<%s", s.Name())
			for _, a := range s.Attrs() {
				fmt.Fprintf(&b, " %s=%q", a.Name, a.Value)
			}
			b.WriteString("> ")
		case xmlscan.End:
			fmt.Fprintf(&b, "</%s> ", s.Name())
		case xmlscan.Text:
			fmt.Fprintf(&b, "%q ", s.Text())
		}
	}
}

// utf16of returns s in UTF-16 without a byte order mark.
func utf16of(s string, bigEndian bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if bigEndian {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

// utf32of returns s in UTF-32 without a byte order mark.
func utf32of(s string, bigEndian bool) string {
	var b []byte
	for _, r := range s {
		if bigEndian {
			b = append(b, 0, byte(r>>16), byte(r>>8), byte(r))
		} else {
			b = append(b, byte(r), byte(r>>8), byte(r>>16), 0)
		}
	}
	return string(b)
}

// TestScannerAccepts tests documents that OpenVINO accepts. The events are those that OpenVINO
// finds in a model with the same text, except that OpenVINO turns references beyond Unicode into
// invalid UTF-8.
func TestScannerAccepts(t *testing.T) {
	const a, plain = "<a b='é'/>", `<a b="é"> </a>`
	for name, c := range map[string]struct{ doc, want string }{
		"empty document":           {"", ""},
		"element":                  {"<a><b/></a>", `<a> <b> </b> </a>`},
		"blanks in tags":           {"<a \n b = 'c'\t/><d ></d\r\n>", `<a b="c"> </a> <d> </d>`},
		"text":                     {"<a>x</a>", `<a> "x" </a>`},
		"blank text is dropped":    {"<a> \n<b/> x </a>", `<a> <b> </b> " x " </a>`},
		"text outside of the root": {"junk <a/> more junk & so", `<a> </a>`},
		"zero byte behind the end": {"<a/>\x00<b", `<a> </a>`},
		"comments":                 {"<!-- - -- < --><a><!----><!--x--></a>", `<a> </a>`},
		"comment splits text":      {"<a>x<!-- y -->z</a>", `<a> "x" "z" </a>`},
		"instructions":             {"<?xml version=1.0 ???><a><?b c?><?xml?></a>", `<a> </a>`},
		"cdata":                    {"<a><![CDATA[<b>&lt;\r\n]]></a>", `<a> "<b>&lt;\n" </a>`},
		"cdata outside":            {"<![CDATA[x]]><a/>", `<a> </a>`},
		"raw less-than":            {`<a b="<c>"/>`, `<a b="<c>"> </a>`},
		"other quote":              {`<a b='"' c="'"/>`, `<a b="\"" c="'"> </a>`},
		"references":               {`<a b="&lt;&gt;&amp;&quot;&apos;&#65;&#x41;&#x4a;"/>`, `<a b="<>&\"'AAJ"> </a>`},
		"control characters":       {`<a b="&#01;&#10;&#9;"/>`, `<a b="\x01\n\t"> </a>`},
		"no references":            {`<a b="&foo;&am;& &#;&#x;&#xg;&#1"/>`, `<a b="&foo;&am;& &#;&#x;&#xg;&#1"> </a>`},
		"beyond Unicode":           {`<a b="&#x110000;&#99999999999999;"/>`, `<a b="��"> </a>`},
		"zero reference":           {`<a b="x&#0;y">p&#x0;q</a>`, `<a b="x"> "p" </a>`},
		"blanks become spaces":     {"<a b='1\t2\n3\r\n4\r5'/>", `<a b="1 2 3 4 5"> </a>`},
		"lines in text":            {"<a>1\r\n2\r3\t4&#13;</a>", `<a> "1\n2\n3\t4\r" </a>`},
		"entity in text":           {"<a>&lt;&foo;</a>", `<a> "<&foo;" </a>`},
		"first attribute counts":   {`<a b="1" b="2" c="3"/>`, `<a b="1" c="3"> </a>`},
		"bytes that are no UTF-8":  {"<a b='\xff\xfe'/>", `<a b="\xff\xfe"> </a>`},
		"high names":               {"<é ü='1'/>", `<é ü="1"> </é>`},
		"prefixes":                 {"<a:b c:d='e'/>", `<a:b c:d="e"> </a:b>`},
		"doctype":                  {`<!DOCTYPE a [<!ENTITY x "<y>"><!-- ' --><?z >?>]><a>&x;</a>`, `<a> "&x;" </a>`},
		"ignored section":          {"<!DOCTYPE a [<![IGNORE[ <![ b ]]> <c ]]>]><a/>", `<a> </a>`},
		"two roots":                {"<a/><b/>", `<a> </a> <b> </b>`},
		"mark":                     {"\xef\xbb\xbf" + a, plain},
		"UTF-16 LE mark":           {"\xff\xfe" + utf16of(a, false), plain},
		"UTF-16 BE mark":           {"\xfe\xff" + utf16of(a, true), plain},
		"UTF-16 LE":                {utf16of("<?xml?>"+a, false), plain},
		"UTF-16 BE":                {utf16of("<?xml?>"+a, true), plain},
		"UTF-32 LE mark":           {"\xff\xfe\x00\x00" + utf32of(a, false), plain},
		"UTF-32 BE mark":           {"\x00\x00\xfe\xff" + utf32of(a, true), plain},
		"UTF-32 LE":                {utf32of(a, false), plain},
		"UTF-32 BE":                {utf32of(a, true), plain},
		"UTF-16 pair":              {utf16of("<?xml?><a b='😀'/>", false), `<a b="😀"> </a>`},
		"Latin-1":                  {"<?xml version='1.0' encoding = 'ISO-8859-1' ?><a b='\xe9'/>", plain},
		"latin1":                   {"<?xml encoding=\"Latin1\"?><a b='\xe9'/>", plain},
		"other encoding":           {"<?xml encoding='windows-1252'?><a b='\xe9'/>", `<a b="\xe9"> </a>`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := events(c.doc)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

// TestScannerRefuses tests documents that OpenVINO refuses, and documents that exceed the limits.
func TestScannerRefuses(t *testing.T) {
	for name, c := range map[string]struct{ doc, message string }{
		"not closed":          {"<a>", "element <a> is not closed"},
		"tag cut":             {"<a b='c'", "start tag <a> is malformed"},
		"name cut":            {"<a", "start tag <a> is malformed"},
		"value cut":           {"<a b='c", "the value of attribute b does not end"},
		"value with & cut":    {"<a b='&lt;", "the value of attribute b does not end"},
		"end tag cut":         {"<a></a", "end tag </a> is malformed"},
		"end tag name cut":    {"<ab></a", "end tag does not match start tag <ab>"},
		"wrong end tag":       {"<a><b></a></b>", "end tag does not match start tag <b>"},
		"longer end tag":      {"<a></ab>", "end tag does not match start tag <a>"},
		"blank in end tag":    {"<a></ a>", "end tag does not match start tag <a>"},
		"attribute in end":    {"<a></a b='c'>", "end tag </a> is malformed"},
		"end tag alone":       {"<a/></a>", "end tag without a start tag"},
		"stray less-than":     {"<a/><", "'<' starts no tag"},
		"blank behind it":     {"<a>< b/></a>", "'<' starts no tag"},
		"digit name":          {"<a><1/></a>", "'<' starts no tag"},
		"no quotes":           {"<a b=c/>", "the value of attribute b is not quoted"},
		"no value":            {"<a b/>", "attribute b has no value"},
		"no blank":            {"<a b='c'd='e'/>", "no blank behind attribute b"},
		"attribute w/o name":  {"<a ='c'/>", "start tag <a> is malformed"},
		"slash in tag":        {"<a / >", "start tag <a> is malformed"},
		"vertical tab":        {"<a\vb='c'/>", "start tag <a> is malformed"},
		"zero byte":           {"<a>\x00</a>", "zero byte in the document: element <a> is not closed"},
		"zero byte in a tag":  {"<a \x00/>", "zero byte in the document: start tag <a> is malformed"},
		"comment open":        {"<a/><!-- ", "comment does not end"},
		"short comment":       {"<!--><a/>", "comment does not end"},
		"half comment":        {"<!-a--><a/>", "'<!' starts no comment, CDATA section or DOCTYPE"},
		"cdata open":          {"<a><![CDATA[</a>", "CDATA section does not end"},
		"instruction open":    {"<a/><?b", "processing instruction does not end"},
		"nameless":            {"<? b?><a/>", "processing instruction without a name"},
		"doctype inside":      {"<a><!DOCTYPE b></a>", "DOCTYPE inside of element <a>"},
		"doctype open":        {"<!DOCTYPE a [<!ENTITY b 'c'><a/>", "DOCTYPE is malformed"},
		"element in doctype":  {"<!DOCTYPE a [<b>]><a/>", "DOCTYPE is malformed"},
		"ignored open":        {"<!DOCTYPE a [<![IGNORE[]><a/>", "DOCTYPE is malformed"},
		"lower-case doctype":  {"<!doctype a><a/>", "'<!' starts no comment, CDATA section or DOCTYPE"},
		"too deep":            {strings.Repeat("<a>", 9), "elements nest deeper than 8 levels"},
		"too many attributes": {"<a b='' c='' d='' e='' f=''/>", "<a> has more than 4 attributes"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := events(c.doc)
			require.Error(t, err, got)
			assert.Equal(t, c.message, err.Error())
		})
	}
}

func TestScannerLine(t *testing.T) {
	s := xmlscan.New([]byte("<a>\n\n<b\n c='\n'/>\n<d>\n</d></a>\n<"), limits)
	lines := ""
	for {
		kind, err := s.Next()
		if err != nil {
			var syntax *xmlscan.SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.Equal(t, 8, syntax.Line)
			break
		}
		if kind == xmlscan.Start {
			lines += fmt.Sprintf("%s%d ", s.Name(), s.Line())
		}
	}
	assert.Equal(t, "a1 b3 d6 ", lines)
}

func TestScannerSkip(t *testing.T) {
	s := xmlscan.New([]byte("<a><b><c/>x</b><d/></a>"), limits)
	for _, want := range []string{"a", "b"} {
		kind, err := s.Next()
		require.NoError(t, err)
		require.Equal(t, xmlscan.Start, kind)
		require.Equal(t, want, string(s.Name()))
	}
	require.NoError(t, s.Skip())
	kind, err := s.Next()
	require.NoError(t, err)
	assert.Equal(t, xmlscan.Start, kind)
	assert.Equal(t, "d", string(s.Name()))
	require.NoError(t, s.Skip(), "an empty element")
	kind, err = s.Next()
	require.NoError(t, err)
	assert.Equal(t, xmlscan.End, kind)
	assert.Equal(t, "a", string(s.Name()))
}

func TestScannerAllocations(t *testing.T) {
	doc := []byte("<a>" + strings.Repeat(`<b c="d" e="f&lt;"><g>1</g></b>`, 1000) + "</a>")
	allocs := testing.AllocsPerRun(5, func() {
		s := xmlscan.New(doc, limits)
		for {
			kind, err := s.Next()
			if err != nil || kind == xmlscan.EOF {
				require.NoError(t, err)
				return
			}
		}
	})
	assert.Less(t, allocs, 20.0, "the scanner allocates for itself, not for each element")
}

func FuzzScanner(f *testing.F) {
	for _, doc := range []string{
		"<a b='c'><d/>x</a>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&#65;&x;</a>", "<a><![CDATA[x]]><!-- y --></a>",
		"\xff\xfe<\x00a\x00/\x00>\x00", "<?xml encoding='latin1'?><a b='\xe9'/>", "<a b='&#x0;\r\n'/>\x00",
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		s := xmlscan.New(doc, limits)
		depth := 0
		for n := 0; ; n++ {
			require.LessOrEqual(t, n, 2*len(doc)+2, "events without end")
			kind, err := s.Next()
			if err != nil {
				return
			}
			switch kind {
			case xmlscan.Start:
				depth++
				require.NotEmpty(t, s.Name())
				require.LessOrEqual(t, len(s.Attrs()), limits.Attrs)
			case xmlscan.End:
				depth--
			case xmlscan.Text:
				require.Positive(t, depth, "text outside of the root")
			case xmlscan.EOF:
				require.Zero(t, depth, "a document that is not complete")
				return
			}
			require.GreaterOrEqual(t, depth, 0)
			require.LessOrEqual(t, depth, limits.Depth)
			s.Line()
		}
	})
}

func BenchmarkScanner(b *testing.B) {
	doc := []byte("<a>" + strings.Repeat("\n\t\t<port id=\"0\" precision=\"FP32\">\n\t\t\t<dim>64</dim>\n\t\t\t<dim>7</dim>\n\t\t</port>", 10000) + "</a>")
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		s := xmlscan.New(doc, limits)
		for {
			kind, err := s.Next()
			if kind == xmlscan.EOF || err != nil {
				break
			}
		}
	}
}

func TestScannerNotes(t *testing.T) {
	for name, c := range map[string]struct {
		doc  string
		want []xmlscan.Note
	}{
		"clean":             {"<?xml version='1.0'?><!-- c --><a b='&amp;'>&#65;</a>\n", nil},
		"repeated":          {"<a>\n<b c='1' d='2' c='3'/></a>", []xmlscan.Note{{Line: 2, Text: "attribute c of <b> is repeated: the first counts"}}},
		"ampersands":        {"<a b='&x; &'>\n&</a>", []xmlscan.Note{{1, "'&' starts no reference"}, {1, "'&' starts no reference"}, {2, "'&' starts no reference"}}},
		"text behind":       {"\n<a/>\nx", []xmlscan.Note{{2, "text outside of the root element"}}},
		"doctype":           {"\n<!DOCTYPE a><a/>", []xmlscan.Note{{2, "the document has a DOCTYPE, which is ignored"}}},
		"zero byte":         {"<a/>\n\x00<b>", []xmlscan.Note{{2, "the document is cut at a zero byte"}}},
		"UTF-16":            {"<\x00a\x00/\x00>\x00", []xmlscan.Note{{1, "the document is in UTF-16, not UTF-8"}}},
		"UTF-8 with a mark": {"\xef\xbb\xbf<a/>", nil},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, notes(t, c.doc))
		})
	}
	assert.Len(t, notes(t, "<a>"+strings.Repeat("&", 1000)+"</a>"), 100)
}

// notes returns the notes on a document.
func notes(t *testing.T, doc string) []xmlscan.Note {
	t.Helper()
	s := xmlscan.New([]byte(doc), limits)
	for {
		kind, err := s.Next()
		require.NoError(t, err)
		if kind == xmlscan.EOF {
			return s.Notes()
		}
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "_:é-.9": true, ":": true, "": false, "9": false, "a b": false, "a=": false, "-": false} {
		assert.Equal(t, want, xmlscan.IsName(name), name)
	}
}
