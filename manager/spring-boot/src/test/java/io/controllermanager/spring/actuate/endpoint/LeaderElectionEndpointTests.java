package io.controllermanager.spring.actuate.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.informer.Shards;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.manager.internal.ShardState;
import io.controllermanager.manager.internal.ShardStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the endpoint says, with one Lease for all or one for each controller, and with shards or without. */
class LeaderElectionEndpointTests {

    private static final LeadershipStatus STANDBY =
            new LeadershipStatus(true, "ns/manager", "pod-a", false, "pod-b", null, null, 7, null, null, "no watch");
    private static final LeadershipStatus OWN = new LeadershipStatus(
            true, "ns/manager-bar", "pod-a", true, "pod-a", Instant.EPOCH, null, 1, null, null, null);
    private static final DividedDescriptor FOO =
            DividedDescriptor.of(Shards.By.NAMESPACE, List.of(shard(0, "pod-a"), shard(1, "pod-b")));

    private static ShardStatus shard(int shard, String holder) {
        boolean here = holder.equals("pod-a");
        return new ShardStatus(
                shard,
                "ns/manager-foo-%d-of-2".formatted(shard),
                holder,
                here,
                here ? ShardState.WORKING : ShardState.ELSEWHERE,
                null,
                here ? 12 : 0,
                here ? Instant.EPOCH : null,
                here ? 1 : 0,
                3);
    }

    private static LeaderElectionEndpoint endpoint(
            Map<String, LeadershipStatus> each, Map<String, DividedDescriptor> divided) {
        return new LeaderElectionEndpoint(() -> STANDBY, () -> each, () -> divided);
    }

    @Test
    void withoutShardsItSaysWhoLeads() {
        assertThat(endpoint(Map.of(), Map.of()).leaderElection()).isEqualTo(STANDBY);
        LeaderElectionEndpoint each = endpoint(Map.of("bar", OWN), Map.of());
        assertThat(each.leaderElection()).isEqualTo(new LeaderElectionEndpoint.Controllers(Map.of("bar", OWN)));
        assertThat(each.leaderElection("bar")).isEqualTo(OWN);
        assertThat(each.leaderElection("foo")).isNull();
    }

    @Test
    void shardsComeBesideTheLeaseOfAll() {
        LeaderElectionEndpoint endpoint = endpoint(Map.of(), Map.of("foo", FOO));
        assertThat(endpoint.leaderElection())
                .isEqualTo(new LeaderElectionEndpoint.LeaseAndShards(
                        true,
                        "ns/manager",
                        "pod-a",
                        false,
                        "pod-b",
                        null,
                        null,
                        7,
                        null,
                        null,
                        "no watch",
                        Map.of("foo", FOO)));
        assertThat(FOO.count()).isEqualTo(2);
        assertThat(FOO.held()).isEqualTo(1);
        assertThat(endpoint.leaderElection("foo")).isEqualTo(FOO);
        assertThat(endpoint.leaderElection("bar")).isNull();
    }

    @Test
    void shardsComeBesideTheLeasesOfControllers() {
        LeaderElectionEndpoint endpoint = endpoint(Map.of("bar", OWN, "foo", STANDBY), Map.of("foo", FOO));
        assertThat(endpoint.leaderElection())
                .isEqualTo(new LeaderElectionEndpoint.ControllersAndShards(
                        Map.of("bar", OWN, "foo", STANDBY), Map.of("foo", FOO)));
        assertThat(endpoint.leaderElection("foo")).isEqualTo(FOO);
        assertThat(endpoint.leaderElection("bar")).isEqualTo(OWN);
    }
}
