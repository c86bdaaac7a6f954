// Command _neon generates the NEON assembly of package lowbit.
package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// The layout of job in kernel_asm.go.
const (
	jobCodes, jobX, jobOut        = 0, 8, 16
	jobScales, jobZeros, jobTable = 24, 32, 40
	jobGroups, jobOctets          = 48, 56
	jobStepX, jobStepOut          = 64, 72
	jobStepScales, jobStepZeros   = 80, 88
	jobHalves                     = 96
	jobStepX2, jobStepX3          = 104, 112
)

// The numbers of the bits of job.halves.
const (
	halfScales = iota
	halfZeros
)

const (
	// columns is the number of columns of a block.
	columns = 32
	// panelColumns is the number of columns of a panel of package gemm.
	panelColumns = 12
	// octetBytes are those of the codes of 4 bits of eight rows of a block.
	octetBytes = 4 * columns
)

func main() {
	neon.Main(func(file *neon.File) {
		for _, k := range []kind{nibbles, looked, bytes, floats} {
			rowsFunction(file, k, 1)
			if k != looked {
				rowsFunction(file, k, 2)
				rowsFunction(file, k, 4)
			}
			expandFunction(file, k)
		}
		for _, k := range []kind{nibbles, bytes} {
			for _, rows := range []int{1, 2, 4} {
				spans(file, k, rows)
			}
		}
		roundSpans(file)
	})
}

// kind is how codes become numbers.
type kind int

const (
	nibbles kind = iota // unsigned integers of 4 bits
	looked              // 4 bits, the index of a number in a table
	bytes               // unsigned integers of 8 bits
	floats              // floating-point numbers of 8 bits
)

func (k kind) String() string { return [...]string{"Nibbles", "Table", "Bytes", "Floats"}[k] }

// field loads a field of a job.
func field(f *neon.Func, job neon.Reg, at int) neon.Reg {
	r := f.Reg()
	f.Emit("ldr", r, neon.At(job).Plus(at))
	return r
}

// factors loads the numbers of vectors of columns, from f16 if a bit of halves is set, and moves on
// to the next group.
func factors(f *neon.Func, from, step, halves neon.Reg, bit int, to []neon.Vec) {
	half, loaded := f.Unique("half"), f.Unique("loaded")
	f.BitSet(halves, bit, half)
	for i, v := range to {
		f.Emit("ldr", v.Q(), neon.At(from).Plus(16*i))
	}
	f.Branch("b", loaded)
	f.Label(half)
	for i, v := range to {
		f.Emit("ldr", v.D(), neon.At(from).Plus(8*i))
		f.Emit("fcvtl", v, v.H4())
	}
	f.Label(loaded)
	f.Emit("add", from, from, step)
}

// decoder has the constants that decode codes.
type decoder struct {
	f     *neon.Func
	file  *neon.File
	name  string // of the function
	kind  kind
	masks []neon.Vec // of the rows of an octet of nibbles, or of its even rows if there is a table
	// pick has the indices that make a byte of each column a lane of 32 bits. Of a table, there are
	// four times the lower ones, and bytes has the indices of the bytes of a number.
	pick  []neon.Vec
	bytes neon.Vec
	table []neon.Vec
	// by what the bits of a float in the high byte of an f16 are shifted; masks has those that stay
	right neon.Vec
}

// newDecoder sets the constants. vectors is the number of vectors whose codes of 8 bits are loaded
// together.
func newDecoder(file *neon.File, f *neon.Func, name string, k kind, job neon.Reg, vectors int) *decoder {
	d := &decoder{file: file, f: f, name: name, kind: k}
	switch k {
	case nibbles:
		for j := range 8 {
			d.masks = append(d.masks, f.Constant(15<<(4*j)))
		}
	case bytes:
		for i := range vectors { // bytes 4*i to 4*i+3, and zeros, for which the index is too large
			d.pick = append(d.pick, d.constant(fmt.Sprint("columns", i), func(lane, b int) uint32 {
				if b > 0 {
					return 0xff
				}
				return uint32(4*i + lane)
			}))
		}
	case floats:
		for i := range vectors { // bytes 4*i to 4*i+3 in the high halves of 16 bits
			d.pick = append(d.pick, d.constant(fmt.Sprint("columns", i), func(lane, b int) uint32 {
				if b%2 == 0 || lane > 1 {
					return 0xff
				}
				return uint32(4*i + 2*lane + b/2)
			}))
		}
		d.right, d.masks = f.Vec(), f.Vecs(1)
		table := field(f, job, jobTable)
		f.Emit("add", table, table, 8)
		f.Emit("ld1r", d.masks[0].H8(), neon.At(table))
		f.Emit("add", table, table, 8)
		f.Emit("ld1r", d.right.H8(), neon.At(table))
	case looked:
		d.table = f.Group(4)
		var list []any
		for _, v := range d.table {
			list = append(list, v.B16())
		}
		f.Emit("ld1", append(list, neon.At(field(f, job, jobTable)))...)
		for j := range 4 {
			d.pick = append(d.pick, d.constant(fmt.Sprint("rows", j), func(lane, _ int) uint32 { return uint32(4*lane + j) }))
		}
		d.bytes = f.Constant(0x03020100)
		d.masks = []neon.Vec{f.Constant(0x3c3c3c3c)}
	}
	return d
}

