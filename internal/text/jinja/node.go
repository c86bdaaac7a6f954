package jinja

// node is a node of the tree of a template: an expression or a statement. children calls f with the
// nodes below, in the order in which Jinja visits them, which decides which names are declared.
type node interface {
	children(f func(node))
}

// expr is an expression.
type expr interface {
	node
	eval(st *state) any
}

// statement is a statement. exec returns how it ended.
type statement interface {
	node
	exec(st *state) flow
}

// flow is how a statement ended.
type flow uint8

const (
	flowNext flow = iota
	flowBreak
	flowContinue
)

type (
	// nameExpr is a variable. In a target of an assignment it is stored, as a parameter if param is
	// set.
	nameExpr struct {
		name         string
		line         int
		store, param bool
		ref          ref
		undefined    *undefined
	}
	// nsRef is an attribute of a namespace that is assigned to.
	nsRef struct {
		name, attr string
		line       int
	}
	constExpr struct{ value any }
	tupleExpr struct{ items []expr }
	listExpr  struct{ items []expr }
	dictExpr  struct {
		line         int
		keys, values []expr
	}
	condExpr struct {
		line          int
		test, yes, no expr // no is nil without else
	}
	binaryExpr struct {
		op          string
		line        int
		left, right expr
	}
	// logicExpr is "and" or "or".
	logicExpr struct {
		or          bool
		left, right expr
	}
	// unaryExpr is "not", "-" or "+".
	unaryExpr struct {
		op      string
		line    int
		operand expr
	}
	concatExpr  struct{ items []expr }
	compareExpr struct {
		line  int
		first expr
		ops   []string
		rest  []expr
	}
	getattrExpr struct {
		line int
		of   expr
		attr string
	}
	getitemExpr struct {
		line    int
		of, arg expr
	}
	// sliceExpr stands in a getitemExpr only. Each part may be nil.
	sliceExpr struct{ start, stop, step expr }
	// arguments are those of a call.
	arguments struct {
		args      []expr
		names     []string
		values    []expr
		dynArgs   expr // *args, or nil
		dynKwargs expr // **kwargs, or nil
	}
	callExpr struct {
		line int
		of   expr
		arguments
	}
	// filterExpr applies a filter. of is nil for the content of a block.
	filterExpr struct {
		line   int
		of     expr
		name   string
		filter filterFunc
		arguments
	}
	testExpr struct {
		line int
		of   expr
		name string
		test testFunc
		arguments
	}
)

type (
	outputStmt struct {
		line  int
		items []expr
	}
	// dataStmt is text between tags.
	dataStmt struct{ text string }
	forStmt  struct {
		line               int
		target             expr
		iter               expr
		body, orElse       []statement
		test               expr
		recursive          bool
		scope, elseScope   scope
		testScope          scope
		store, testStore   target
		loop               ref
		extended           bool
		function, testFunc *function
	}
	ifStmt struct {
		tests  []expr // of if and each elif
		bodies [][]statement
		orElse []statement
		line   int
	}
	// macroStmt is a macro, or the block of a call, whose call is then not nil. generation is a
	// call block of Hugging Face's, which only marks its content.
	macroStmt struct {
		line                    int
		name                    string
		args                    []*nameExpr
		defaults                []expr
		body                    []statement
		call                    *callExpr
		generation              bool
		function                *function
		scope                   scope
		params                  []int
		missing                 []*undefined
		caller, kwargs, varargs int // slots, or -1
		explicitCaller          bool
		store                   target
	}
	filterStmt struct {
		body   []statement
		filter *filterExpr
		scope  scope
	}
	withStmt struct {
		targets []expr
		values  []expr
		body    []statement
		scope   scope
		stores  []target
		line    int
	}
	setStmt struct {
		line   int
		target expr
		value  expr
		store  target
	}
	setBlockStmt struct {
		line   int
		target expr
		filter expr // a chain of filters, or nil
		body   []statement
		scope  scope
		store  target
	}
	blockStmt struct {
		line             int
		name             string
		body             []statement
		scoped, required bool
		function         *function
		scope            scope
		locals           []local
		self, super      int // slots, or -1
	}
	autoescapeStmt struct {
		value expr
		body  []statement
		scope scope
	}
	// jumpStmt is break or continue.
	jumpStmt struct {
		line int
		flow flow
	}
	// loadStmt would load another template: include, import, from and extends.
	loadStmt struct {
		line  int
		what  string
		names []expr
		from  expr
	}
)

