package prove

import "slices"

// turns finds the registers that hold after two rounds what they held before, as pointers that are exchanged, p = 1 - p and p ^= 1 do: what a round makes
// of them is made of such registers and of what the loop does not change (docs/exploration/proofs.md, "Terms and forms").
func (m *machine) turns(forms []*form, back *way, mark int) {
	of := map[*term]*form{} // by what stood for it at the head of a round
	for _, f := range forms {
		if f.how == opSym || f.how == opConst {
			of[f.head] = f
		}
	}
	next := func(f *form) *term { return m.ext(back.regs[f.reg], f.w, false) }
	with := func(t *term, value func(*form) *term) *term {
		return m.rebuild(t, map[*term]*term{}, func(s *term) *term {
			if f := of[s]; f != nil {
				return value(f)
			}
			return s
		})
	}
	for again := true; again; {
		again = false
		for head, f := range of {
			foreign := slices.ContainsFunc(m.symbolsOf(next(f)), func(s *term) bool { return of[s] == nil && s.fresh && s.id >= mark })
			if foreign || with(next(f), next) != head || m.ext(next(f), 64, f.sign) != back.regs[f.reg] {
				delete(of, head)
				again = true
			}
		}
	}
	for _, f := range of {
		if f.how == opSym {
			f.how, f.exact, f.by = opIte, true, m.ext(with(next(f), func(f *form) *term { return m.ext(f.v0, f.w, false) }), 64, f.sign)
		}
	}
}
