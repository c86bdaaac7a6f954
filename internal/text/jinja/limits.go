package jinja

// Limits bound what a rendering may take. A zero stands for the default.
type Limits struct {
	// Steps is how many expressions and statements are evaluated, and how many blocks of 64 to 256
	// bytes or of 8 items they pass over: 10 million by default, which take about a second.
	Steps int
	// Depth is how many macros, recursive loops and blocks may be active inside one another: 150 by
	// default. Python ends at about that depth, too.
	Depth int
	// Memory is how many bytes of values are made in all, 64 MiB by default. What the caller passes
	// does not count.
	Memory int
	// Output is how many bytes are written, 64 MiB by default.
	Output int
}

// Defaults of Limits.
const (
	DefaultMemory = 64 << 20
	DefaultOutput = 64 << 20
)

func (l Limits) orDefault() Limits {
	choose := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	choose(&l.Steps, 10_000_000)
	choose(&l.Depth, 150)
	choose(&l.Memory, DefaultMemory)
	choose(&l.Output, DefaultOutput)
	return l
}

// maxDepth is how deep values may be inside one another where they are compared or written.
const maxDepth = 900

// polled is how many steps pass between two looks at the context.
const polled = 2048

// step counts one step.
func (st *state) step() {
	if st.fuel--; st.fuel < 0 {
		st.refuel()
	}
}

// steps counts n steps.
func (st *state) steps(n int) {
	if st.fuel -= n; st.fuel < 0 {
		st.refuel()
	}
}

// refuel takes the next steps of the limit, and asks the context.
func (st *state) refuel() {
	if err := st.ctx.Err(); err != nil {
		panic(stopped{err})
	}
	beyond := -st.fuel
	if beyond > st.left {
		st.fail("more than %d steps", st.limits.Steps)
	}
	st.left -= beyond
	st.fuel = min(polled, st.left)
	st.left -= st.fuel
}

// pass counts the steps of passing over n bytes.
func (st *state) pass(n int) {
	if n >= 256 {
		st.steps(n / 256)
	}
}

// decode counts the steps of finding characters in n bytes.
func (st *state) decode(n int) {
	if n >= 64 {
		st.steps(n / 64)
	}
}

// passItems counts the steps of passing over n items.
func (st *state) passItems(n int) { st.steps(n/8 + 1) }

// make counts the memory of a value of n bytes that is about to be made.
func (st *state) make(n int) {
	if st.memory -= n; st.memory < 0 || n < 0 {
		st.fail("values of more than %d bytes", st.limits.Memory)
	}
	st.pass(n)
}

// makeItems counts the memory of a list of n items, or of that many more items.
func (st *state) makeItems(n int) {
	if n > st.memory/16 {
		st.fail("values of more than %d bytes", st.limits.Memory)
	}
	st.make(16*n + 48)
}

// times returns n*size, or fails if that is more than the memory left.
func (st *state) times(n, size int) int {
	if n <= 0 || size <= 0 {
		return 0
	}
	if n > st.memory/size {
		st.fail("values of more than %d bytes", st.limits.Memory)
	}
	return n * size
}

// enter counts a macro, a loop or a block that becomes active.
func (st *state) enter() {
	if st.depth++; st.depth > st.limits.Depth {
		st.fail("more than %d macros, loops and blocks inside one another", st.limits.Depth)
	}
}

// write appends text to the output.
func (st *state) write(text string) {
	if len(st.out)+len(text) > st.limits.Output {
		st.fail("output of more than %d bytes", st.limits.Output)
	}
	st.pass(len(text))
	st.out = append(st.out, text...)
}
