//go:build !linux

package main

func writePeak() {}
