package report

import (
	"fmt"

	"github.com/clmc/clmc/explore/trace"
	"github.com/clmc/clmc/memmodel"
)

// Folding: what comes again and again is shown once at its beginning and once at its end.

const (
	maxColumns = 4   // lanes that are shown in columns of text
	maxPeriod  = 24  // rows of a round that is looked for
	leastFold  = 4   // rounds from which on they are folded
	maxRows    = 400 // that are shown of a schedule
	headRows   = 100 // of these, at its beginning
)

// foldKey tells rows that are alike: by their lanes and places.
type foldKey struct {
	lane int
	pos  trace.Pos
	kind trace.Kind
	more bool
	part string // of a pipe, whose call is several steps: which part of it
}

func rowKey(t *trace.Trace, r *row) foldKey {
	s := t.Step(r.to)
	key := foldKey{lane: r.lane, pos: trace.Pos{File: s.File, Line: s.Line, Col: s.Col, Via: s.Via}, kind: s.Kind, more: r.from != r.to}
	if s.Region == memmodel.Pipe.String() {
		key.part = s.Location
	}
	return key
}

// fold leaves out the rounds of loops but the first and the last one, steps that many
// work-items take alike, and the middle of what is too long to read.
func fold(t *trace.Trace, rows []row) []row {
	rows = foldRounds(t, rows)
	rows = foldItems(t, rows)
	if len(rows) <= maxRows {
		return rows
	}
	cut := row{lane: -1, from: rows[headRows].from, to: rows[len(rows)-maxRows+headRows].to}
	cut.text = count(cut.to-cut.from+1, "step") + " left out: clmc explore --format json has them"
	return append(append(rows[:headRows:headRows], cut), rows[len(rows)-maxRows+headRows+1:]...)
}

// foldRounds folds rounds of up to maxPeriod rows.
func foldRounds(t *trace.Trace, rows []row) []row {
	keys := make([]foldKey, len(rows))
	for i := range rows {
		keys[i] = rowKey(t, &rows[i])
	}
	var out []row
	for i := 0; i < len(rows); {
		period, rounds := 0, 0
		for p := 1; p <= maxPeriod && i+p*leastFold <= len(rows); p++ {
			if n := repeats(rows[i:], keys[i:], p); n >= leastFold {
				period, rounds = p, n
				break
			}
		}
		if period == 0 {
			out = append(out, rows[i])
			i++
			continue
		}
		out = append(out, rows[i:i+period]...)
		first, last := i+period, i+period*(rounds-1)
		out = append(out, folded(rows[i:i+period], rows[first:last], rounds-2))
		out = append(out, rows[last:last+period]...)
		i = last + period
	}
	return out
}

// repeats returns how many times the first p rows are there, one after the other. What is at
// fault or named by the explanation is never taken for a repetition.
func repeats(rows []row, keys []foldKey, p int) int {
	n := 0
	for at := 0; at+p <= len(rows); at += p {
		for k := range p {
			if r := &rows[at+k]; keys[at+k] != keys[k] || r.mark || r.cited {
				return n
			}
		}
		n++
	}
	return n
}

// folded is the row that stands for rounds.
func folded(round, rows []row, n int) row {
	how := "the same"
	lane := rows[0].lane
	for i := range rows {
		if rows[i].text != round[i%len(round)].text {
			how = "alike"
		}
		if rows[i].lane != lane {
			lane = -1
		}
	}
	return row{lane: lane, from: rows[0].from, to: rows[len(rows)-1].to, text: fmt.Sprintf("× %s, %s", number(n), how)}
}

// foldItems folds what many work-items do alike, one after the other.
func foldItems(t *trace.Trace, rows []row) []row {
	var out []row
	for i := 0; i < len(rows); {
		n := 1
		key := rowKey(t, &rows[i])
		if !rows[i].mark && !rows[i].cited && rows[i].lane >= 0 {
			for ; i+n < len(rows); n++ {
				r := &rows[i+n]
				k := rowKey(t, r)
				if k.lane = key.lane; k != key || r.mark || r.cited || r.lane < 0 {
					break
				}
			}
		}
		if n < leastFold {
			out = append(out, rows[i])
			i++
			continue
		}
		first, last := &rows[i], &rows[i+n-1]
		out = append(out, *first, row{lane: -1, from: rows[i+1].from, to: rows[i+n-2].to, text: fmt.Sprintf("× %s, alike, of other work-items", number(n-2))}, *last)
		i += n
	}
	return out
}
