package paged

// Cache gives blocks of a Store to texts.
type Cache struct {
	*Pool
	*Store
	roots  map[string]uint64 // by kinds of texts
	window int
}

// maxRoots is the number of kinds of texts that are remembered.
const maxRoots = 1024

// NewCache returns a Cache of all blocks of store. If window is not 0, no row sees more than this
// number of positions up to its own in any layer: texts give back the blocks behind it.
func NewCache(store *Store, window int) *Cache {
	return &Cache{Pool: NewPool(store.Blocks()), Store: store, roots: make(map[string]uint64), window: window}
}

// begin gives a text that has no blocks the root of its kind. Too many kinds are forgotten
// together: later texts share no blocks with earlier ones.
func (c *Cache) begin(t *Text) {
	if t.before > 0 {
		return
	}
	root, ok := c.roots[t.kind]
	if !ok {
		if len(c.roots) == maxRoots {
			clear(c.roots)
		}
		root = c.NewRoot()
		c.roots[t.kind] = root
	}
	t.before = root
}

// Text is a text whose keys and values are in blocks, as far as they are computed.
type Text struct {
	// Tokens are those of the text, and Computed is the number of them whose keys and values are
	// in Blocks. The others are added by Advance. Blocks behind the window are none.
	Tokens   []int32
	Computed int
	Blocks   []int32

	kind string
	// before is the Serial of the last block whose content is known, or the root of the kind; 0 at
	// first. known is the number of these blocks.
	before  uint64
	known   int
	dropped int // number of blocks behind the window
}

// NewText returns a text, of which nothing is computed. Only texts of the same kind have the same
// keys and values for the same tokens.
func NewText(tokens []int32, kind string) *Text { return &Text{Tokens: tokens, kind: kind} }

// Pending returns the number of tokens whose keys and values are not computed.
func (t *Text) Pending() int { return len(t.Tokens) - t.Computed }

// Held returns the number of blocks that t has.
func (t *Text) Held() int { return len(t.Blocks) - t.dropped }

// Reuse finds blocks of other texts with the next tokens, and returns the number of these tokens.
// It leaves at least one token to compute.
func (c *Cache) Reuse(t *Text) int {
	c.begin(t)
	reused := 0
	for t.Computed == len(t.Blocks)*BlockTokens && t.known == len(t.Blocks) && t.Pending() > BlockTokens {
		full, ok := c.Find(t.before, t.Tokens[t.Computed:])
		if !ok {
			break
		}
		t.Blocks, t.before = append(t.Blocks, full.Block), full.Serial
		t.known++
		t.Computed += BlockTokens
		reused += BlockTokens
	}
	c.slide(t)
	return reused
}

// slide gives back the blocks that no later row of t sees.
func (c *Cache) slide(t *Text) {
	if c.window == 0 {
		return
	}
	for seen := t.Computed + 1 - c.window; (t.dropped+1)*BlockTokens <= seen; t.dropped++ {
		c.Drop(t.Blocks[t.dropped])
		t.Blocks[t.dropped] = none
	}
}

// BlocksOf returns the greatest number of blocks that a text of n tokens has at once if they are
// computed in steps of at most the given number of rows.
func (c *Cache) BlocksOf(n, rows int) int {
	blocks := (n + BlockTokens - 1) / BlockTokens
	if c.window > 0 {
		// What the rows see can begin with the last token of a block.
		blocks = min(blocks, (c.window+rows-1+BlockTokens-2)/BlockTokens+1)
	}
	return blocks
}

// Reserve provides memory for the next n tokens, and returns for how many of them there is memory.
func (c *Cache) Reserve(t *Text, n int) int {
	if t.Computed%BlockTokens != 0 {
		// Another text may have the first tokens of the last block too.
		last := &t.Blocks[t.Computed/BlockTokens]
		if c.IsShared(*last) {
			own, ok := c.Take()
			if !ok {
				return 0
			}
			c.Copy(own, *last)
			c.Drop(*last)
			*last = own
		}
	}
	for len(t.Blocks)*BlockTokens < t.Computed+n {
		b, ok := c.Take()
		if !ok {
			return len(t.Blocks)*BlockTokens - t.Computed
		}
		t.Blocks = append(t.Blocks, b)
	}
	return n
}

// Run returns the part of a step that computes the next n tokens, for which there is memory.
func (t *Text) Run(n int) Run { return Run{Blocks: t.Blocks, First: t.Computed, Rows: n} }

// Advance says that the next n tokens are computed. From now on, other texts find the blocks that
// are full.
func (c *Cache) Advance(t *Text, n int) {
	c.begin(t)
	t.Computed += n
	for (t.known+1)*BlockTokens <= t.Computed {
		full := c.Know(t.Blocks[t.known], t.before, t.Tokens[t.known*BlockTokens:])
		t.Blocks[t.known], t.before = full.Block, full.Serial
		t.known++
	}
	c.slide(t)
}

// Fork returns another text of the same tokens, with the same blocks.
func (c *Cache) Fork(t *Text) *Text {
	fork := *t
	fork.Tokens = append([]int32(nil), t.Tokens...)
	fork.Blocks = append([]int32(nil), t.Blocks...)
	for _, b := range t.Blocks[t.dropped:] {
		c.Share(b)
	}
	return &fork
}

// Release takes all blocks from t, so that nothing of it is computed.
func (c *Cache) Release(t *Text) {
	c.DropAll(t.Blocks[t.dropped:])
	t.Blocks, t.Computed, t.before, t.known, t.dropped = t.Blocks[:0], 0, 0, 0, 0
}
