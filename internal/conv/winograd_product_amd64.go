//go:build amd64 && !noasm

package conv

func productAVX2(tiles, depth int, pv *float32, step int, pu, pm, pn *float32) {
	switch tiles {
	case 1:
		productAVX2x1(depth, pv, step, pu, pm, pn)
	case 2:
		productAVX2x2(depth, pv, step, pu, pm, pn)
	case 3:
		productAVX2x3(depth, pv, step, pu, pm, pn)
	case 4:
		productAVX2x4(depth, pv, step, pu, pm, pn)
	case 5:
		productAVX2x5(depth, pv, step, pu, pm, pn)
	case 6:
		productAVX2x6(depth, pv, step, pu, pm, pn)
	}
}

func productAVX512(tiles, depth int, pv *float32, step int, pu, pm, pn *float32) {
	switch tiles {
	case 1:
		productAVX512x1(depth, pv, step, pu, pm, pn)
	case 2:
		productAVX512x2(depth, pv, step, pu, pm, pn)
	case 3:
		productAVX512x3(depth, pv, step, pu, pm, pn)
	case 4:
		productAVX512x4(depth, pv, step, pu, pm, pn)
	case 5:
		productAVX512x5(depth, pv, step, pu, pm, pn)
	case 6:
		productAVX512x6(depth, pv, step, pu, pm, pn)
	case 7:
		productAVX512x7(depth, pv, step, pu, pm, pn)
	case 8:
		productAVX512x8(depth, pv, step, pu, pm, pn)
	case 9:
		productAVX512x9(depth, pv, step, pu, pm, pn)
	case 10:
		productAVX512x10(depth, pv, step, pu, pm, pn)
	case 11:
		productAVX512x11(depth, pv, step, pu, pm, pn)
	case 12:
		productAVX512x12(depth, pv, step, pu, pm, pn)
	case 13:
		productAVX512x13(depth, pv, step, pu, pm, pn)
	case 14:
		productAVX512x14(depth, pv, step, pu, pm, pn)
	}
}

func productAVX512Narrow(tiles, depth int, pv *float32, step int, pu, pm, pn *float32) {
	switch tiles {
	case 1:
		productAVX512Narrowx1(depth, pv, step, pu, pm, pn)
	case 2:
		productAVX512Narrowx2(depth, pv, step, pu, pm, pn)
	case 3:
		productAVX512Narrowx3(depth, pv, step, pu, pm, pn)
	case 4:
		productAVX512Narrowx4(depth, pv, step, pu, pm, pn)
	case 5:
		productAVX512Narrowx5(depth, pv, step, pu, pm, pn)
	case 6:
		productAVX512Narrowx6(depth, pv, step, pu, pm, pn)
	case 7:
		productAVX512Narrowx7(depth, pv, step, pu, pm, pn)
	case 8:
		productAVX512Narrowx8(depth, pv, step, pu, pm, pn)
	case 9:
		productAVX512Narrowx9(depth, pv, step, pu, pm, pn)
	case 10:
		productAVX512Narrowx10(depth, pv, step, pu, pm, pn)
	case 11:
		productAVX512Narrowx11(depth, pv, step, pu, pm, pn)
	case 12:
		productAVX512Narrowx12(depth, pv, step, pu, pm, pn)
	case 13:
		productAVX512Narrowx13(depth, pv, step, pu, pm, pn)
	case 14:
		productAVX512Narrowx14(depth, pv, step, pu, pm, pn)
	}
}
