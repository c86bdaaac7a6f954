package npy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// data24 is the data for goodHeaders, which all describe 24 bytes.
const data24 = "0123456789abcdefghijklmn"

// goodHeaders has dictionaries that NumPy reads, and one whose shape lacks the comma.
var goodHeaders = map[string]header{
	"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n":             {"<f4", "<", 'f', 4, false, ir.Shape{2, 3}},
	"{'descr': '<U6', 'fortran_order': True, 'shape': (), }":                       {"<U6", "<", 'U', 6, true, nil},
	"{'shape': (6,), 'fortran_order': False, 'descr': '>i4'}\n":                    {">i4", ">", 'i', 4, false, ir.Shape{6}},
	"{'fortran_order':True,'shape':(2,3),'descr':'=U1'}":                           {"=U1", "=", 'U', 1, true, ir.Shape{2, 3}},
	`{"descr": "|u1", "fortran_order": False, "shape": (4, 6,)}`:                   {"|u1", "|", 'u', 1, false, ir.Shape{4, 6}},
	"{'descr': 'f8', 'fortran_order': False, 'shape': (3L,), }":                    {"f8", "", 'f', 8, false, ir.Shape{3}},
	"{'descr': '<i8', 'fortran_order': False, 'shape': (3L, 1L), }":                {"<i8", "<", 'i', 8, false, ir.Shape{3, 1}},
	" \t{\n'descr' : '|b1' ,\r\n'fortran_order' : False , 'shape' : ( 24 ,\n) }\n": {"|b1", "|", 'b', 1, false, ir.Shape{24}},
	"{'descr': '<f4', 'fortran_order': False, 'shape': (6)}":                       {"<f4", "<", 'f', 4, false, ir.Shape{6}},
}

func TestParseHeader(t *testing.T) {
	for dict, want := range goodHeaders {
		got, err := parseHeader([]byte(dict))
		require.NoError(t, err, dict)
		assert.Equal(t, &want, got, dict)
		_, err = Parse(file(dict, data24))
		assert.NoError(t, err, dict)
	}
}

func TestParseHeader_refused(t *testing.T) {
	const start = "{'descr': '<f4', 'fortran_order': False, 'shape': "
	for _, dict := range []string{
		"",
		"{}",
		"[]",
		start + "(1,)",
		start + "(1,), } }",
		start + "(1,),, }",
		start + "(1,), 'more': 1, }",
		start + "(1,), 'shape': (1,), }",
		start + "1, }",
		start + "[1], }",
		start + "(,), }",
		start + "(1,,), }",
		start + "(1 2), }",
		start + "(-1,), }",
		start + "(+1,), }",
		start + "(1.0,), }",
		start + "(1LL,), }",
		start + "(L,), }",
		start + "(None,), }",
		"{'descr': '<f4', 'fortran_order': False, 'fortran_order': False, }",
		"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }",
		"{'descr': '<f4', 'fortran_order': Falsehood, 'shape': (1,), }",
		"{'descr': '<f4' 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '<f4\", 'fortran_order': False, 'shape': (1,), }",
		"{'descr\": '<f4', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '<f', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '<f4444444444', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '!f4', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '<f4\\x00', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '<M8[s]', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
	} {
		_, err := parseHeader([]byte(dict))
		assert.ErrorContains(t, err, "is not that of an array of one simple type", dict)
	}
}
