package hub

import (
	"github.com/nats-io/nats-server/v2/server"

	"github.com/clmc/clmc/cmd/clmc/internal/cluster"
)

// Permissions are those of a key for the server: it may ask the registrar in its own name, and hear the answers. What it
// gets when it asks is in cluster.Rights. Nobody but the registrar may use JetStream's own requests.
func Permissions(r cluster.Role, who string) *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{cluster.Publishes(r, who)}},
		Subscribe: &server.SubjectPermission{Allow: []string{cluster.Hears(who)}},
	}
}
