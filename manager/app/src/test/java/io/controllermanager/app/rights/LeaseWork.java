package io.controllermanager.app.rights;

import static io.controllermanager.app.rights.Stage.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.rights.Proof.Group;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.EventsV1Api;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.EventsV1EventSeries;
import io.kubernetes.client.openapi.models.V1Lease;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ThrowingRunnable;

/** What leader election does, where one pod is left: it leads, whatever befalls its Leases. */
final class LeaseWork implements Work {

    private final Stage stage;
    private final CoordinationV1Api leases;
    private final EventsV1Api events;
    private final String namespace;
    private final List<String> names;

    LeaseWork(Stage stage) {
        this.stage = stage;
        this.leases = new CoordinationV1Api(stage.admin());
        this.events = new EventsV1Api(stage.admin());
        this.namespace = stage.release().namespace();
        this.names = stage.release().granted().stream()
                .filter(right -> right.what().equals("update leases"))
                .map(Right::name)
                .toList();
    }

    /** How many Leases there are. */
    int count() {
        return names.size();
    }

    @Override
    public void round(String name) throws Exception {
        for (String lease : names) {
            clearHolder(lease);
            soon("a free Lease is taken, and an Event tells so", () -> {
                expectHeld(lease);
                assertThat(events.listNamespacedEvent(namespace).execute().getItems())
                        .anyMatch(event -> event.getSeries() != null
                                && lease.equals(Objects.requireNonNull(event.getRegarding())
                                        .getName()));
            });
            leases.deleteNamespacedLease(lease, namespace).execute();
            soon("a lost Lease is made again", () -> expectHeld(lease));
        }
    }

    @Override
    public boolean needs(Right right) {
        return right.resource().equals("leases")
                || (right.resource().equals("events") && right.namespace().equals(namespace));
    }

    @Override
    public Proof proof(Right right) {
        String lease = right.name().isEmpty() ? names.get(0) : right.name();
        return switch (right.what()) {
            case "get leases" -> notMadeAgain(right, lease, Group.LEASE, 0);
            case "create leases" -> notMadeAgain(right, lease, Group.ELECTION, 1);
            case "update leases" ->
                Proof.of(
                        right,
                        Group.ELECTION,
                        () -> clearHolder(lease),
                        "nobody takes a free Lease",
                        () -> assertThat(holder(lease)).isNullOrEmpty(),
                        () -> expectHeld(lease));
            case "watch leases" ->
                // It is tried again half a minute later only.
                Proof.of(
                                right,
                                Group.WATCHES,
                                () -> stage.pod().cutConnections(),
                                "what befalls the Lease is not noticed at once, as the endpoint says",
                                () -> assertThat(whatIsSaidOf(lease)).contains("\"watchError\":\""),
                                () -> expectHeld(lease))
                        .position(2);
            case "create events" ->
                Proof.of(
                        right,
                        Group.WATCHES,
                        () -> {
                            events.deleteCollectionNamespacedEvent(namespace).execute();
                            clearHolder(lease);
                        },
                        "no Event tells who leads",
                        () -> {
                            expectHeld(lease);
                            assertThat(leaseEvents()).isEmpty();
                        },
                        once(
                                () -> clearHolder(lease),
                                () -> assertThat(leaseEvents()).isNotEmpty()));
            case "patch events" -> noSeries(right, lease);
            default -> throw new AssertionError("nothing is known to need the right to " + right);
        };
    }

    private Proof notMadeAgain(Right right, String lease, Group group, int position) {
        return Proof.of(
                        right,
                        group,
                        () -> leases.deleteNamespacedLease(lease, namespace).execute(),
                        "a lost Lease is not made again",
                        () -> assertThat(exists(lease)).isFalse(),
                        () -> expectHeld(lease))
                .position(position);
    }

    private Proof noSeries(Right right, String lease) {
        AtomicInteger before = new AtomicInteger();
        return Proof.of(
                        right,
                        Group.WRITES,
                        () -> {
                            before.set(counted());
                            clearHolder(lease);
                        },
                        "no Event tells that the same leads again",
                        () -> {
                            expectHeld(lease);
                            assertThat(counted()).isEqualTo(before.get());
                        },
                        once(
                                () -> clearHolder(lease),
                                () -> assertThat(counted()).isGreaterThan(before.get())))
                // The reconciles of others need a leader.
                .position(1)
                .prepared(() -> {
                    clearHolder(lease);
                    soon("it works", () -> {
                        expectHeld(lease);
                        assertThat(leaseEvents()).isNotEmpty();
                    });
                });
    }

    /** Does something before the first look. */
    private static ThrowingRunnable once(ThrowingRunnable cause, ThrowingRunnable look) {
        AtomicBoolean done = new AtomicBoolean();
        return () -> {
            if (done.compareAndSet(false, true)) {
                cause.run();
            }
            look.run();
        };
    }

    /** How often something came again, by the Events of all Leases. */
    private int counted() throws ApiException {
        return leaseEvents().stream()
                .map(EventsV1Event::getSeries)
                .filter(Objects::nonNull)
                .mapToInt(EventsV1EventSeries::getCount)
                .sum();
    }

    /** Waits until the pod leads wherever it can. */
    void awaitLeading() {
        for (String lease : names) {
            soon("somebody has the Lease", () -> expectHeld(lease));
        }
        soon(
                "it leads",
                () -> assertThat(stage.get(stage.pod(), "/actuator/leaderelection"))
                        .contains("\"leading\":true")
                        .doesNotContain("\"leading\":false"));
    }

    /** By the pod, of its own part in the election. An anchor that nothing is done by is told of with all together. */
    private String whatIsSaidOf(String lease) {
        String all = stage.get(stage.pod(), "/actuator/leaderelection");
        int own = all.indexOf("\"lease\":\"" + namespace + "/" + lease + "\"");
        int start = own < 0 ? all.indexOf("\"lease\":\"" + namespace + "/" + lease + "-*\"") : own;
        assertThat(start).as(all).isNotNegative();
        return all.substring(start, all.indexOf('}', start));
    }

    private List<EventsV1Event> leaseEvents() throws ApiException {
        return events.listNamespacedEvent(namespace).execute().getItems();
    }

    private void expectHeld(String lease) throws ApiException {
        assertThat(holder(lease)).as("holder of " + lease).isNotEmpty();
    }

    private boolean exists(String lease) throws ApiException {
        return leases.listNamespacedLease(namespace).execute().getItems().stream()
                .anyMatch(each -> lease.equals(each.getMetadata().getName()));
    }

    private String holder(String lease) throws ApiException {
        V1Lease read = leases.readNamespacedLease(lease, namespace).execute();
        return Objects.requireNonNull(read.getSpec()).getHolderIdentity();
    }

    /** By hand, as if whoever holds it had given it back. */
    private void clearHolder(String lease) {
        soon("the Lease loses its holder", () -> {
            V1Lease read = leases.readNamespacedLease(lease, namespace).execute();
            Objects.requireNonNull(read.getSpec()).setHolderIdentity("");
            leases.replaceNamespacedLease(lease, namespace, read).execute();
        });
    }
}
