//go:build amd64 && !noasm

package reduction

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../reduction_amd64.s -stubs ../stubs_amd64.go -pkg reduction"

// vectorRows is join; false where there is no code for it, or an element is NaN.
func vectorRows(f Function, out, in, scale []float32, r Rows, stride int) bool {
	if !cpu.AVX2.Available() {
		return false
	}
	var s *float32
	if scale != nil {
		s = &scale[0]
	}
	o, i := &out[0], &in[0]
	var t *int // of the fields of the rows
	if r.Table != nil {
		t = &r.Table[:r.Outs][0].At
	}
	wide := cpu.AVX512.Available()
	if stride == 2 {
		switch {
		case f == Sum && wide:
			return sumPairsAVX512(o, i, s, t, r.N, r.Count, r.Step, r.Outs, r.InPitch, r.OutPitch) == 0
		case f == Sum:
			return sumPairsAVX2(o, i, s, t, r.N, r.Count, r.Step, r.Outs, r.InPitch, r.OutPitch) == 0
		case f == Max && wide:
			return maxPairsAVX512(o, i, s, t, r.N, r.Count, r.Step, r.Outs, r.InPitch, r.OutPitch) == 0
		case f == Max:
			return maxPairsAVX2(o, i, s, t, r.N, r.Count, r.Step, r.Outs, r.InPitch, r.OutPitch) == 0
		}
		return false
	}
	code := rowsAVX2
	if wide {
		code = rowsAVX512
	}
	return code[f](o, i, s, t, r.N, r.Count, r.Step, r.Outs, r.InPitch, r.OutPitch) == 0
}

var rowsAVX2 = [numFunctions]func(out, in, scale *float32, table *int, n, count, step, outs, inPitch, outPitch int) int{
	Sum: sumRowsAVX2, Max: maxRowsAVX2, Min: minRowsAVX2, Product: productRowsAVX2, Magnitudes: magnitudesRowsAVX2, Squares: squaresRowsAVX2,
}

var rowsAVX512 = [numFunctions]func(out, in, scale *float32, table *int, n, count, step, outs, inPitch, outPitch int) int{
	Sum: sumRowsAVX512, Max: maxRowsAVX512, Min: minRowsAVX512, Product: productRowsAVX512, Magnitudes: magnitudesRowsAVX512, Squares: squaresRowsAVX512,
}

var linesAVX2 = [numFunctions]func(out, in *float32, n, lines, step int) int{
	Sum: sumLinesAVX2, Max: maxLinesAVX2, Min: minLinesAVX2, Product: productLinesAVX2, Magnitudes: magnitudesLinesAVX2, Squares: squaresLinesAVX2,
}

var linesAVX512 = [numFunctions]func(out, in *float32, n, lines, step int) int{
	Sum: sumLinesAVX512, Max: maxLinesAVX512, Min: minLinesAVX512, Product: productLinesAVX512, Magnitudes: magnitudesLinesAVX512, Squares: squaresLinesAVX512,
}

// vectorLines is Lines; false where there is no code for it, or an element is NaN.
func vectorLines(f Function, out, in []float32, n, step int) bool {
	switch {
	case cpu.AVX512.Available():
		return linesAVX512[f](&out[0], &in[0], n, len(out), step) == 0
	case cpu.AVX2.Available():
		return linesAVX2[f](&out[0], &in[0], n, len(out), step) == 0
	}
	return false
}

// hasVectors says whether Normalize has code.
func hasVectors() bool { return cpu.FMA.Available() }

func vectorNormalize(out, in []float32, n int, inside, outside float32) {
	if cpu.AVX512.Available() {
		normalizeLinesAVX512(&out[0], &in[0], n, len(in)/n, inside, outside)
	} else {
		normalizeLinesAVX2(&out[0], &in[0], n, len(in)/n, inside, outside)
	}
}

func vectorBlend(out, in []float32, places []int, weights []float32) bool {
	if !cpu.FMA.Available() {
		return false
	}
	if cpu.AVX512.Available() {
		blendRowsAVX512(&out[0], &in[0], &places[0], &weights[0], len(places), len(out))
	} else {
		blendRowsAVX2(&out[0], &in[0], &places[0], &weights[0], len(places), len(out))
	}
	return true
}

// vectorLanes returns the number of elements of a vector, 0 where there is no code.
func vectorLanes() int {
	switch {
	case cpu.AVX512.Available():
		return 16
	case cpu.FMA.Available():
		return 8
	}
	return 0
}

func vectorColumns(out, in []float32, index []int32, weights []float32, taps, rows, valid, width, lanes, inPitch, outPitch int) {
	var w *float32
	if weights != nil {
		w = &weights[0]
	}
	if lanes == 16 {
		columnsAVX512(&out[0], &in[0], &index[0], w, taps, rows, valid, width, inPitch, outPitch)
	} else {
		columnsAVX2(&out[0], &in[0], &index[0], w, taps, rows, valid, width, inPitch, outPitch)
	}
}
