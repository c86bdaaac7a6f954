package fft

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	row := func(name, want, err string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: name, Inputs: inputs, Want: want, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row("DFT-7", "f32[4,5,2]", "", "f32[4,5,2]", "i64[1]=0"),
		row("DFT-7", "f16[4,..5,2]", "", "f16[4,..5,2]", "i32[?]"),
		row("DFT-7", "dynamic[4,5,2..3]", "", "dynamic[4,5,2..3]", "dynamic[...]"),
		row("DFT-7", "f32[...]", "", "f32[...]", "i64[2]=0,0", "i64[2]"),
		row("DFT-7", "bf16[4,7,2]", "", "bf16[4,5,2]", "i64[1]=-1", "i64[1]=7"),
		row("DFT-7", "f32[4,0,2]", "", "f32[4,5,2]", "i64[2]=0,1", "i64[2]=-1,-2"),
		row("DFT-7", "f32[3..5,7..,2]", "", "f32[4,5,2]", "i64[2]=0,1", "i64[2]=3..5,7.."),
		row("DFT-7", "f32[..5,..6,2]", "", "f32[4,5,2]", "i64[2]=0,1", "i64[2]=-1..5,-3..6"),
		row("DFT-7", "f32[?,5,2]", "", "f32[4,5,2]", "i64[1]=0", "i32[?]"),
		row("IDFT-7", "f32[?,?,2]", "", "f32[4,5,2]", "i64[1]", "i64[1]=3"),
		row("IDFT-7", "f32[4,5,2]", "", "f32[4,5,2]", "i64[0]=", "i64[?]"),

		row("RDFT-9", "f32[3,5,2]", "", "f32[4,5]", "i64[1]=0"),
		row("RDFT-9", "f32[4,2..4,2]", "", "f32[4,3..7]", "i64[1]=-1"),
		row("RDFT-9", "f32[2..,0,2]", "", "f32[3..,0]", "i64[2]=1,0"),
		row("RDFT-9", "f32[6,4,2]", "", "f32[?,..3]", "i64[2]=0,1", "i64[2]=6,7"),
		row("RDFT-9", "f32[6,1..3,2]", "", "f32[?,1..4]", "i64[2]=0,1", "i64[2]=6,-1"),
		row("RDFT-9", "f32[?,?,3,2]", "", "f32[4,5,3]", "i64[2]=0,1", "i64[2]"),
		row("RDFT-9", "f32[?,?,2]", "", "f32[4,5]", "i64[2]=0,1", "i64[2]=3,4..7"),
		row("RDFT-9", "f32[?,?,2]", "", "f32[4,5]", "i64[1]"),
		row("RDFT-9", "f32[...]", "", "f32[...]", "i64[1]"),

		row("IRDFT-9", "f32[4,8]", "", "f32[4,5,2]", "i64[1]=1"),
		row("IRDFT-9", "f32[0,..4]", "", "f32[0,..3,?]", "i64[2]=0,1"),
		row("IRDFT-9", "f32[4..,?]", "", "f32[3..,?,2]", "i64[1]=0"),
		row("IRDFT-9", "f32[7,9]", "", "f32[4,5,2]", "i64[2]=0,1", "i64[2]=7,9"),
		row("IRDFT-9", "f32[7,8]", "", "f32[4,5,2]", "i64[2]=0,1", "i64[2]=7,-1"),
		row("IRDFT-9", "f32[?,5]", "", "f32[4,5,2]", "i64[1]=0", "i64[1]"),
		row("IRDFT-9", "f32[?,?]", "", "f32[4,5,2]", "i64[2]", "i64[2]=3,4"),
		row("IRDFT-9", "f32[...]", "", "f32[...]", "i64[1]"),
	})
}

func TestRefused(t *testing.T) {
	row := func(name, err string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: name, Inputs: inputs, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row("DFT-7", "data is f64, expected f32, f16 or bf16", "f64[4,2]", "i64[1]"),
		row("DFT-7", "axes is u8, expected i32 or i64", "f32[4,2]", "u8[1]"),
		row("DFT-7", "signal_size is f32, expected i32 or i64", "f32[4,2]", "i64[1]", "f32[1]"),
		row("DFT-7", "axes has shape [], expected rank 1", "f32[...]", "i64[]"),
		row("DFT-7", "signal_size has shape [1,1], expected rank 1", "f32[...]", "i64[1]", "i64[1,1]"),
		row("DFT-7", "data has shape [2], expected rank 2 at least", "f32[2]", "i64[1]"),
		row("DFT-7", "data has shape [4,3..], expected the 2 of complex numbers in dimension 1", "f32[4,3..]", "i64[1]"),
		row("DFT-7", "axes has shape [2], data [4,2] has 1 axes to transform", "f32[4,2]", "i64[2]"),
		row("DFT-7", "axis 1 is outside [-1,0] for rank 1", "f32[4,2]", "i64[1]=1"),
		row("RDFT-9", "axis -3 is outside [-2,1] for rank 2", "f32[4,2]", "i64[1]=-3"),
		row("RDFT-9", "axes [1 -1] names axis 1 twice", "f32[4,2]", "i64[2]=1,-1"),
		row("RDFT-9", "data has shape [], expected rank 1 at least", "f32[]", "i64[1]"),
		row("RDFT-9", "axes is empty", "f32[4]", "i64[0]="),
		row("IRDFT-9", "axes is empty", "f32[4,2]", "i64[0]="),
		row("IRDFT-9", "axes has shape [1], signal_size has shape [2]", "f32[...]", "i64[1]", "i64[2]"),
	})
}
