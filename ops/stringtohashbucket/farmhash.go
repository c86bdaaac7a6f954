package stringtohashbucket

import (
	"encoding/binary"
	"math/bits"
)

// Primes between 2⁶³ and 2⁶⁴, by the names that FarmHash has for them.
const (
	k0 = 0xc3a5c85c97cb3127
	k1 = 0xb492b66fbe98f273
	k2 = 0x9ae16a3b2f90404f
)

// fingerprint is Fingerprint64 of FarmHash.
func fingerprint(s []byte) uint64 {
	switch n := len(s); {
	case n <= 16:
		return upTo16(s)
	case n <= 32:
		return upTo32(s)
	case n <= 64:
		return upTo64(s)
	}
	return beyond64(s)
}

func fetch(s []byte) uint64 { return binary.LittleEndian.Uint64(s) }

func fetch32(s []byte) uint64 { return uint64(binary.LittleEndian.Uint32(s)) }

// rotate rotates to the right.
func rotate(x uint64, n int) uint64 { return bits.RotateLeft64(x, -n) }

func mix(x uint64) uint64 { return x ^ x>>47 }

func hash16(u, v, mul uint64) uint64 {
	a := mix((u ^ v) * mul)
	return mix((v^a)*mul) * mul
}

func upTo16(s []byte) uint64 {
	n := uint64(len(s))
	mul := k2 + n*2
	switch {
	case n >= 8:
		a, b := fetch(s)+k2, fetch(s[n-8:])
		return hash16(rotate(b, 37)*mul+a, (rotate(a, 25)+b)*mul, mul)
	case n >= 4:
		return hash16(n+fetch32(s)<<3, fetch32(s[n-4:]), mul)
	case n > 0:
		y := uint32(s[0]) + uint32(s[n/2])<<8
		z := uint32(n) + uint32(s[n-1])<<2
		return mix(uint64(y)*k2^uint64(z)*k0) * k2
	}
	return k2
}

func upTo32(s []byte) uint64 {
	n := uint64(len(s))
	mul := k2 + n*2
	a, b := fetch(s)*k1, fetch(s[8:])
	c, d := fetch(s[n-8:])*mul, fetch(s[n-16:])*k2
	return hash16(rotate(a+b, 43)+rotate(c, 30)+d, a+rotate(b+k2, 18)+c, mul)
}

func upTo64(s []byte) uint64 {
	n := uint64(len(s))
	mul := k2 + n*2
	a, b := fetch(s)*k2, fetch(s[8:])
	c, d := fetch(s[n-8:])*mul, fetch(s[n-16:])*k2
	y := rotate(a+b, 43) + rotate(c, 30) + d
	z := hash16(y, a+rotate(b+k2, 18)+c, mul)
	e, f := fetch(s[16:])*mul, fetch(s[24:])
	g, h := (y+fetch(s[n-32:]))*mul, (z+fetch(s[n-24:]))*mul
	return hash16(rotate(e+f, 43)+rotate(g, 30)+h, e+rotate(f+a, 18)+g, mul)
}

// pair is a part of the state of beyond64.
type pair struct{ first, second uint64 }

// weak32 hashes 32 bytes, with seeds.
func weak32(s []byte, a, b uint64) pair {
	w, x, y, z := fetch(s), fetch(s[8:]), fetch(s[16:]), fetch(s[24:])
	a += w
	b = rotate(b+a+z, 21)
	c := a
	a += x + y
	b += rotate(a, 44)
	return pair{a + z, b + c}
}

// beyond64 hashes blocks of 64 bytes, and the last 64 bytes once more.
func beyond64(s []byte) uint64 {
	const seed = 81
	x, y := uint64(seed), uint64(seed)
	y = y*k1 + 113
	z := mix(y*k2+113) * k2
	var v, w pair
	x = x*k2 + fetch(s)
	n := len(s)
	last := s[n-64:]
	for left := (n - 1) / 64; left > 0; left-- {
		x = rotate(x+y+v.first+fetch(s[8:]), 37) * k1
		y = rotate(y+v.second+fetch(s[48:]), 42) * k1
		x ^= w.second
		y += v.first + fetch(s[40:])
		z = rotate(z+w.first, 33) * k1
		v = weak32(s, v.second*k1, x+w.first)
		w = weak32(s[32:], z+w.second, y+fetch(s[16:]))
		z, x = x, z
		s = s[64:]
	}
	mul := k1 + z&0xff<<1
	s = last
	w.first += uint64(n-1) & 63
	v.first += w.first
	w.first += v.first
	x = rotate(x+y+v.first+fetch(s[8:]), 37) * mul
	y = rotate(y+v.second+fetch(s[48:]), 42) * mul
	x ^= w.second * 9
	y += v.first*9 + fetch(s[40:])
	z = rotate(z+w.first, 33) * mul
	v = weak32(s, v.second*mul, x+w.first)
	w = weak32(s[32:], z+w.second, y+fetch(s[16:]))
	z, x = x, z
	return hash16(hash16(v.first, w.first, mul)+mix(y)*k0+z, hash16(v.second, w.second, mul)+x, mul)
}
