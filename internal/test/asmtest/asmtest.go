// Package asmtest compares the structs that Go passes to assembly with what the generators of the
// assembly know of them.
package asmtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Struct is a struct that assembly reads by offsets.
type Struct struct {
	// Value is any value of the struct.
	Value any
	// File is that of the generator. It has a constant of the offset of each field, whose name is
	// Prefix and the name of the field; upper and lower case do not matter.
	File, Prefix string
	// Names has the constants of other names, without Prefix, by the fields' names. The name is
	// empty if the assembly does not read the field, or finds it behind the one before.
	Names map[string]string
}

// Layout compares the offset of every field, and the size of the struct if there is a constant of
// it, and checks that there is no constant without a field.
func Layout(t *testing.T, s Struct) {
	t.Helper()
	of := reflect.TypeOf(s.Value)
	offsets := group(t, s)
	require.NotEmpty(t, offsets, "%v in %s", of, s.File)
	for _, f := range reflect.VisibleFields(of) {
		name, other := s.Names[f.Name]
		if !other {
			name = f.Name
		}
		if f.Anonymous || name == "" || name == "_" {
			continue
		}
		name = strings.ToLower(s.Prefix + name)
		at, known := offsets[name]
		if assert.True(t, known, "%v: no constant in %s for field %s", of, s.File, f.Name) {
			assert.Equal(t, int(offset(of, f.Index)), at, "%v: field %s, and constant %s in %s", of, f.Name, name, s.File)
		}
		delete(offsets, name)
	}
	size := strings.ToLower(s.Prefix + "size")
	if bytes, known := offsets[size]; known {
		assert.Equal(t, int(of.Size()), bytes, "%v: constant %s in %s", of, size, s.File)
		delete(offsets, size)
	}
	assert.Empty(t, offsets, "%v: constants of %s without a field", of, s.File)
}

// offset returns the offset of a field, which can be one of an embedded struct.
func offset(of reflect.Type, index []int) uintptr {
	sum := uintptr(0)
	for _, i := range index {
		sum += of.Field(i).Offset
		of = of.Field(i).Type
	}
	return sum
}

// group returns the constants of the declaration that starts with one of the prefix, in lower case.
func group(t *testing.T, s Struct) map[string]int {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), s.File, nil, 0)
	require.NoError(t, err)
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST || len(g.Specs[0].(*ast.ValueSpec).Values) == 0 {
			continue
		}
		offsets := make(map[string]int)
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			for i, name := range v.Names {
				lit, ok := v.Values[min(i, len(v.Values)-1)].(*ast.BasicLit)
				if !ok || !strings.HasPrefix(name.Name, s.Prefix) {
					continue
				}
				at, err := strconv.Atoi(lit.Value)
				require.NoError(t, err, name.Name)
				offsets[strings.ToLower(name.Name)] = at
			}
		}
		if len(offsets) > 0 {
			return offsets
		}
	}
	return nil
}
