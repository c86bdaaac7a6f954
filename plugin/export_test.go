package plugin

import "github.com/vinoir/vinoir/ir"

// CheckPasses sets a function that c calls with each graph that a pass has changed.
func (c *Core) CheckPasses(check func(pass string, m *ir.Model)) { c.checkPass = check }

// len returns the number of entries.
func (l *lru) len() int {
	l.plans.mu.Lock()
	defer l.plans.mu.Unlock()
	return len(l.entries)
}
