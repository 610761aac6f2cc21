// Package share is what several workers on one search tell each other: batches of facts
// about states that are done, what was found below them, and the log that keeps the
// batches in order. It knows neither the search nor how a log is kept: the search is
// explore, and a log is in memory here (Local), or wherever a Link leads.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package share
