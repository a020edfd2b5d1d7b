package lab

import (
	"context"
	"io"
	"maps"

	"weir/internal/agent"
	"weir/internal/endhost"
	"weir/internal/remote"
)

// PlayRole plays a role that labs start weir's own program for (agent.Verb), until
// its input ends.
func PlayRole(ctx context.Context, role string, in io.Reader, out io.Writer) error {
	roles := agent.Roles()
	maps.Copy(roles, endhost.Roles)
	maps.Copy(roles, remote.Roles)
	return agent.Run(ctx, roles, role, in, out)
}
