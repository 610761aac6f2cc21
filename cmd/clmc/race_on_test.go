//go:build race

package main

// underRace: the race detector is at work, which takes memory.
const underRace = true
