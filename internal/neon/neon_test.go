package neon

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// arrangements are all of those of whole registers.
var arrangements = []arrangement{b8, b16, h4, h8, s2, s4, d1, d2}

// try adds an instruction if the operands fit it.
func try(f *Func, name string, operands ...any) {
	n := len(f.code)
	defer func() {
		if recover() != nil {
			f.code = f.code[:n]
		}
	}()
	f.Emit(name, operands...)
}

// everything adds each instruction with all the arrangements that it takes.
func everything(f *Func) {
	a, b, c := f.Vec(), f.Vec(), f.Vec()
	for _, v := range []Vec{a, b, c} {
		f.SetConstant(v, 0)
	}
	names := slices.Sorted(maps.Keys(vectorInstructions))
	for _, name := range slices.Clone(names) {
		if slices.Contains(upper, vectorInstructions[name].form) {
			names = append(names, name+"2")
		}
	}
	scalars := []arrangement{scalarB, scalarH, scalarS, scalarD}
	for _, name := range names {
		before := len(f.code)
		for _, x := range append(slices.Clone(arrangements), scalars...) {
			for _, y := range arrangements {
				try(f, name, a.as(x), b.as(y))
				for _, shift := range []int{0, 1, 8<<y.size - 1, 8 << y.size, 8<<x.size - 1, 8 << x.size} {
					try(f, name, a.as(x), b.as(y), shift)
				}
				for _, z := range arrangements {
					try(f, name, a.as(x), b.as(y), c.as(z))
				}
				for lane := range 8 {
					for _, z := range []arrangement{h8, s4, d2} {
						if lane < z.lanes {
							try(f, name, a.as(x), b.as(y), c.as(z).Lane(lane))
						}
					}
				}
			}
		}
		if len(f.code) == before {
			panic(name + " takes nothing")
		}
	}
	r, index := f.Reg(), f.Reg()
	f.Move(r, 0)
	f.Move(index, 0)
	group := f.Group(4)
	for _, v := range group {
		f.SetConstant(v, 0)
	}
	for _, x := range arrangements {
		for _, y := range arrangements {
			for _, z := range arrangements {
				try(f, "ext", a.as(x), b.as(y), c.as(z), x.lanes-1)
			}
		}
		for lane := range x.lanes {
			if x.full() == 0 {
				break
			}
			for _, y := range arrangements {
				try(f, "dup", a.as(y), b.as(x).Lane(lane))
			}
			f.Emit("ins", a.as(x).Lane(lane), b.as(x).Lane(x.lanes-1-lane))
			f.Emit("ins", a.as(x).Lane(lane), r)
			f.Emit("umov", r, a.as(x).Lane(lane))
			try(f, "smov", r, a.as(x).Lane(lane))
			f.Emit("ld1", a.as(x).Lane(lane), At(r))
			f.Emit("ld1", a.as(x).Lane(lane), At(r).Post(1<<x.size))
			f.Emit("st1", a.as(x).Lane(lane), At(r).PostReg(index))
			for k := 2; k <= 4; k++ {
				var list []any
				for _, v := range group[:k] {
					list = append(list, v.as(x).Lane(lane))
				}
				f.Emit(fmt.Sprint("st", k), append(list, At(r).PostReg(index))...)
				f.Emit(fmt.Sprint("ld", k), append(list, At(r).Post(k<<x.size))...)
			}
		}
		if x != d1 {
			f.Emit("dup", a.as(x), r)
		}
		f.Emit("ld1r", a.as(x), At(r))
		f.Emit("ld1r", a.as(x), At(r).Post(1<<x.size))
		for k := 1; k <= 4; k++ {
			var list []any
			for _, v := range group[:k] {
				list = append(list, v.as(x))
			}
			with := func(m Mem) []any { return append(slices.Clone(list), m) }
			bytes := k * x.lanes << x.size
			for _, n := range []string{"1", fmt.Sprint(k)} {
				if n != "1" && x == d1 {
					continue
				}
				f.Emit("ld"+n, with(At(r))...)
				f.Emit("ld"+n, with(At(r).Post(bytes))...)
				f.Emit("st"+n, with(At(r).PostReg(index))...)
			}
			if x == b16 {
				for _, d := range []arrangement{b8, b16} {
					f.Emit("tbl", append(append([]any{a.as(d)}, list...), b.as(d))...)
					f.Emit("tbx", append(append([]any{a.as(d)}, list...), b.as(d))...)
				}
			}
		}
	}
	f.Emit("mov", a, b)
	for _, x := range append(scalars, scalarQ) {
		for _, m := range []Mem{At(r), At(r).Plus(4080), At(r).Plus(-3), At(r).Post(16), At(r).Pre(-256), At(r).Index(index, 0), At(r).Index(index, x.size)} {
			f.Emit("ldr", a.as(x), m)
			f.Emit("str", b.as(x), m)
		}
		for _, m := range []Mem{At(r), At(r).Plus(-64 << x.size), At(r).Post(63 << x.size), At(r).Pre(1 << x.size)} {
			if x.size >= 2 {
				f.Emit("ldp", a.as(x), b.as(x), m)
				f.Emit("stp", a.as(x), b.as(x), m)
			}
		}
	}
	for _, bits := range []uint32{0, 1, 0xff, 0xab00, 0xcd0000, 0x80000000, 0xffffff7f, 0x7fffffff, 0x3f800000, 0xc0400000, 0x3e000000, 0x41f80000} {
		f.SetConstant(a, bits)
	}
	f.Return()
}

