package run

import (
	"slices"

	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// charging returns the Run.Charge of the steps of b, whose memory budget limits.
func (b *bound) charging(budget *memory.Ledger) func(bytes int64) error {
	return func(bytes int64) error {
		if err := budget.Charge(bytes); err != nil {
			return err
		}
		b.reserved += bytes
		return nil
	}
}

// dropBounds drops the bound plans for which drop returns true, and gives back what their kernels
// have reserved.
func (e *Execution) dropBounds(drop func(*bound) bool) {
	e.Bounds = slices.DeleteFunc(e.Bounds, func(b *bound) bool {
		if !drop(b) {
			return false
		}
		e.shared.Budget.Add(-b.reserved)
		b.reserved = 0
		return true
	})
}

// isEvicted reports whether the cache has dropped the plan of b.
func isEvicted(b *bound) bool { return b.Plan.Evicted() }

// all is true for all plans.
func all(*bound) bool { return true }
