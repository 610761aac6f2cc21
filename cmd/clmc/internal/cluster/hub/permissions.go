package hub

import "github.com/nats-io/nats-server/v2/server"

// inbox is where clmc's clients get their answers (cluster.InboxPrefix).
const inbox = "_INBOX_clmc.>"

// The streams of clmc: jobs, the queue of checks, and those of its buckets.
var streams = []string{"clmc-job-*", "clmc-work", "KV_clmc-jobs", "KV_clmc-workers", "KV_clmc-results"}

// WorkerPermissions are those of whoever works on jobs, or submits them: they may add to what there is, and remove nothing.
func WorkerPermissions() *server.Permissions {
	publish := []string{
		"clmc.job.*.job", "clmc.job.*.batch", "clmc.work.>",
		"$KV.clmc-jobs.>", "$KV.clmc-workers.>", "$KV.clmc-results.>",
		"$JS.API.INFO", "$JS.API.STREAM.LIST", "$JS.API.STREAM.NAMES",
		"$JS.ACK.>", "$JS.FC.>",
	}
	for _, s := range streams {
		publish = append(publish,
			"$JS.API.STREAM.INFO."+s, "$JS.API.STREAM.CREATE."+s, "$JS.API.STREAM.MSG.GET."+s, "$JS.API.DIRECT.GET."+s, "$JS.API.DIRECT.GET."+s+".>",
			"$JS.API.CONSUMER.CREATE."+s, "$JS.API.CONSUMER.CREATE."+s+".>", "$JS.API.CONSUMER.INFO."+s+".*",
			"$JS.API.CONSUMER.MSG.NEXT."+s+".*", "$JS.API.CONSUMER.DELETE."+s+".*")
	}
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: publish},
		Subscribe: &server.SubjectPermission{Allow: []string{inbox, "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.clmc-work.>"}},
	}
}

// AdminPermissions are those of whoever may remove jobs, too.
func AdminPermissions() *server.Permissions {
	p := WorkerPermissions()
	for _, s := range streams {
		p.Publish.Allow = append(p.Publish.Allow, "$JS.API.STREAM.DELETE."+s, "$JS.API.STREAM.PURGE."+s, "$JS.API.STREAM.UPDATE."+s)
	}
	return p
}
