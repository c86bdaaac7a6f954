package main

import (
	"math"
	"reflect"
	"sort"

	"github.com/vinoir/vinoir/ir"
)

// inBin reports whether a Constant is in a .bin, or would be if that was read. Those of an ONNX
// model, and those that a document has as text, are not.
func inBin(layer *ir.Layer) bool { return layer.Const.Size > 0 || layer.Constant == nil }

// bytesOf returns the size of a Constant in bytes.
func bytesOf(layer *ir.Layer) uint64 {
	if inBin(layer) {
		return layer.Const.Size
	}
	return uint64(len(rawBytes(layer.Constant)))
}

// rawBytes returns the bytes of a tensor, without an aligned copy; nil for strings.
func rawBytes(t *ir.Tensor) []byte {
	if raw := t.Unaligned(); raw != nil {
		return raw
	}
	return t.Bytes()
}

// elementsOf returns the number of elements of a Constant.
func elementsOf(layer *ir.Layer) uint64 {
	bits, size := uint64(ir.AttributesOf(layer).ElementType("element_type", ir.Dynamic).Bits()), bytesOf(layer)
	switch {
	case bits == 0: // strings
		return 0
	case bits < 8: // the last byte may have room for more elements
		if size > math.MaxUint64/8 {
			return math.MaxUint64
		}
		return size * 8 / bits
	}
	return size / (bits / 8)
}

// usedBytes returns the number of bytes of the .bin, or of memory, that the Constants of a model
// are in. Bytes that several of them share count once.
func usedBytes(constants []*ir.Layer) uint64 {
	var file, memory []ir.ConstRange
	for _, layer := range constants {
		if inBin(layer) {
			file = append(file, layer.Const)
		} else if data := rawBytes(layer.Constant); len(data) > 0 {
			memory = append(memory, ir.ConstRange{Offset: uint64(reflect.ValueOf(data).Pointer()), Size: uint64(len(data))})
		}
	}
	return saturated(covered(file), covered(memory))
}

// covered returns the number of bytes that are in at least one of the ranges. It sorts them.
func covered(ranges []ir.ConstRange) uint64 {
	sort.Slice(ranges, func(i, j int) bool { return ranges[i].Offset < ranges[j].Offset })
	var bytes, end uint64
	for _, r := range ranges {
		if last := saturated(r.Offset, r.Size); last > end {
			bytes += last - max(r.Offset, end)
			end = last
		}
	}
	return bytes
}
