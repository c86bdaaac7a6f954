package irxml

import "math"

// ReadOptions says how a model is read. The zero value reads an IR with its .bin
// into memory, within the default limits.
type ReadOptions struct {
	// Bin is the path of the .bin; "" is the path of the XML with .bin in place
	// of its extension. It is used by ReadFile and ReadFS.
	Bin string
	// NoBin leaves the .bin alone: Constants keep their type and shape, and have
	// no value. It is enough for most shapes, and needs no weights at hand.
	NoBin bool
	// MMap maps the .bin into memory rather than reading it, where the system can;
	// only ReadFile does so. Call Model.Close when the model is no longer used.
	//
	// The file must not change while it is mapped: its new bytes would show in the
	// weights, and a file that was cut short ends the process with SIGBUS. What
	// shapes depend on is copied out of the mapping: strings, and integers
	// and booleans of at most 8 KiB.
	MMap bool
	// Limits bound what a file can make the reader do.
	Limits Limits
}

// Limits bound the resources that reading takes, whatever the file says. A zero
// field is its default, which no real model meets.
type Limits struct {
	// XMLBytes is the largest size of the XML: 1 GiB.
	XMLBytes int64
	// Layers is the largest number of layers, those in bodies included: 4,000,000.
	Layers int
	// Depth is how deep XML elements may nest: 256.
	Depth int
	// Bodies is how deep bodies of If, Loop and TensorIterator layers may nest: 32.
	Bodies int
	// Attributes is the largest number of attributes of one XML element: 1,024.
	Attributes int
	// BinBytes is the largest size of the .bin: 64 GiB.
	BinBytes int64
	// TensorBytes is the largest size of one Constant: 16 GiB.
	TensorBytes int64
	// CopiedBytes bounds what Constants take besides the .bin: strings, and bytes
	// that do not lie as the machine needs them. The default is 256 MiB and four
	// times the size of the .bin.
	CopiedBytes int64
}

// withDefaults returns l with its zero fields replaced, but for CopiedBytes.
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
