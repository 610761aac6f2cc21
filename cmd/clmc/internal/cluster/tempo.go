package cluster

import "time"

// tempo is how long a client waits for what. Tests are in more of a hurry.
type tempo struct {
	// patience is how long a request may take, with all its repetitions: a server that is started
	// again is back by then. Whoever searches never waits for one.
	patience time.Duration
	ask      time.Duration // for an answer, which does not come if the connection is lost meanwhile
	retry    time.Duration // between two attempts to reach the server

	reconnect time.Duration // between looks whether a server that is gone is back
	ping      time.Duration // between looks whether it is gone

	fetch      time.Duration // for messages, at a time
	heartbeat  time.Duration // after which the server says that it is there
	shortLimit int           // how often in a row a stream may seem shorter than it was

	back time.Duration // for own batches that cannot be published to come back

	// Between two attempts to publish, at first and at last, and how long one may take.
	offerAgain, offerMost, offer time.Duration
}

// usual is the tempo of who has no other.
func usual() tempo {
	return tempo{
		patience: 20 * time.Second, ask: 3 * time.Second, retry: 250 * time.Millisecond,
		reconnect: time.Second, ping: 10 * time.Second,
		fetch: 5 * time.Second, heartbeat: 2 * time.Second, shortLimit: 20,
		back:       10 * time.Second,
		offerAgain: 100 * time.Millisecond, offerMost: 2 * time.Second, offer: 5 * time.Second,
	}
}
