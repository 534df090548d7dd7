package io.controllermanager.network;

import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Selection;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.recorder.EventRecorder;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Brings the status of one Network in line with its spec and with the other Networks of its namespace.
 *
 * <p>Of two Networks that overlap neither is Ready, whichever came first: an address that both claim is in doubt for
 * both, and creation times, which have a resolution of one second and are made anew when a backup is restored, would be
 * a poor judge. A Network that is not valid claims nothing. Once the overlap ends the other one heals by itself.
 */
@Reconciles(Network.class)
final class NetworkReconciler implements ObjectReconciler<Network> {

    /** Normal: the Network became valid, or its range or gateway changed. */
    static final String DERIVED = "Derived";

    /** Normal: no other Network claims its addresses any more. */
    static final String OVERLAP_ENDED = "OverlapEnded";

    /**
     * Several workers, since a reconcile is mostly a wait for the API server; retries at most 8 s apart, so that after an
     * outage of the API server all is well soon after its return.
     */
    private static final ControllerOptions OPTIONS =
            ControllerOptions.DEFAULTS.withWorkers(8).withBackoff(Duration.ofMillis(5), Duration.ofSeconds(8));

    private final NetworkOverlaps overlaps = new NetworkOverlaps();

    @Override
    public void describe(ControllerDescription<Network> d) {
        // A status that somebody else has changed is set back at once.
        d.when(event -> true)
                .watches(
                        Selection.of(Network.TYPE),
                        network -> overlaps.map(network),
                        NetworkReconciler::rangeMayHaveChanged)
                .withoutErrorCondition()
                .options(OPTIONS);
    }

    /** Not so for the status that the controller writes itself, nor for a resync. */
    private static boolean rangeMayHaveChanged(ResourceEvent<Network> event) {
        return !(event instanceof ResourceEvent.Updated<Network> updated)
                || !Objects.equals(updated.before().spec(), updated.object().spec());
    }

    @Override
    public void start(ControllerContext context) {
        overlaps.follow(context.informer(Network.TYPE).lister());
    }

    @Override
    public Outcome reconcile(Network network, Reconciliation<Network> r) throws ApiException {
        Findings findings = findings(network);
        r.status(findings.status()).condition(findings.valid()).condition(findings.ready());
        if (r.writeStatus()) {
            tellValidity(network, findings, r);
            tellOverlap(network, findings, r);
        }
        return Outcome.done();
    }

    private Findings findings(Network network) {
        String namespace = network.getMetadata().getNamespace();
        String name = network.name();
        overlaps.refresh(namespace, name);
        Verdict verdict = Verdict.of(network.spec());
        List<CidrIndex.Entry> others = verdict instanceof Verdict.Valid valid
                ? overlaps.of(namespace, name, valid.cidr(), Findings.NAMED_OVERLAPS + 1)
                : List.of();
        return new Findings(verdict, others);
    }

    private static void tellValidity(Network network, Findings findings, Reconciliation<Network> r) {
        EventRecorder events = r.context().events();
        if (!(findings.verdict() instanceof Verdict.Valid)) {
            if (findings.valid().differsFrom(r.condition(Findings.VALID))) {
                events.warning(
                        network, findings.valid().reason(), findings.valid().message());
            }
        } else if (!findings.status().derivesTheSameAs(network.status())) {
            events.normal(network, DERIVED, findings.status().derived());
        }
    }

    private static void tellOverlap(Network network, Findings findings, Reconciliation<Network> r) {
        EventRecorder events = r.context().events();
        V1Condition before = r.condition(Findings.READY);
        if (!findings.overlaps().isEmpty()) {
            if (findings.ready().differsFrom(before)) {
                events.warning(network, Findings.OVERLAP, findings.ready().message());
            }
        } else if (before != null && Findings.OVERLAP.equals(before.getReason())) {
            events.normal(network, OVERLAP_ENDED, "no longer overlaps with another valid Network");
        }
    }
}
