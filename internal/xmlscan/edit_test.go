package xmlscan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/xmlscan"
)

// TestApply changes the value of attribute b of the first element, in every encoding.
func TestApply(t *testing.T) {
	const before, after = "<?xml?>é😀<a c='é😀' b = \"1\"/>😀é", "<?xml?>é😀<a c='é😀' b = \"-10\"/>😀é"
	for name, c := range map[string]struct{ before, after string }{
		"UTF-8":     {before, after},
		"mark":      {"\xef\xbb\xbf" + before, "\xef\xbb\xbf" + after},
		"UTF-16 LE": {utf16of(before, false), utf16of(after, false)},
		"UTF-16 BE": {"\xfe\xff" + utf16of(before, true), "\xfe\xff" + utf16of(after, true)},
		"UTF-32 LE": {"\xff\xfe\x00\x00" + utf32of(before, false), "\xff\xfe\x00\x00" + utf32of(after, false)},
		"UTF-32 BE": {utf32of(before, true), utf32of(after, true)},
		"Latin-1":   {"<?xml encoding='latin1'?><a é='\xe9' b='1'/>\xe9", "<?xml encoding='latin1'?><a é='\xe9' b='-10'/>\xe9"},
		"zero byte": {"<a b='1'/>\x00<b", "<a b='-10'/>\x00<b"},
		"odd end":   {utf16of(before, false) + "\xd8", utf16of(after, false) + "\xd8"},
	} {
		t.Run(name, func(t *testing.T) {
			s := xmlscan.New([]byte(c.before), limits)
			_, err := s.Next()
			require.NoError(t, err)
			from, to, ok := s.AttrSpan("b")
			require.True(t, ok)
			assert.Equal(t, "1", string(s.Document()[from:to]))
			assert.Equal(t, c.before, string(xmlscan.Apply([]byte(c.before), nil)))
			edited := xmlscan.Apply([]byte(c.before), []xmlscan.Edit{{From: from, To: to, Text: "-10"}})
			assert.Equal(t, c.after, string(edited))
		})
	}
}

func TestSpan(t *testing.T) {
	const doc = "<a> <b c='>' d=\"'\"\n/><![CDATA[x]]>y</a >"
	s := xmlscan.New([]byte(doc), limits)
	var got []string
	for {
		kind, err := s.Next()
		require.NoError(t, err)
		if kind == xmlscan.EOF {
			break
		}
		from, to := s.Span()
		got = append(got, doc[from:to])
	}
	const b = "<b c='>' d=\"'\"\n/>"
	assert.Equal(t, []string{"<a>", b, b, "<![CDATA[x]]>", "y", "</a >"}, got)

	s = xmlscan.New([]byte("<b c='>' d=\"'\"/>"), limits)
	_, err := s.Next()
	require.NoError(t, err)
	from, to, ok := s.AttrSpan("d")
	assert.True(t, ok)
	assert.Equal(t, "'", string(s.Document()[from:to]))
	_, _, ok = s.AttrSpan("e")
	assert.False(t, ok)
}
