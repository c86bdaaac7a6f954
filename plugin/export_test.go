package plugin

import "github.com/vinoir/vinoir/ir"

// CheckPasses makes c call check with each graph that a pass has changed.
func (c *Core) CheckPasses(check func(pass string, m *ir.Model)) { c.checkPass = check }
