// Command gen generates the functions of package implicit that pack panels of windows.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, runs := range []int{1, 2, 3} {
		(&packer{name: "AVX512", lanes: 16, runs: runs}).generate()
		(&packer{name: "AVX2", lanes: 8, runs: runs}).generate()
	}
	(&packer{name: "AVX512", lanes: 16}).generateAny()
	(&packer{name: "AVX2", lanes: 8}).generateAny()
	Generate()
}

// The layout of run in pack.go.
const (
	fieldPlace, fieldLanes, runSize = 0, 8, 16
)

// packer generates a function that packs panels of two vectors.
type packer struct {
	name  string
	lanes int
	runs  int // runs of each vector; 0 means any number
	bits  VecVirtual

	dst, src, rows, depth, list Register
}

// start begins a function and loads its parameters.
func (p *packer) start(name string, args string) {
	TEXT(name, NOSPLIT, "func(dst, src *float32, rows *int, depth int, runs *byte"+args+")")
	Pragma("noescape")
	p.dst = Load(Param("dst"), GP64())
	p.src = Load(Param("src"), GP64())
	p.rows = Load(Param("rows"), GP64())
	p.depth = Load(Param("depth"), GP64())
	p.list = Load(Param("runs"), GP64())
	if p.lanes == 8 {
		// Lane i of bits has bit i set.
		p.bits = YMM()
		VMOVDQU(p.bitsTable(), p.bits)
	}
}

// bitsTable returns the data of bits, which all functions share.
func (p *packer) bitsTable() Mem {
	if bitsData == nil {
		m := GLOBL("packBits", RODATA|NOPTR)
		for i := range 8 {
			DATA(4*i, U32(1<<i))
		}
		bitsData = &m
	}
	return *bitsData
}

var bitsData *Mem

// mask loads the mask of a run.
func (p *packer) mask(list Register, at int) Op {
	m := Mem{Base: list, Disp: at + fieldLanes}
	if p.lanes == 16 {
		k := K()
		KMOVW(m, k)
		return k
	}
	mask := YMM()
	VPBROADCASTD(m, mask)
	VPAND(p.bits, mask, mask)
	VPCMPEQD(p.bits, mask, mask)
	return mask
}

// vector returns a register of all lanes.
func (p *packer) vector() VecVirtual {
	if p.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

// load loads the lanes of a run. The first run of a vector sets all other lanes to 0.
func (p *packer) load(m Mem, mask Op, v VecVirtual, first bool) {
	switch {
	case p.lanes == 16 && first:
		VMOVUPS_Z(m, mask, v)
	case p.lanes == 16:
		VMOVUPS(m, mask, v)
	case first:
		VMASKMOVPS(m, mask, v)
	default:
		x := YMM()
		VMASKMOVPS(m, mask, x)
		VORPS(x, v, v)
	}
}

// next advances to the next row and jumps to loop. After the last row, it returns.
func (p *packer) next() {
	ADDQ(Imm(8), p.rows)
	ADDQ(U32(8*p.lanes), p.dst)
	DECQ(p.depth)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// generate generates the function for a fixed number of runs.
func (p *packer) generate() {
	name := fmt.Sprintf("pack%d%s", p.runs, p.name)
	p.start(name, "")
	Doc(
		fmt.Sprintf("%s packs depth rows of a panel of two vectors of %d lanes. The number of runs of", name, p.lanes),
		fmt.Sprintf("each vector is %d. Row i starts at element rows[i] of src.", p.runs),
	)
	places, masks := make([]Register, 2*p.runs), make([]Op, 2*p.runs)
	for i := range places {
		masks[i] = p.mask(p.list, i*runSize)
		places[i] = GP64()
		MOVQ(Mem{Base: p.list, Disp: i*runSize + fieldPlace}, places[i])
		LEAQ(Mem{Base: p.src, Index: places[i], Scale: 4}, places[i])
	}
	Label("loop")
	row := GP64()
	MOVQ(Mem{Base: p.rows}, row)
	for half := range 2 {
		v := p.vector()
		for i := half * p.runs; i < (half+1)*p.runs; i++ {
			p.load(Mem{Base: places[i], Index: row, Scale: 4}, masks[i], v, i == half*p.runs)
		}
		VMOVUPS(v, Mem{Base: p.dst, Disp: 4 * p.lanes * half})
	}
	p.next()
}

// generateAny generates the function for any number of runs.
func (p *packer) generateAny() {
	name := "packAny" + p.name
	p.start(name, ", first, second int")
	Doc(
		fmt.Sprintf("%s packs depth rows of a panel of two vectors of %d lanes. The vectors have", name, p.lanes),
		"first and second runs, at least one each. Row i starts at element rows[i] of src.",
	)
	counts := []Register{Load(Param("first"), GP64()), Load(Param("second"), GP64())}
	Label("loop")
	row, at := GP64(), GP64()
	MOVQ(Mem{Base: p.rows}, row)
	LEAQ(Mem{Base: p.src, Index: row, Scale: 4}, row)
	MOVQ(p.list, at)
	for half, count := range counts {
		v, left, place := p.vector(), GP64(), GP64()
		label := fmt.Sprintf("runs%d", half)
		if p.lanes == 16 {
			VPXORD(v, v, v)
		} else {
			VXORPS(v, v, v)
		}
		MOVQ(count, left)
		Label(label)
		mask := p.mask(at, 0)
		MOVQ(Mem{Base: at, Disp: fieldPlace}, place)
		p.load(Mem{Base: row, Index: place, Scale: 4}, mask, v, false)
		ADDQ(Imm(runSize), at)
		DECQ(left)
		JNE(LabelRef(label))
		VMOVUPS(v, Mem{Base: p.dst, Disp: 4 * p.lanes * half})
	}
	p.next()
}
