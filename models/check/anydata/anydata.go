// Package anydata lets checks of package check explore models whose data are any: variables that are cl.Any, and arguments of //clmc:launch lines that
// are any. It brings a SAT solver, which other checks do without. Import it for that alone:
//
//	import _ "github.com/clmc/clmc/models/check/anydata"
package anydata

import (
	"github.com/clmc/clmc/internal/model"
	"github.com/clmc/clmc/internal/prove"
)

func init() { model.Classes = prove.Classes }