// word matches an instruction that is written as a word.
var word = regexp.MustCompile(`WORD \$0x([0-9a-f]{8}) // (.*)`)

// TestEncodings compares the words of all instructions with what GNU's disassembler makes of them.
func TestEncodings(t *testing.T) {
	const disassembler = "aarch64-linux-gnu-objdump"
	if _, err := exec.LookPath(disassembler); err != nil {
		t.Skipf("SKIPPED: no %s", disassembler)
	}
	file := New("test")
	everything(file.Func("func everything()", "everything does nothing useful."))
	found := word.FindAllStringSubmatch(string(file.Assembly()), -1)
	require.Greater(t, len(found), 2000)
	var binaryCode []byte
	for _, m := range found {
		var w uint32
		_, err := fmt.Sscanf(m[1], "%x", &w)
		require.NoError(t, err)
		binaryCode = binary.LittleEndian.AppendUint32(binaryCode, w)
	}
	path := filepath.Join(t.TempDir(), "code")
	require.NoError(t, os.WriteFile(path, binaryCode, 0o600))
	out, err := exec.Command(disassembler, "-D", "-b", "binary", "-m", "aarch64", "-M", "no-aliases", path).Output()
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^ +[0-9a-f]+:\t[0-9a-f]{8} \t(.*)$`)
	got := line.FindAllStringSubmatch(string(out), -1)
	require.Len(t, got, len(found))
	for i, m := range found {
		assert.Equal(t, plainText(m[2]), plainText(got[i][1]), m[1])
	}
}

var (
	dotLane = regexp.MustCompile(`\.(4b|2h)\[`)
	list    = regexp.MustCompile(`\{v(\d+)(\.\d*[bhsd])-v(\d+)\.\d*[bhsd]\}`)
)

// plainText makes the two ways to write an instruction equal: aliases, and the ways to write lists
// and constants.
func plainText(s string) string {
	s, _, _ = strings.Cut(s, "\t//")
	s = strings.Join(strings.Fields(s), " ")
	s = dotLane.ReplaceAllString(s, ".s[")
	s = list.ReplaceAllStringFunc(s, func(l string) string {
		m := list.FindStringSubmatch(l)
		var first, last int
		fmt.Sscan(m[1], &first)
		fmt.Sscan(m[3], &last)
		var names []string
		for i := first; i <= last; i++ {
			names = append(names, fmt.Sprintf("v%d%s", i, m[2]))
		}
		return "{" + strings.Join(names, ", ") + "}"
	})
	return s
}

// TestAllocation checks that registers which hold values at the same time differ, also around a
// loop, and that others share one.
func TestAllocation(t *testing.T) {
	file := New("test")
	f := file.Func("func sum(n int, x *float32, scale float32) (bits int)", "sum is a test.")
	n, x, scale := f.Arg("n"), f.Arg("x"), f.ArgVec("scale")
	sum, v := f.Constant(0), f.Vec()
	f.Label("loop")
	f.Emit("ldr", v.Q(), At(x).Post(16))
	f.Emit("fmla", sum, v, scale)
	f.Emit("subs", n, n, 4)
	f.Branch("bgt", "loop")
	last, r := f.Vec(), f.Reg()
	f.Emit("faddp", last, sum, sum)
	f.Emit("umov", r, last.D2().Lane(0))
	f.Result("bits", r)
	f.Return()
	text := string(file.Assembly())
	assert.Contains(t, text, "TEXT ·sum(SB), NOSPLIT, $0-32")
	assert.Contains(t, text, "MOVWU scale+16(FP), R2")
	assert.Contains(t, text, "MOVD R0, bits+24(FP)")
	assert.Contains(t, text, "fmla v1.4s, v2.4s, v0.4s")
	assert.Contains(t, text, "faddp v0.4s, v1.4s, v1.4s")
	assert.Contains(t, string(file.Stubs()), "// sum is a test.\n//\n//go:noescape\nfunc sum(")
}

// TestAllocation_groups checks that the registers of a group follow each other where others are
// taken.
func TestAllocation_groups(t *testing.T) {
	file := New("test")
	f := file.Func("func groups(x *float32)")
	x, first, group := f.Arg("x"), f.Vec(), f.Group(3)
	f.Emit("ldr", first.Q(), At(x))
	f.Emit("ld3", group[0], group[1], group[2], At(x))
	f.Emit("fadd", first, first, group[2])
	f.Emit("st1", group[0], group[1], group[2], At(x).Post(48))
	f.Emit("str", first.Q(), At(x))
	f.Return()
	assert.Contains(t, string(file.Assembly()), "ld3 {v0.4s, v1.4s, v2.4s}, [x0]")
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		code func(f *Func)
		want string
	}{
		"unknown":        {func(f *Func) { f.Emit("vaddps", f.Vec(), f.Vec(), f.Vec()) }, "unknown instruction vaddps"},
		"arrangements":   {func(f *Func) { f.Emit("fadd", f.Vec(), f.Vec().D2(), f.Vec()) }, "fadd with"},
		"few operands":   {func(f *Func) { f.Emit("fadd", f.Vec(), f.Vec()) }, "fadd with"},
		"shift":          {func(f *Func) { f.Emit("shl", f.Vec(), f.Vec(), 32) }, "shl with"},
		"offset":         {func(f *Func) { f.Emit("ldr", f.Vec().Q(), At(f.Reg()).Plus(70000)) }, "ldr"},
		"no group":       {func(f *Func) { f.Emit("ld2", f.Vec(), f.Vec(), At(f.Reg())) }, "ld2"},
		"post increment": {func(f *Func) { f.Emit("ld1", f.Vec(), At(f.Reg()).Post(8)) }, "ld1"},
		"branch":         {func(f *Func) { f.Branch("jmp", "x") }, "unknown branch jmp"},
		"parameter":      {func(f *Func) { f.Arg("y") }, "no parameter y"},
		"general":        {func(f *Func) { f.Emit("add", f.Reg(), f.Reg()) }, "add with"},
		"unset": {func(f *Func) {
			f.Emit("fadd", f.Vec(), f.Vec(), f.Vec())
			f.Return()
		}, "reads a register before it is set"},
		"no label": {func(f *Func) {
			f.Branch("b", "nowhere")
		}, "no label nowhere"},
		"two labels": {func(f *Func) {
			f.Label("a")
			f.Label("a")
			f.Return()
		}, "the label a twice"},
		"too many": {func(f *Func) {
			sum, v := f.Constant(0), f.Vecs(32)
			for _, x := range v {
				f.SetConstant(x, 0)
			}
			for _, x := range v {
				f.Emit("fadd", sum, sum, x)
			}
			f.Return()
		}, "too many registers"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() { assert.Contains(t, fmt.Sprint(recover()), c.want) }()
			file := New("test")
			c.code(file.Func("func mistake(x *float32)"))
			file.Assembly()
			t.Error("no panic")
		})
	}
}

func TestFunc_signatures(t *testing.T) {
	file := New("test")
	f := file.Func("func all(a bool, b int8, c uint16, d float64, e []byte, g unsafe.Pointer) (h int32, i bool)", "all is a test.")
	assert.Equal(t, map[string]parameter{
		"a": {"a", 0, 1}, "b": {"b", 1, 1}, "c": {"c", 2, 2}, "d": {"d", 8, 8}, "e_base": {"e_base", 16, 8},
		"e_len": {"e_len", 24, 8}, "e_cap": {"e_cap", 32, 8}, "g": {"g", 40, 8}, "h": {"h", 48, 4}, "i": {"i", 52, 1},
	}, f.params)
	assert.Equal(t, 53, f.argSize)
	assert.Contains(t, string(file.Stubs()), "import \"unsafe\"")
	file.Data("powers", 1, 2, 4)
	assert.Contains(t, string(file.Assembly()), "GLOBL powers<>(SB), RODATA|NOPTR, $16")
	assert.Panics(t, func() { file.Data("powers") })
	assert.Panics(t, func() { file.Func("func f(x map[int]int)") })
}
