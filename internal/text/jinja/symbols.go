package jinja

import "slices"

// Names are resolved as Jinja's compiler does it (idtracking.py), because it shows: a name that a
// scope sets anywhere is, in scopes inside, the variable of that scope even before it is set; a
// scope that sets a name of a scope around starts with a copy of it; a macro sees what a variable
// around is at the call.

// function is what one activation of variables belongs to: the template, a macro, a recursive loop,
// the condition of a loop, or a block.
type function struct {
	parent *function
	slots  int
}

// ident is a variable of a scope.
type ident struct {
	function *function
	slot     int
}

// ref is a variable as seen from a function: that of the function hops functions around.
type ref struct{ hops, slot int }

// loadKind is where a variable comes from when its scope is entered.
type loadKind uint8

const (
	loadParam     loadKind = iota // it is stored before it is used
	loadResolve                   // from the variables of the rendering
	loadAlias                     // from a scope around
	loadUndefined                 // it is missing until it is set
)

type load struct {
	kind loadKind
	name string
	from *ident
}

// symbols are the names of a scope.
type symbols struct {
	parent   *symbols
	function *function
	refs     map[string]*ident
	loads    map[*ident]load
	stores   map[string]bool
	// idents has all variables of the scope, shared by the copies for branches.
	idents map[string]*ident
}

// newSymbols returns the symbols of a scope of f in parent, which can be nil.
//
// It is not inlined: the code of the command would be 5 KiB larger.
//
//go:noinline
func newSymbols(parent *symbols, f *function) *symbols {
	return &symbols{parent, f, make(map[string]*ident), make(map[*ident]load), make(map[string]bool), make(map[string]*ident)}
}

func (s *symbols) define(name string, l load) *ident {
	id := s.idents[name]
	if id == nil {
		id = &ident{s.function, s.function.slots}
		s.function.slots++
		s.idents[name] = id
	}
	s.refs[name] = id
	s.loads[id] = l
	return id
}

func (s *symbols) find(name string) *ident {
	for ; s != nil; s = s.parent {
		if id := s.refs[name]; id != nil {
			return id
		}
	}
	return nil
}

func (s *symbols) store(name string) {
	s.stores[name] = true
	if s.refs[name] != nil {
		return
	}
	if outer := s.parent.find(name); outer != nil {
		s.define(name, load{kind: loadAlias, from: outer})
		return
	}
	s.define(name, load{kind: loadUndefined})
}

func (s *symbols) declare(name string) *ident {
	s.stores[name] = true
	return s.define(name, load{kind: loadParam})
}

func (s *symbols) load(name string) {
	if s.find(name) == nil {
		s.define(name, load{kind: loadResolve, name: name})
	}
}

// branch returns a copy for a branch that may not run.
func (s *symbols) branch() *symbols {
	c := newSymbols(s.parent, s.function)
	c.idents = s.idents
	for name, id := range s.refs {
		c.refs[name] = id
	}
	for id, l := range s.loads {
		c.loads[id] = l
	}
	for name := range s.stores {
		c.stores[name] = true
	}
	return c
}

// merge takes over the branches: what only they store comes from around if they do not run.
func (s *symbols) merge(branches ...*symbols) {
	stores := make(map[string]bool)
	for _, b := range branches {
		for name := range b.stores {
			if !s.stores[name] {
				stores[name] = true
			}
		}
	}
	for _, b := range branches {
		for name, id := range b.refs {
			s.refs[name] = id
		}
		for id, l := range b.loads {
			s.loads[id] = l
		}
		for name := range b.stores {
			s.stores[name] = true
		}
	}
	for name := range stores {
		target := s.find(name)
		if outer := s.parent.find(name); outer != nil {
			s.loads[target] = load{kind: loadAlias, from: outer}
		} else {
			s.loads[target] = load{kind: loadResolve, name: name}
		}
	}
}

// visit declares the names of a node, but not those of scopes inside it. asParam makes stored names
// parameters.
func (s *symbols) visit(n node, asParam bool) {
	switch n := n.(type) {
	case *nameExpr:
		switch {
		case asParam || n.param:
			s.declare(n.name)
		case n.store:
			s.store(n.name)
		default:
			s.load(n.name)
		}
	case *nsRef:
		s.load(n.name)
	case *ifStmt:
		s.visitIf(n)
	case *macroStmt:
		switch {
		case n.call != nil:
			s.visit(n.call, false)
		case !n.generation:
			s.store(n.name)
		}
	case *setStmt:
		s.visit(n.value, false)
		s.visit(n.target, false)
	case *setBlockStmt:
		s.visit(n.target, false)
	case *forStmt:
		s.visit(n.iter, false)
	case *filterStmt:
		s.visit(n.filter, false)
	case *withStmt:
		for _, v := range n.values {
			s.visit(v, false)
		}
	case *blockStmt, *autoescapeStmt:
	default:
		n.children(func(c node) { s.visit(c, asParam) })
	}
}

func (s *symbols) visitIf(n *ifStmt) {
	s.visit(n.tests[0], false)
	body := s.branch()
	body.visitAll(n.bodies[0])
	// All elifs are one branch, in which each is an if of its own.
	elif := s.branch()
	for i := 1; i < len(n.tests); i++ {
		elif.visitIf(&ifStmt{tests: n.tests[i : i+1], bodies: n.bodies[i : i+1]})
	}
	orElse := s.branch()
	orElse.visitAll(n.orElse)
	s.merge(body, elif, orElse)
}

func (s *symbols) visitAll(statements []statement) {
	for _, n := range statements {
		s.visit(n, false)
	}
}

// undeclared returns which of the names are read in nodes before another use declares them.
func undeclared(nodes []statement, names ...string) map[string]bool {
	found := make(map[string]bool)
	var visit func(n node)
	visit = func(n node) {
		switch n := n.(type) {
		case *nameExpr:
			at := slices.Index(names, n.name)
			switch {
			case at < 0:
			case !n.store:
				found[n.name] = true
			default:
				names = slices.Delete(slices.Clone(names), at, at+1)
			}
		case *blockStmt:
		default:
			n.children(visit)
		}
	}
	for _, n := range nodes {
		visit(n)
	}
	return found
}