// constant loads a vector of bytes from the data of the file, which it adds to it.
func (d *decoder) constant(name string, of func(lane, b int) uint32) neon.Vec {
	var words [4]uint32
	for lane := range words {
		for b := range 4 {
			words[lane] |= of(lane, b) << (8 * b)
		}
	}
	name = d.name + name
	d.file.Data(name, words[:]...)
	v := d.f.Vec()
	d.f.Emit("ldr", v.Q(), neon.At(d.f.Address(name)))
	return v
}

// indices returns four times the codes of the even rows of an octet, and of the odd ones, for a
// table.
func (d *decoder) indices(v neon.Vec) (even, odd neon.Vec) {
	even, odd = d.f.Vec(), d.f.Vec()
	d.f.Emit("shl", even.H8(), v.H8(), 2)
	d.f.Emit("ushr", odd.H8(), v.H8(), 2)
	d.f.Emit("and", even.B16(), even.B16(), d.masks[0].B16())
	d.f.Emit("and", odd.B16(), odd.B16(), d.masks[0].B16())
	return even, odd
}

// item is a row of a vector of columns: the codes of its octet, or of 8 bits those of its row, for
// a table what indices returns. vector is the place of the columns in the codes of 8 bits, and in
// the zero points.
type item struct {
	codes       neon.Vec
	vector, row int
}

// numbers decodes items, less the zero points. The steps of the items alternate, since each waits
// for the one before.
func (d *decoder) numbers(items []item, zero []neon.Vec) []neon.Vec {
	f, out := d.f, make([]neon.Vec, len(items))
	each := func(use func(v neon.Vec, i item)) {
		for n, i := range items {
			use(out[n], i)
		}
	}
	for n := range out {
		out[n] = f.Vec()
	}
	switch d.kind {
	case nibbles: // the bits below those of the code are no fraction
		each(func(v neon.Vec, i item) { f.Emit("and", v.B16(), i.codes.B16(), d.masks[i.row].B16()) })
		each(func(v neon.Vec, i item) {
			if i.row == 0 {
				f.Emit("ucvtf", v, v)
			} else {
				f.Emit("ucvtf#", v, v, 4*i.row)
			}
		})
	case bytes:
		each(func(v neon.Vec, i item) { f.Emit("tbl", v.B16(), i.codes.B16(), d.pick[i.vector].B16()) })
		each(func(v neon.Vec, _ item) { f.Emit("ucvtf", v, v) })
	case floats:
		each(func(v neon.Vec, i item) { f.Emit("tbl", v.B16(), i.codes.B16(), d.pick[i.vector].B16()) })
		each(func(v neon.Vec, _ item) { f.Emit("sshl", v.H8(), v.H8(), d.right.H8()) })
		each(func(v neon.Vec, _ item) { f.Emit("and", v.B16(), v.B16(), d.masks[0].B16()) })
		each(func(v neon.Vec, _ item) { f.Emit("fcvtl", v, v.H4()) })
	case looked:
		each(func(v neon.Vec, i item) {
			f.Emit("tbl", v.B16(), i.codes.B16(), d.pick[i.row/2].B16())
		})
		each(func(v neon.Vec, _ item) { f.Emit("orr", v.B16(), v.B16(), d.bytes.B16()) })
		each(func(v neon.Vec, _ item) {
			t := d.table
			f.Emit("tbl", v.B16(), t[0].B16(), t[1].B16(), t[2].B16(), t[3].B16(), v.B16())
		})
	}
	each(func(v neon.Vec, i item) { f.Emit("fsub", v, v, zero[i.vector]) })
	return out
}