func each[T node](f func(node), nodes []T) {
	for _, n := range nodes {
		f(n)
	}
}

// optional calls f with an expression unless it is nil.
func optional(f func(node), e expr) {
	if e != nil {
		f(e)
	}
}

func (n *nameExpr) children(func(node))    {}
func (n *nsRef) children(func(node))       {}
func (n *constExpr) children(func(node))   {}
func (n *tupleExpr) children(f func(node)) { each(f, n.items) }
func (n *listExpr) children(f func(node))  { each(f, n.items) }
func (n *dictExpr) children(f func(node)) {
	for i, key := range n.keys {
		f(key)
		f(n.values[i])
	}
}
func (n *condExpr) children(f func(node)) {
	f(n.test)
	f(n.yes)
	optional(f, n.no)
}
func (n *binaryExpr) children(f func(node)) { f(n.left); f(n.right) }
func (n *logicExpr) children(f func(node))  { f(n.left); f(n.right) }
func (n *unaryExpr) children(f func(node))  { f(n.operand) }
func (n *concatExpr) children(f func(node)) { each(f, n.items) }
func (n *compareExpr) children(f func(node)) {
	f(n.first)
	each(f, n.rest)
}
func (n *getattrExpr) children(f func(node)) { f(n.of) }
func (n *getitemExpr) children(f func(node)) { f(n.of); f(n.arg) }
func (n *sliceExpr) children(f func(node)) {
	optional(f, n.start)
	optional(f, n.stop)
	optional(f, n.step)
}
func (a *arguments) children(f func(node)) {
	each(f, a.args)
	each(f, a.values)
	optional(f, a.dynArgs)
	optional(f, a.dynKwargs)
}
func (n *callExpr) children(f func(node)) {
	f(n.of)
	n.arguments.children(f)
}
func (n *filterExpr) children(f func(node)) {
	optional(f, n.of)
	n.arguments.children(f)
}
func (n *testExpr) children(f func(node)) {
	f(n.of)
	n.arguments.children(f)
}

func (n *outputStmt) children(f func(node)) { each(f, n.items) }
func (n *dataStmt) children(func(node))     {}
func (n *forStmt) children(f func(node)) {
	f(n.target)
	f(n.iter)
	each(f, n.body)
	each(f, n.orElse)
	optional(f, n.test)
}
func (n *ifStmt) children(f func(node)) {
	f(n.tests[0])
	each(f, n.bodies[0])
	for i := 1; i < len(n.tests); i++ {
		f(n.tests[i])
		each(f, n.bodies[i])
	}
	each(f, n.orElse)
}
func (n *macroStmt) children(f func(node)) {
	if n.call != nil {
		f(n.call)
	}
	each(f, n.args)
	each(f, n.defaults)
	each(f, n.body)
}
func (n *filterStmt) children(f func(node)) {
	each(f, n.body)
	f(n.filter)
}
func (n *withStmt) children(f func(node)) {
	each(f, n.targets)
	each(f, n.values)
	each(f, n.body)
}
func (n *setStmt) children(f func(node)) { f(n.target); f(n.value) }
func (n *setBlockStmt) children(f func(node)) {
	f(n.target)
	optional(f, n.filter)
	each(f, n.body)
}
func (n *blockStmt) children(f func(node)) { each(f, n.body) }
func (n *autoescapeStmt) children(f func(node)) {
	f(n.value)
	each(f, n.body)
}
func (n *jumpStmt) children(func(node)) {}
func (n *loadStmt) children(f func(node)) {
	optional(f, n.from)
	each(f, n.names)
}

// The parts of assignments and subscripts are not evaluated by themselves.

func (n *nsRef) eval(*state) any     { panic("BUG: a target was evaluated") }
func (n *sliceExpr) eval(*state) any { panic("BUG: a slice was evaluated") }
