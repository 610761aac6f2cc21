// Package cluster spreads searches over machines by way of a NATS server with JetStream.
//
// A job is a search: one stream, which begins with the job's description and goes on with the batches of all who work
// on it. A Link is one worker's end of that stream. Nobody coordinates, and whatever dies, the stream has all that is
// needed to go on. docs/distribution.md argues why a worker that uses what it reads there never misses what was found.
//
// What a description and a batch's payload mean is the business of those who call.
package cluster
