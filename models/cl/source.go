package cl

import "embed"

// SourceFiles holds the source of this package for the checker, which
// type-checks models against it. It is no part of the modelling language; the
// file that declares it is left out when models are checked.
//
//go:embed async.go atomic.go barrier.go collective.go command.go doc.go enqueue.go host.go image.go legacy.go memory.go order.go pipe.go property.go rect.go types.go workitem.go
var SourceFiles embed.FS
