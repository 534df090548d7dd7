// Package dns has what the operator keeps outside Kubernetes. A real one calls its DNS provider here.
package dns

import (
	"log/slog"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Records has the owner of each host. Each call may come again.
type Records struct {
	owners sync.Map
}

// Publish has the host lead to this cluster.
func (r *Records) Publish(host string, owner types.UID) {
	if before, _ := r.owners.Swap(host, owner); before != owner {
		slog.Info("a host leads here", "host", host)
	}
}

// Remove removes the record, if it is this owner's.
func (r *Records) Remove(host string, owner types.UID) {
	if r.owners.CompareAndDelete(host, owner) {
		slog.Info("a host leads nowhere", "host", host)
	}
}
