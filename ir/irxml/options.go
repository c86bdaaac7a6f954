package irxml

import "math"

// ReadOptions specifies how a model is read. The zero value reads an IR and its .bin into
// memory, within the default limits.
type ReadOptions struct {
	// Bin is the path of the .bin, for ReadFile and ReadFS. "" means the path of the XML, with the
	// extension .bin.
	Bin string
	// NoBin means that the .bin is not read. Constants have a type and a shape, but no value. Most
	// shapes can be inferred without values.
	NoBin bool
	// MMap means that ReadFile maps the .bin into memory instead of reading it, if the system
	// supports that. Call Model.Close when the model is no longer used.
	//
	// The file must not be changed while it is mapped: changed bytes change the weights. If the
	// file is truncated, what reads, infers, compiles, runs or writes the model returns an error. A
	// program that reads a Constant itself has a fault then, which ends it unless
	// debug.SetPanicOnFault makes it a panic. Constants that shapes may depend on are copied out of
	// the mapping: strings, and integers and booleans of at most 8 KiB.
	MMap bool
	// Limits bounds the resources that reading a file takes.
	Limits Limits
}

// Limits bounds the resources that reading takes, whatever the file contains. A zero field
// means the default, which is far above the needs of real models.
type Limits struct {
	// XMLBytes is the largest size of the XML: 1 GiB.
	XMLBytes int64
	// Layers is the largest number of layers, including layers in bodies: 4,000,000.
	Layers int
	// Depth is the largest nesting depth of XML elements: 256.
	Depth int
	// Bodies is the largest nesting depth of bodies of If, Loop and TensorIterator layers: 32.
	Bodies int
	// Attributes is the largest number of attributes of an XML element: 1,024.
	Attributes int
	// BinBytes is the largest size of the .bin: 64 GiB.
	BinBytes int64
	// TensorBytes is the largest size of a Constant: 16 GiB.
	TensorBytes int64
	// CopiedBytes bounds the memory of Constants in addition to the .bin: strings, and elements
	// that must be copied because of their alignment or byte order. The default is 256 MiB plus
	// four times the size of the .bin.
	CopiedBytes int64
}

// withDefaults returns l with zero fields replaced by their defaults, except CopiedBytes.
func (l Limits) withDefaults() Limits {
	setDefault(&l.XMLBytes, 1<<30)
	setDefault(&l.Layers, 4_000_000)
	setDefault(&l.Depth, 256)
	setDefault(&l.Bodies, 32)
	setDefault(&l.Attributes, 1024)
	setDefault(&l.BinBytes, 64<<30)
	setDefault(&l.TensorBytes, 16<<30)
	l.XMLBytes = min(l.XMLBytes, math.MaxInt)
	l.BinBytes = min(l.BinBytes, math.MaxInt)
	return l
}

func setDefault[T int | int64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
