package plugin

import "github.com/vinoir/vinoir/ir"

// CheckPasses sets a function that c calls with each graph that a pass has changed.
func (c *Core) CheckPasses(check func(pass string, m *ir.Model)) { c.checkPass = check }
