package axiom

import (
	"errors"
	"fmt"
)

// addPrefixes adds to the paths of each thread all of their beginnings, so that every
// execution is judged that has been performed only so far. Whether an execution counts as
// consistent is then asked of what has been performed alone, the choice that rule
// 8.3 leaves included.
func (e *enumerator) addPrefixes() error {
	for i, paths := range e.paths {
		seen := map[string]bool{}
		for _, p := range paths {
			for k := range p.actions {
				if a := &p.actions[k]; a.kind > fence {
					return errors.New("axiom: beginnings of executions with barriers or commands")
				}
				key := fmt.Sprint(p.actions[:k])
				if seen[key] {
					continue
				}
				seen[key] = true
				e.paths[i] = append(e.paths[i], path{actions: p.actions[:k:k], partial: true})
			}
		}
	}
	return nil
}

// partial reports whether some thread has more to do.
func (c *candidate) partial() bool {
	for _, p := range c.paths {
		if p.partial {
			return true
		}
	}
	return false
}
