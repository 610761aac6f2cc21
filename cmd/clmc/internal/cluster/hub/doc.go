// Package hub is a NATS server with JetStream in this process, for people who have none: with what a search needs of
// one set up, and closed to all but whom it has given keys.
package hub
