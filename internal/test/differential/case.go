package main

import (
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
)

const (
	maxBinBytes   = 4 << 20
	maxInputBytes = 4 << 20
)

// A model is an IR in memory.
type model struct {
	xml *etree.Document
	bin []byte
}

// readModel reads the model in folder.
func readModel(folder string) (*model, error) {
	m := &model{xml: etree.NewDocument()}
	if err := m.xml.ReadFromFile(filepath.Join(folder, "model.xml")); err != nil {
		return nil, err
	}
	var err error
	if m.bin, err = os.ReadFile(filepath.Join(folder, "model.bin")); os.IsNotExist(err) {
		err = nil
	}
	return m, err
}

// write writes the model into folder.
func (m *model) write(folder string) error {
	if err := m.xml.WriteToFile(filepath.Join(folder, "model.xml")); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "model.bin"), m.bin, 0o644)
}

// layers returns the layers of the model, without those of bodies.
func (m *model) layers() []*etree.Element {
	root := m.xml.Root()
	if root == nil {
		return nil
	}
	list := root.SelectElement("layers")
	if list == nil {
		return nil
	}
	return list.SelectElements("layer")
}

// allLayers returns the layers of the model and its bodies.
func (m *model) allLayers() []*etree.Element { return m.xml.FindElements("//layers/layer") }

// findCases returns the folders below roots that have a model with a small .bin, sorted.
func findCases(roots []string) (folders []string, err error) {
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Name() != "model.xml" {
				return err
			}
			folder := filepath.Dir(path)
			if info, err := os.Stat(filepath.Join(folder, "model.bin")); err == nil && info.Size() > maxBinBytes {
				return nil
			}
			folders = append(folders, folder)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(folders)
	return folders, nil
}

// inputs returns a tensor for each Parameter of m. It has the elements of the case's own input,
// repeated and converted where the shape or the type is another, since most operations need
// elements of a kind: indices, boxes, lengths. If there is no such input, they are random. It
// returns false if a Parameter has no valid type or shape, or a large one.
func inputs(rng *rand.Rand, m *model, folder string) (tensors []*ir.Tensor, ok bool) {
	length := int64(1 + rng.IntN(4)) // of dynamic dims without a file; they often have to be equal
	for _, layer := range m.layers() {
		if layer.SelectAttrValue("type", "") != "Parameter" {
			continue
		}
		data := layer.SelectElement("data")
		if data == nil {
			return nil, false
		}
		t, err := ir.ParseElementType(data.SelectAttrValue("element_type", ""))
		if err != nil || t == ir.Dynamic {
			return nil, false
		}
		partial, err := ir.ParsePartialShape(data.SelectAttrValue("shape", ""))
		if err != nil {
			return nil, false
		}
		given := fileTensor(t, filepath.Join(folder, "in", strconv.Itoa(len(tensors))+".npy"))
		shape, ok := inputShape(partial, given, length)
		if !ok {
			return nil, false
		}
		if size, err := ir.ByteSize(t, shape); err != nil || size > maxInputBytes {
			return nil, false
		}
		tensor, err := ir.NewTensor(t, shape...)
		if err != nil {
			return nil, false
		}
		if given != nil && given.Len() > 0 {
			repeat(tensor, given)
		} else if !fill(rng, tensor) {
			return nil, false
		}
		tensors = append(tensors, tensor)
	}
	return tensors, true
}

// inputShape returns a shape within partial, near that of given, which can be nil.
func inputShape(partial ir.PartialShape, given *ir.Tensor, length int64) (ir.Shape, bool) {
	if !partial.RankKnown() {
		if given == nil {
			return nil, false
		}
		return given.Shape(), true
	}
	shape := ir.Shape{}
	for i, d := range partial.Dims() {
		n := length
		if given != nil && i < len(given.Shape()) {
			n = int64(given.Shape()[i])
		}
		n = min(max(d.Min, n), d.Max)
		if n < 0 || n > math.MaxInt32 {
			return nil, false
		}
		shape = append(shape, int(n))
	}
	return shape, true
}

// fileTensor reads a file as a tensor of type t, or of another type from which t can be converted;
// nil if there is none.
func fileTensor(t ir.ElementType, path string) *ir.Tensor {
	array, err := npy.ReadFile(path)
	if err != nil {
		return nil
	}
	for _, t := range []ir.ElementType{t, ir.F32, ir.F16, ir.F64, ir.I64, ir.I32, ir.U8, ir.I8, ir.Boolean, ir.U64, ir.U32, ir.I16, ir.U16} {
		if tensor, err := array.Tensor(t, nil); err == nil {
			return tensor
		}
	}
	return nil
}

// repeat sets the elements of t to those of given in turn.
func repeat(t, given *ir.Tensor) {
	if t.ElementType() == given.ElementType() {
		if t.ElementType() == ir.String {
			for i := range t.Strings() {
				t.Strings()[i] = given.Strings()[i%given.Len()]
			}
			return
		}
		for done := 0; done < len(t.Bytes()); {
			done += copy(t.Bytes()[done:], given.Bytes())
		}
		return
	}
	from, to := reader(given), writer(t)
	if from == nil || to == nil {
		return
	}
	for i := range t.Len() {
		to(i, from(i%given.Len()))
	}
}

// fill sets the elements of t to random small numbers.
func fill(rng *rand.Rand, t *ir.Tensor) bool {
	if t.ElementType() == ir.String {
		for i := range t.Strings() {
			t.Strings()[i] = strings.Repeat("ab ", rng.IntN(3))
		}
		return true
	}
	to := writer(t)
	if to == nil {
		for i := range t.Bytes() { // types of other sizes
			t.Bytes()[i] = uint8(rng.Uint32())
		}
		return true
	}
	for i := range t.Len() {
		if t.ElementType().IsReal() {
			to(i, rng.Float64()*4-2)
		} else {
			to(i, float64(rng.IntN(4)))
		}
	}
	return true
}
