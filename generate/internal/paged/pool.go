package paged

import "slices"

// BlockTokens is the number of tokens whose keys and values a block holds.
const BlockTokens = 32

// Pool says which blocks are used, and what is in those that are full. A block whose content is
// known stays findable when nobody uses it any more, until its memory is needed: of those, the one
// that was used least recently goes first. A Pool is not safe for concurrent use.
type Pool struct {
	blocks []block
	free   []int32 // without known content, the next one to use last
	known  map[content]int32
	// first and last are the ends of the list of blocks that are known and not used, the one that
	// was used least recently first; none if it is empty. idle is its length.
	first, last int32
	idle        int
	serial      uint64
}

type block struct {
	users      int32
	next, prev int32 // in the list of blocks that are not used
	content    content
	serial     uint64 // 0 if the content is not known
}

// content says what the keys and values of a full block depend on: all tokens up to its end.
type content struct {
	before uint64 // the Serial of the block before, or a root
	tokens [BlockTokens]int32
}

// Full is a block whose content is known. Serial is a number that no other content has had.
type Full struct {
	Block  int32
	Serial uint64
}

// none is the number of no block.
const none = -1

// NewPool returns a Pool of n blocks, which have the numbers from 0 to n-1.
func NewPool(n int) *Pool {
	p := &Pool{blocks: make([]block, n), known: make(map[content]int32), first: none, last: none}
	for i := n - 1; i >= 0; i-- {
		p.free = append(p.free, int32(i))
	}
	return p
}

// Len returns the number of blocks.
func (p *Pool) Len() int { return len(p.blocks) }

// Used returns the number of blocks that have users.
func (p *Pool) Used() int { return len(p.blocks) - p.Available() }

// Available returns the number of blocks that Take can return now.
func (p *Pool) Available() int { return len(p.free) + p.idle }

// NewRoot returns a number that stands for the Serial of the block before the first one of a text.
// Texts with different roots share no blocks.
func (p *Pool) NewRoot() uint64 {
	p.serial++
	return p.serial
}

// Take returns a block that nobody uses, for one user. It returns false if there is none.
func (p *Pool) Take() (int32, bool) {
	var i int32
	switch {
	case len(p.free) > 0:
		i, p.free = p.free[len(p.free)-1], p.free[:len(p.free)-1]
	case p.first != none:
		i = p.first
		p.unlink(i)
		p.forget(i)
	default:
		return none, false
	}
	p.blocks[i].users = 1
	return i, true
}

// Find returns the block of the first BlockTokens tokens that follow the block with the given
// Serial, or the root, and adds a user to it. It returns false if there is none.
func (p *Pool) Find(before uint64, tokens []int32) (Full, bool) {
	if len(tokens) < BlockTokens {
		return Full{}, false
	}
	i, ok := p.known[content{before, [BlockTokens]int32(tokens)}]
	if !ok {
		return Full{}, false
	}
	p.Share(i)
	return Full{i, p.blocks[i].serial}, true
}

// Know says that block i, whose content is not known yet and which has one user, now holds what
// Find would find. If another block does, its user gets that one instead.
func (p *Pool) Know(i int32, before uint64, tokens []int32) Full {
	if full, ok := p.Find(before, tokens); ok {
		p.Drop(i)
		return full
	}
	b := &p.blocks[i]
	p.serial++
	b.serial, b.content = p.serial, content{before, [BlockTokens]int32(tokens)}
	p.known[b.content] = i
	return Full{i, b.serial}
}

// Share adds a user to block i.
func (p *Pool) Share(i int32) {
	b := &p.blocks[i]
	if b.users == 0 {
		p.unlink(i)
	}
	b.users++
}

// Drop removes a user of block i.
func (p *Pool) Drop(i int32) {
	b := &p.blocks[i]
	if b.users--; b.users > 0 {
		return
	}
	if b.serial == 0 {
		p.free = append(p.free, i)
		return
	}
	b.prev, b.next = p.last, none
	if p.last == none {
		p.first = i
	} else {
		p.blocks[p.last].next = i
	}
	p.last = i
	p.idle++
}

// DropAll removes a user of each of the blocks of a text. The last block is forgotten before the
// others, without which nobody finds it.
func (p *Pool) DropAll(blocks []int32) {
	for _, i := range slices.Backward(blocks) {
		p.Drop(i)
	}
}

// unlink removes block i from the list of those that are not used.
func (p *Pool) unlink(i int32) {
	b := &p.blocks[i]
	if b.prev == none {
		p.first = b.next
	} else {
		p.blocks[b.prev].next = b.next
	}
	if b.next == none {
		p.last = b.prev
	} else {
		p.blocks[b.next].prev = b.prev
	}
	p.idle--
}

// forget forgets the content of block i.
func (p *Pool) forget(i int32) {
	b := &p.blocks[i]
	delete(p.known, b.content)
	b.serial = 0
}

// IsShared reports whether block i has several users.
func (p *Pool) IsShared(i int32) bool { return p.blocks[i].users > 1 }
