package io.controllermanager.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.network.IpAddress.Family;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.informer.cache.Cache;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** From a Network's event to the Networks that it concerns. */
class NetworkOverlapsTest {

    private final Cache<Network> store = new Cache<>();
    private final NetworkOverlaps overlaps = new NetworkOverlaps();

    NetworkOverlapsTest() {
        overlaps.follow(new Lister<>(store));
    }

    private Network put(String name, String cidr) {
        Network network = new Network(new V1ObjectMeta().namespace("default").name(name), new NetworkSpec(cidr, null));
        store.add(network);
        return network;
    }

    @Test
    void concernsThoseThatOverlapAndNotItself() {
        overlaps.map(put("a", "10.0.0.0/8"));
        overlaps.map(put("b", "10.1.0.0/16"));
        Network c = put("c", "10.2.0.0/16");

        assertThat(overlaps.map(c)).containsExactly(new Request("default", "a"));
    }

    @Test
    void concernsThoseThatOverlappedBefore() {
        Network before = put("a", "10.0.0.0/8");
        overlaps.map(before);
        overlaps.map(put("b", "10.1.0.0/16"));

        Network after = put("a", "11.0.0.0/8");
        assertThat(overlaps.map(before)).containsExactly(new Request("default", "b"));
        assertThat(overlaps.map(after)).isEmpty();
    }

    @Test
    void forgetsWhatIsDeleted() {
        Network a = put("a", "10.0.0.0/8");
        overlaps.map(a);
        Network b = put("b", "10.1.0.0/16");
        store.delete(a);

        assertThat(overlaps.map(a)).isEmpty();
        assertThat(overlaps.map(b)).isEmpty();
    }

    @Test
    void takesNoNoticeOfInvalidOnes() {
        overlaps.map(put("a", "10.0.0.0/8"));

        assertThat(overlaps.map(put("b", "10.1.0.5/16"))).isEmpty();
    }

    @Test
    void startsAfreshWithAnotherStore() {
        overlaps.map(put("a", "10.0.0.0/8"));
        Cache<Network> other = new Cache<>();
        overlaps.follow(new Lister<>(other));
        Network b = new Network(new V1ObjectMeta().namespace("default").name("b"), new NetworkSpec("10.0.0.0/8", null));
        other.add(b);

        assertThat(overlaps.map(b)).isEmpty();
    }

    /** Were each event compared with each Network, this would be some 10<sup>9</sup> comparisons. */
    @Test
    void servesTenThousandInOneNamespace() {
        Random random = new Random(6);
        List<Network> all = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            all.add(put(
                    "n" + i,
                    new Cidr(new IpAddress(Family.IPV4, BigInteger.valueOf(0xa00_0000L + 256L * i)), 24).toString()));
        }
        all.forEach(network -> assertThat(overlaps.map(network)).isEmpty());
        for (int i = 0; i < 100_000; i++) {
            assertThat(overlaps.map(all.get(random.nextInt(all.size())))).isEmpty();
        }
        Network holder = put("holder", "10.0.0.0/8");
        assertThat(overlaps.map(holder)).hasSize(10_000);
        assertThat(overlaps.map(all.get(0))).containsExactly(new Request("default", "holder"));
    }
}
