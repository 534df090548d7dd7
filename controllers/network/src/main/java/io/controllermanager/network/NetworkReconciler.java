package io.controllermanager.network;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the status of one Network in line with its spec and with the other Networks of its namespace.
 *
 * <p>Of two Networks that overlap neither is Ready, whichever came first: an address that both claim is in doubt for
 * both, and creation times, which have a resolution of one second and are made anew when a backup is restored, would be
 * a poor judge. A Network that is not valid claims nothing. Once the overlap ends the other one heals by itself.
 *
 * <p>The status is replaced as a whole, and only if it would change. It carries the resourceVersion that it was made
 * from, so that a Network that changed meanwhile is looked at again instead.
 */
final class NetworkReconciler implements Reconciler {

    private static final Logger log = LoggerFactory.getLogger(NetworkReconciler.class);

    private static final Result DONE = new Result(false);
    private static final Result AGAIN = new Result(true);
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final Lister<Network> networks;
    private final ResourceClient<Network> client;
    private final NetworkOverlaps overlaps;
    private final EventRecorder events;
    private final Clock clock;

    NetworkReconciler(
            Lister<Network> networks,
            ResourceClient<Network> client,
            NetworkOverlaps overlaps,
            EventRecorder events,
            Clock clock) {
        this.networks = networks;
        this.client = client;
        this.overlaps = overlaps;
        this.events = events;
        this.clock = clock;
        overlaps.follow(networks);
    }

    @Override
    public Result reconcile(Request request) {
        overlaps.refresh(request.getNamespace(), request.getName());
        Network network = networks.namespace(request.getNamespace()).get(request.getName());
        if (network == null || network.metadata().getDeletionTimestamp() != null) {
            return DONE;
        }
        NetworkStatus status =
                findings(network).toStatus(network.status(), network.metadata().getGeneration(), clock.now());
        return status.equals(network.status()) ? DONE : write(network, status);
    }

    private Findings findings(Network network) {
        Verdict verdict = Verdict.of(network.spec());
        List<CidrIndex.Entry> others = verdict instanceof Verdict.Valid valid
                ? overlaps.of(
                        network.metadata().getNamespace(),
                        network.metadata().getName(),
                        valid.cidr(),
                        Findings.NAMED_OVERLAPS + 1)
                : List.of();
        return new Findings(verdict, others);
    }

    private Result write(Network network, NetworkStatus status) {
        try {
            client.updateStatus(network.withStatus(status));
        } catch (ApiException e) {
            if (e.getCode() == NOT_FOUND) {
                log.atDebug().log("The Network is gone");
                return DONE;
            }
            if (e.getCode() == CONFLICT) {
                log.atDebug().log("The Network has changed meanwhile");
                return AGAIN;
            }
            throw new IllegalStateException("cannot write the status: " + e.getMessage(), e);
        }
        new StatusChange(network.status(), status).tell(events, network);
        return DONE;
    }
}
