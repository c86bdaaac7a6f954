package lowbit

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// lanes is the number of columns whose codes of 4 bits are next to each other. Each has 4 bytes for
// eight rows.
const lanes = 16

// Codes are the packed codes of a matrix. For each block of columns, and in it each octet of rows,
// there are
//
//   - for 4 bits, 4 bytes for each column, with the codes of the rows from the low bits to the high
//     ones;
//   - for 8 bits, one byte for each column, and this for each row;
//   - for 8 bits and spans, 4 bytes for each column, with the codes of four rows, and this twice.
//
// The rows that a group does not have have the code 0.
type Codes struct {
	*Layout
	data []byte
}

// CodesBytes returns the bytes that Pack takes.
func (l *Layout) CodesBytes() int64 {
	return memory.Size[byte](l.blocks, l.groups, l.octets, l.octetBytes)
}

// Source says where the codes of a matrix are. Row k of column j is code First + k*RowStride +
// j*ColStride.
type Source struct {
	// Bytes has the codes as a tensor of u2, u3, u4 or u8 has them.
	Bytes []byte
	// Bits is the size of a code in Bytes: Format.Bits, or 2 or 3 for a format of 4.
	Bits                        int
	First, RowStride, ColStride int
}

// Pack packs codes. It ends early if stop is requested.
func (l *Layout) Pack(stop parallel.Stop, src *Source) *Codes {
	c := &Codes{l, memory.Bytes(l.blocks * l.blockBytes)}
	meter := stop.Meter()
	for column := range l.n {
		block := c.data[column/Columns*l.blockBytes:]
		for g := range l.groups {
			for o := range l.octets {
				if meter.Spent(16) {
					return c
				}
				first := g*l.length + 8*o
				rows := min(8, (g+1)*l.length-first, l.depth-first)
				if rows <= 0 {
					break
				}
				l.store(block[(g*l.octets+o)*l.octetBytes:], column%Columns, l.gather(src, src.First+first*src.RowStride+column*src.ColStride, rows))
			}
		}
	}
	return c
}

// gather returns up to eight codes of a column, from the low bits to the high ones. The first is
// code number at.
func (l *Layout) gather(src *Source, at, rows int) (codes uint64) {
	stride := src.RowStride
	switch {
	case src.Bits < 4 && stride == 1 && at%8 == 0:
		codes = uint64(src.octet(at/8)) & (1<<(4*rows) - 1)
	case src.Bits < 4:
		for j := range rows {
			i := at + j*stride
			codes |= uint64(src.octet(i/8)>>(i%8*4)&15) << (4 * j)
		}
	case src.Bits == 8:
		if from := src.Bytes[at:]; stride == 1 && len(from) >= 8 {
			codes = binary.LittleEndian.Uint64(from) & (1<<(8*rows) - 1)
			break
		}
		for j := range rows {
			codes |= uint64(src.Bytes[at+j*stride]) << (8 * j)
		}
	default:
		if from := src.Bytes[at/2:]; stride == 1 && at%2 == 0 && len(from) >= 4 {
			codes = uint64(binary.LittleEndian.Uint32(from)) & (1<<(4*rows) - 1)
			break
		}
		for j := range rows {
			i := at + j*stride
			codes |= uint64(src.Bytes[i/2]>>(i%2*4)&15) << (4 * j)
		}
	}
	if l.Signed && l.Bits == 8 {
		codes ^= 0x8080808080808080
	} else if l.Signed {
		codes ^= 0x88888888
	}
	return codes
}

// octet returns eight codes of 2 or 3 bits in 4 bits each.
func (s *Source) octet(i int) uint32 {
	if s.Bits == 2 { // the first in the low bits
		from := s.Bytes[2*i:]
		v := uint32(from[0])
		if len(from) > 1 {
			v |= uint32(from[1]) << 8
		}
		return spread(v)
	}
	// Two bytes of low bits and one of high bits, with the first in the highest bits.
	from := s.Bytes[3*i:][:3]
	high := uint32(from[2])
	high = (high | high<<12) & 0x000f000f
	high = (high | high<<6) & 0x03030303
	high = (high | high<<3) & 0x11111111
	v := bits.ReverseBytes32(spread(uint32(from[0])<<8|uint32(from[1])) | high<<2)
	return v>>4&0x0f0f0f0f | v<<4&0xf0f0f0f0
}

