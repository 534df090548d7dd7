package io.controllermanager.network;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The address ranges of one namespace by name, ordered so that those which overlap a given one are found without a look
 * at the rest. Two ranges overlap only if one holds the other: what a range holds lies beside it in address order, and
 * what holds it starts at its own first address cut to one of the prefix lengths in use.
 *
 * <p>Adding and removing cost the logarithm of the size; a search costs that for each prefix length in use, plus what it
 * finds. Safe for use by several threads.
 */
final class CidrIndex {

    /**
     * A named range.
     *
     * @param cidr the range, with no bit set after the prefix
     * @param name whose it is
     */
    record Entry(Cidr cidr, String name) {}

    private static final Comparator<Entry> BY_ADDRESS = Comparator.comparing(
                    (Entry entry) -> entry.cidr().address())
            .thenComparingInt(entry -> entry.cidr().prefixLength())
            .thenComparing(Entry::name);

    /** Above every name: names are ASCII. */
    private static final String AFTER_NAMES = "\uffff";

    private final Map<String, Cidr> byName = new HashMap<>();
    private final NavigableSet<Entry> byAddress = new TreeSet<>(BY_ADDRESS);
    private final TreeMap<Integer, Integer> countByPrefixLength = new TreeMap<>();

    /** Sets or, with null, removes the range of a name. */
    synchronized void put(String name, @Nullable Cidr cidr) {
        Cidr before = cidr == null ? byName.remove(name) : byName.put(name, cidr);
        if (before != null) {
            byAddress.remove(new Entry(before, name));
            countByPrefixLength.computeIfPresent(
                    before.prefixLength(), (length, count) -> count == 1 ? null : count - 1);
        }
        if (cidr != null) {
            byAddress.add(new Entry(cidr, name));
            countByPrefixLength.merge(cidr.prefixLength(), 1, Integer::sum);
        }
    }

    /**
     * The ranges that overlap the given one, those of one name left out.
     *
     * @param cidr the range to compare with
     * @param exceptName whose ranges to leave out
     * @param limit how many to return at most
     * @return those that hold the range, widest first, then those within it in the order of their addresses
     */
    synchronized List<Entry> overlapping(Cidr cidr, String exceptName, int limit) {
        List<Entry> found = new ArrayList<>();
        Predicate<Entry> wanted = entry -> !entry.name().equals(exceptName);
        for (int length : countByPrefixLength.headMap(cidr.prefixLength()).keySet()) {
            Cidr holder = new Cidr(cidr.address(), length).masked();
            collect(byAddress.subSet(from(holder), to(holder.address(), length)), wanted, limit, found);
        }
        // At the same first address a longer prefix sorts later, so this holds neither a holder nor a stranger.
        collect(byAddress.subSet(from(cidr), to(cidr.last(), cidr.family().bits())), wanted, limit, found);
        return found;
    }

    private static void collect(Iterable<Entry> entries, Predicate<Entry> wanted, int limit, List<Entry> found) {
        for (Entry entry : entries) {
            if (found.size() >= limit) {
                return;
            }
            if (wanted.test(entry)) {
                found.add(entry);
            }
        }
    }

    private static Entry from(Cidr cidr) {
        return new Entry(cidr, "");
    }

    private static Entry to(IpAddress lastNetwork, int longestPrefix) {
        return new Entry(new Cidr(lastNetwork, longestPrefix), AFTER_NAMES);
    }

    synchronized boolean isEmpty() {
        return byName.isEmpty();
    }
}
