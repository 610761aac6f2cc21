// Package optimise searches the cheapest orders, scopes and flags with which a model verifies, below what it has or above it.
package optimise
