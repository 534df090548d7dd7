package io.controllermanager.app.external;

import io.controllermanager.app.external.Tenants.Tenant;
import io.controllermanager.external.External;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.reconciler.Cleaner;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciliation;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;

/** Keeps a row, and a ticket for whoever bills it, for each ConfigMap. */
final class TenantReconciler implements ObjectReconciler<V1ConfigMap>, Cleaner<V1ConfigMap> {

    static final Duration POLL = Duration.ofSeconds(30);

    private final External<String, Tenant> tenants;
    private final External<String, String> tickets;

    TenantReconciler(Tenants.Database database) {
        this.tenants = External.byName("tenant", String.class, new Tenants(database))
                .pollAllEvery(POLL)
                .limit(20, 20)
                .adopts((present, wanted) -> present.owner().equals(wanted.owner()));
        this.tickets = External.byId("ticket", new Tickets(database)).pollEvery(POLL);
    }

    @Override
    public void describe(ControllerDescription<V1ConfigMap> d) {
        d.external(tenants).external(tickets).finalizer("example.com/tenants");
    }

    @Override
    public Outcome reconcile(V1ConfigMap object, Reconciliation<V1ConfigMap> r) throws ApiException {
        String name = object.getMetadata().getName();
        String plan = object.getData().get("plan");
        Readiness row = r.external(tenants).ensure(name, new Tenant(plan, "ConfigMap " + name));
        if (!row.isReady()) {
            return Outcome.of(row);
        }
        return Outcome.of(r.external(tickets).ensure("bill", name + " pays for " + plan));
    }

    @Override
    public Outcome cleanup(V1ConfigMap object, Reconciliation<V1ConfigMap> r) throws ApiException {
        Readiness ticket = r.external(tickets).remove();
        if (!ticket.isReady()) {
            return Outcome.of(ticket);
        }
        Readiness row = r.external(tenants).remove();
        return row.isReady() ? Outcome.done() : Outcome.of(row);
    }
}