// spread moves eight numbers of 2 bits to 4 bits each.
func spread(v uint32) uint32 {
	v = (v | v<<8) & 0x00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f
	return (v | v<<2) & 0x33333333
}

// store writes eight codes of a column to its place in an octet of a block.
func (l *Layout) store(octet []byte, column int, codes uint64) {
	if l.Bits == 4 {
		binary.LittleEndian.PutUint32(octet[column/lanes*64+column%lanes*4:], uint32(codes))
		return
	}
	if l.Spans {
		binary.LittleEndian.PutUint32(octet[4*column:], uint32(codes))
		binary.LittleEndian.PutUint32(octet[4*(Columns+column):], uint32(codes>>32))
		return
	}
	octet = octet[:8*Columns]
	for j := range 8 {
		octet[j*Columns+column] = byte(codes >> (8 * j))
	}
}

// Factors are scales or zero points: one for each group and column, or the same for all.
type Factors struct {
	data      []byte
	half      bool // they are f16, without loss; else f32
	groupStep int  // bytes from one group to the next
	blockStep int  // bytes from one block to the next
}

// FactorsBytes returns the bytes that PackFactors takes at most.
func (l *Layout) FactorsBytes() int64 {
	if l.parts {
		return memory.Size[float32](l.blocks, Columns)
	}
	return memory.Size[float32](l.blocks, l.groups, Columns)
}

// PackFactors packs the scales or zero points that value returns. It ends early if stop is
// requested.
func (l *Layout) PackFactors(stop parallel.Stop, value func(group, column int) float32) *Factors {
	groups := l.groups
	if l.parts {
		groups = 1
	}
	f := &Factors{half: true}
	var list [Columns]float32
	each := func(use func(i int)) {
		for block := range l.blocks {
			for g := range groups {
				if stop.Requested() {
					return
				}
				clear(list[:])
				for j := range min(Columns, l.n-block*Columns) {
					list[j] = value(g, block*Columns+j)
				}
				use(block*groups + g)
			}
		}
	}
	each(func(int) { f.half = f.half && isHalf(&list) })
	size := 4 * Columns
	if f.half {
		size = 2 * Columns
	}
	f.data = memory.Bytes(l.blocks * groups * size)
	each(func(i int) { f.set(i, &list) })
	f.blockStep = groups * size
	if !l.parts {
		f.groupStep = size
	}
	return f
}

// Same returns factors that all equal v.
func Same(v float32) *Factors {
	var list [Columns]float32
	for i := range list {
		list[i] = v
	}
	f := &Factors{half: isHalf(&list), data: memory.Bytes(4 * Columns)}
	f.set(0, &list)
	return f
}

// isHalf reports whether f16 holds all numbers of list.
func isHalf(list *[Columns]float32) bool {
	var narrow [Columns]uint16
	var wide [Columns]float32
	half.F32sToF16s(narrow[:], list[:])
	half.F16sToF32s(wide[:], narrow[:])
	return wide == *list
}

// set sets vector i of the factors.
func (f *Factors) set(i int, list *[Columns]float32) {
	for j, v := range list {
		if f.half {
			binary.NativeEndian.PutUint16(f.data[2*(i*Columns+j):], half.F32ToF16(v))
		} else {
			binary.NativeEndian.PutUint32(f.data[4*(i*Columns+j):], math.Float32bits(v))
		}
	}
}

// at returns the factor of a group and a column of a block.
func (f *Factors) at(block, group, column int) float32 {
	from := f.data[block*f.blockStep+group*f.groupStep:]
	if f.half {
		return half.F16ToF32(binary.NativeEndian.Uint16(from[2*column:]))
	}
	return math.Float32frombits(binary.NativeEndian.Uint32(from[4*column:]))
}