// rowsFunction generates the function that multiplies rows of x by columns of a block: all for one
// row, half of them for two, a quarter for four.
func rowsFunction(file *neon.File, k kind, rows int) {
	vectors := columns / 4 / rows
	name := fmt.Sprintf("rowsNEON%v_%d", k, rows)
	f := file.Func("func "+name+"(p *byte)",
		fmt.Sprintf("%s adds the products of %d rows to out, for %d columns of a block. p is a job.", name, rows, 4*vectors))
	job := f.Arg("p")
	d := newDecoder(file, f, name, k, job, min(vectors, 4))
	codes, scales, zeros := field(f, job, jobCodes), field(f, job, jobScales), field(f, job, jobZeros)
	groups, halves, out := field(f, job, jobGroups), field(f, job, jobHalves), field(f, job, jobOut)
	lines := []neon.Reg{field(f, job, jobX)}
	for _, at := range []int{jobStepX, jobStepX2, jobStepX3}[:rows-1] {
		line := f.Reg()
		f.Emit("add", line, lines[0], field(f, job, at))
		lines = append(lines, line)
	}
	sums, zero := make([][]neon.Vec, rows), f.Vecs(vectors)
	for row := range sums {
		sums[row] = f.Vecs(vectors)
	}
	f.Label("group")
	factors(f, zeros, field(f, job, jobStepZeros), halves, halfZeros, zero)
	for _, row := range sums {
		for _, s := range row {
			f.SetConstant(s, 0)
		}
	}
	octets := field(f, job, jobOctets)
	f.Label("octet")
	x := make([][]neon.Vec, rows)
	for row := range x {
		x[row] = f.Vecs(2)
		f.Emit("ldp", x[row][0].Q(), x[row][1].Q(), neon.At(lines[row]).Post(32))
	}
	// add multiplies rows of vectors of columns, whose codes of 8 bits are those from vector first
	// on.
	add := func(first int, items ...item) {
		for n, v := range d.numbers(items, zero[first:]) {
			j := items[n].row
			for row := range sums {
				f.Emit("fmla", sums[row][first+items[n].vector], v, x[row][j/4].Lane(j%4))
			}
		}
	}
	switch k {
	case bytes, floats:
		for j := range 8 {
			for i := 0; i < vectors; i += len(d.pick) {
				v := f.Vec()
				switch rows {
				case 1:
					f.Emit("ldr", v.Q(), neon.At(codes).Post(16))
				case 2:
					f.Emit("ldr", v.Q(), neon.At(codes).Post(columns))
				default:
					f.Emit("ldr", v.D(), neon.At(codes).Post(columns))
				}
				var items []item
				for n := range d.pick {
					items = append(items, item{v, n, j})
				}
				add(i, items...)
			}
		}
	case looked:
		for i := range vectors {
			v := f.Vec()
			f.Emit("ldr", v.Q(), neon.At(codes).Post(16))
			even, odd := d.indices(v)
			for j := 0; j < 8; j += 2 {
				add(i, item{even, 0, j}, item{odd, 0, j + 1})
			}
		}
	default:
		for i := 0; i < vectors; i += 2 {
			v := f.Vecs(2)
			step := 32
			if i == vectors-2 { // to the next octet
				step = octetBytes - 16*i
			}
			f.Emit("ldp", v[0].Q(), v[1].Q(), neon.At(codes).Post(step))
			for j := 0; j < 8; j += 2 {
				add(i, item{v[0], 0, j}, item{v[1], 1, j}, item{v[0], 0, j + 1}, item{v[1], 1, j + 1})
			}
		}
	}
	f.Emit("subs", octets, octets, 1)
	f.Branch("bne", "octet")
	scale := zero
	factors(f, scales, field(f, job, jobStepScales), halves, halfScales, scale)
	for row := range sums {
		for i, s := range sums[row] {
			v, at := f.Vec(), neon.At(out).Plus(4*columns*row+16*i)
			f.Emit("ldr", v.Q(), at)
			f.Emit("fmla", v, s, scale[i])
			f.Emit("str", v.Q(), at)
		}
	}
	f.Emit("subs", groups, groups, 1)
	f.Branch("bne", "group")
	f.Return()
}

// expandFunction generates the function that writes four columns of a block as a part of the rows
// of a panel.
func expandFunction(file *neon.File, k kind) {
	name := "expandNEON" + k.String()
	f := file.Func("func "+name+"(p *byte)", name+" sets out to the numbers, for 4 columns of a block. p is a job.")
	job := f.Arg("p")
	d := newDecoder(file, f, name, k, job, 1)
	codes, scales, zeros := field(f, job, jobCodes), field(f, job, jobScales), field(f, job, jobZeros)
	groups, halves, first := field(f, job, jobGroups), field(f, job, jobHalves), field(f, job, jobOut)
	stepScales, stepZeros := field(f, job, jobStepScales), field(f, job, jobStepZeros)
	zero, scale := f.Vecs(1), f.Vecs(1)
	f.Label("group")
	factors(f, zeros, stepZeros, halves, halfZeros, zero)
	factors(f, scales, stepScales, halves, halfScales, scale)
	octets, out := field(f, job, jobOctets), f.Reg()
	f.Emit("mov", out, first)
	f.Label("octet")
	var items []item
	switch k {
	case bytes, floats:
		for j := range 8 {
			v := f.Vec()
			f.Emit("ldr", v.S(), neon.At(codes).Post(columns))
			items = append(items, item{v, 0, j})
		}
	default:
		v := f.Vec()
		f.Emit("ldr", v.Q(), neon.At(codes).Post(octetBytes))
		even, odd := v, v
		if k == looked {
			even, odd = d.indices(v)
		}
		for j := 0; j < 8; j += 2 {
			items = append(items, item{even, 0, j}, item{odd, 0, j + 1})
		}
	}
	for n := 0; n < len(items); n += 4 {
		list := d.numbers(items[n:n+4], zero)
		for _, v := range list {
			f.Emit("fmul", v, v, scale[0])
		}
		for _, v := range list {
			f.Emit("str", v.Q(), neon.At(out).Post(4*panelColumns))
		}
	}
	f.Emit("subs", octets, octets, 1)
	f.Branch("bne", "octet")
	f.Emit("add", first, first, field(f, job, jobStepOut))
	f.Emit("subs", groups, groups, 1)
	f.Branch("bne", "group")
	f.Return()
}
