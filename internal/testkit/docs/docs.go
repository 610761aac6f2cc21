// Package docs checks what the pages of docs say of the code: that the packages and
// their imports are those of docs/architecture.md, and that what the pages name exists.
// It has nothing but tests. What package each page speaks of is in the pages; to follow
// a change, run the tests with -update or mend the page.
package docs
