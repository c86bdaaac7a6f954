//go:build arm64 && !noasm

#include "textflag.h"

// FMLA is vd += vn * vm[lane] for vectors of four float32. The assembler has no name for the
// multiplication by an element.
#define FMLA(d, n, m, lane) WORD $(0x4F801000 | ((lane)&1)<<21 | ((lane)>>1)<<11 | (m)<<16 | (n)<<5 | (d))

// ROW adds the products of Vm[lane], an element of a, and V2 to V4, the columns of b, to three sums.
#define ROW(sum, m, lane) \
	FMLA(sum, 2, m, lane)   \
	FMLA(sum+1, 3, m, lane) \
	FMLA(sum+2, 4, m, lane)

// func tileNEON(depth int, a, b, c *float32, ldc int, add bool)
TEXT ·tileNEON(SB), NOSPLIT, $0-41
	MOVD  depth+0(FP), R0
	MOVD  a+8(FP), R1
	MOVD  b+16(FP), R2
	MOVD  c+24(FP), R3
	MOVD  ldc+32(FP), R4
	MOVBU add+40(FP), R5
	LSL   $2, R4, R4
	MOVD  R3, R6
	CBZ   R5, zero

	// The sums start with the values of c.
	VLD1 (R6), [V8.S4, V9.S4, V10.S4]
	ADD  R4, R6
	VLD1 (R6), [V11.S4, V12.S4, V13.S4]
	ADD  R4, R6
	VLD1 (R6), [V14.S4, V15.S4, V16.S4]
	ADD  R4, R6
	VLD1 (R6), [V17.S4, V18.S4, V19.S4]
	ADD  R4, R6
	VLD1 (R6), [V20.S4, V21.S4, V22.S4]
	ADD  R4, R6
	VLD1 (R6), [V23.S4, V24.S4, V25.S4]
	ADD  R4, R6
	VLD1 (R6), [V26.S4, V27.S4, V28.S4]
	ADD  R4, R6
	VLD1 (R6), [V29.S4, V30.S4, V31.S4]
	B    loop

zero:
	VEOR V8.B16, V8.B16, V8.B16
	VEOR V9.B16, V9.B16, V9.B16
	VEOR V10.B16, V10.B16, V10.B16
	VEOR V11.B16, V11.B16, V11.B16
	VEOR V12.B16, V12.B16, V12.B16
	VEOR V13.B16, V13.B16, V13.B16
	VEOR V14.B16, V14.B16, V14.B16
	VEOR V15.B16, V15.B16, V15.B16
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16
	VEOR V24.B16, V24.B16, V24.B16
	VEOR V25.B16, V25.B16, V25.B16
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V27.B16, V27.B16, V27.B16
	VEOR V28.B16, V28.B16, V28.B16
	VEOR V29.B16, V29.B16, V29.B16
	VEOR V30.B16, V30.B16, V30.B16
	VEOR V31.B16, V31.B16, V31.B16

loop:
	VLD1.P 32(R1), [V0.S4, V1.S4]
	VLD1.P 48(R2), [V2.S4, V3.S4, V4.S4]
	ROW(8, 0, 0)
	ROW(11, 0, 1)
	ROW(14, 0, 2)
	ROW(17, 0, 3)
	ROW(20, 1, 0)
	ROW(23, 1, 1)
	ROW(26, 1, 2)
	ROW(29, 1, 3)
	SUBS   $1, R0
	BNE    loop

	VST1 [V8.S4, V9.S4, V10.S4], (R3)
	ADD  R4, R3
	VST1 [V11.S4, V12.S4, V13.S4], (R3)
	ADD  R4, R3
	VST1 [V14.S4, V15.S4, V16.S4], (R3)
	ADD  R4, R3
	VST1 [V17.S4, V18.S4, V19.S4], (R3)
	ADD  R4, R3
	VST1 [V20.S4, V21.S4, V22.S4], (R3)
	ADD  R4, R3
	VST1 [V23.S4, V24.S4, V25.S4], (R3)
	ADD  R4, R3
	VST1 [V26.S4, V27.S4, V28.S4], (R3)
	ADD  R4, R3
	VST1 [V29.S4, V30.S4, V31.S4], (R3)
	RET
