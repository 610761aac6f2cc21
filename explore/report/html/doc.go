// Package html writes a report as one page for a browser: what went wrong and why, and
// the execution to step through. The page is one file that needs no network and no
// other: style, code and data are in it.
//
// What the report says first is written here, as HTML, and can be read without the
// page's code. The execution is data, in JSON, of which that code makes what is shown;
// it makes text and never markup of it. A policy in the page lets no other code run.
//
// The code is in page/, as modules, and is handed on as it is: see bundle.go.
//
// The package is a part of clmc and not of its Go API, which is models/check: it
// may change with any version.
package html
