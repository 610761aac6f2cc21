package hub

import "github.com/nats-io/nats-server/v2/server"

// inbox is where clmc's clients get their answers (cluster.InboxPrefix).
const inbox = "_INBOX_clmc.>"

// buckets are the streams behind clmc's buckets.
var buckets = []string{"KV_clmc-jobs", "KV_clmc-workers"}

// WorkerPermissions are those of whoever works on jobs, or submits them: they may add to what there is, and remove nothing.
// A job's stream is one word of a subject, of which no part can be a wildcard: so they may make streams, and read any.
func WorkerPermissions() *server.Permissions {
	publish := []string{
		"clmc.job.*.job", "clmc.job.*.batch.*", "$KV.clmc-jobs.>", "$KV.clmc-workers.>",
		"$JS.API.INFO", "$JS.API.STREAM.LIST", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.CREATE.*", "$JS.API.STREAM.MSG.GET.*", "$JS.API.DIRECT.GET.>",
		"$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.MSG.NEXT.>", "$JS.FC.>",
	}
	for _, b := range buckets {
		publish = append(publish, "$JS.API.CONSUMER.DELETE."+b+".*")
	}
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: publish},
		Subscribe: &server.SubjectPermission{Allow: []string{inbox}},
	}
}

// AdminPermissions are those of whoever may remove jobs, too.
func AdminPermissions() *server.Permissions {
	p := WorkerPermissions()
	p.Publish.Allow = append(p.Publish.Allow, "$JS.API.STREAM.DELETE.*", "$JS.API.STREAM.PURGE.*", "$JS.API.STREAM.UPDATE.*")
	return p
}
