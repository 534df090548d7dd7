package io.controllermanager.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.network.CidrIndex.Entry;
import io.controllermanager.network.IpAddress.Family;
import java.math.BigInteger;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Finding what overlaps, against a look at everything. */
class CidrIndexTest {

    private final CidrIndex index = new CidrIndex();

    @Test
    void findsTheSameAsALookAtEverything() {
        Random random = new Random(5);
        Map<String, Cidr> all = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            String name = "n" + random.nextInt(60);
            Cidr cidr = random.nextInt(4) == 0 ? null : near(random);
            index.put(name, cidr);
            if (cidr == null) {
                all.remove(name);
            } else {
                all.put(name, cidr);
            }

            Cidr query = near(random);
            String except = "n" + random.nextInt(60);
            List<Entry> expected = all.entrySet().stream()
                    .filter(entry -> !entry.getKey().equals(except))
                    .filter(entry -> entry.getValue().overlaps(query))
                    .map(entry -> new Entry(entry.getValue(), entry.getKey()))
                    .sorted(Comparator.comparing((Entry entry) -> entry.cidr().address())
                            .thenComparing(entry -> entry.cidr().prefixLength())
                            .thenComparing(Entry::name))
                    .toList();
            assertThat(index.overlapping(query, except, Integer.MAX_VALUE)).containsExactlyElementsOf(expected);
            assertThat(index.overlapping(query, except, 2))
                    .containsExactlyElementsOf(expected.subList(0, Math.min(2, expected.size())));
        }
        all.keySet().forEach(name -> index.put(name, null));
        assertThat(index.isEmpty()).isTrue();
    }

    /** A range in a corner of the address space where many meet. */
    private static Cidr near(Random random) {
        Family family = random.nextInt(4) == 0 ? Family.IPV6 : Family.IPV4;
        IpAddress address = new IpAddress(family, BigInteger.valueOf(0xa000000L + random.nextInt(256)));
        return new Cidr(address, family.bits() - random.nextInt(9)).masked();
    }

    @Test
    void holdsManyRangesWithinOne() {
        index.put("all", Cidr.parse("10.0.0.0/8"));
        for (int i = 0; i < 10_000; i++) {
            index.put("n" + i, new Cidr(new IpAddress(Family.IPV4, BigInteger.valueOf(0xa000000L + 256L * i)), 24));
        }

        for (int i = 0; i < 10_000; i++) {
            Cidr cidr = new Cidr(new IpAddress(Family.IPV4, BigInteger.valueOf(0xa000000L + 256L * i)), 24);
            assertThat(index.overlapping(cidr, "n" + i, 10))
                    .extracting(Entry::name)
                    .containsExactly("all");
        }
        assertThat(index.overlapping(Cidr.parse("10.0.0.0/8"), "all", Integer.MAX_VALUE))
                .hasSize(10_000);
    }
}
