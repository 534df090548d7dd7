package io.controllermanager.leaderelection.internal;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How many of several Leases each process holds, and what follows from it for one of them. A Lease moves only from a process
 * that holds at least two more than the one that it goes to: each move makes the numbers more equal, so that moves come to
 * an end, and where numbers differ by one nothing moves back and forth.
 *
 * @param leases all that this process competes for, as far as it has seen them
 * @param me this process's identity
 */
record BalanceSpread(List<Held> leases, String me) {

    /** From which difference on a Lease moves. */
    private static final int ENOUGH = 2;

    /** One Lease: who holds it, empty if nobody does, and who has asked for it, null if nobody has. */
    record Held(String name, String holder, @Nullable String preferredHolder) {}

    /** How many Leases each process holds, this one's number being there in any case. */
    private Map<String, Integer> numbers() {
        Map<String, Integer> numbers = new TreeMap<>(Map.of(me, 0));
        for (Held lease : leases) {
            if (!lease.holder().isEmpty()) {
                numbers.merge(lease.holder(), 1, Integer::sum);
            }
        }
        return numbers;
    }

    /** How many Leases a process holds. */
    private int number(String process) {
        return numbers().getOrDefault(process, 0);
    }

    /** By how many Leases this process is ahead of the one that holds fewest, of those that hold any. */
    int lead() {
        return number(me) - numbers().values().stream().reduce(Integer.MAX_VALUE, Math::min);
    }

    /**
     * Which Lease this process should ask for: one of those who hold most, if that is enough more than this one has.
     *
     * @param random from 0 to 1, so that several who ask at a time ask for different ones
     * @param mayHave whether this process would take the Lease of that name
     * @return its name, null for none: numbers are even, this process has asked already, or others were first
     */
    @Nullable
    String wish(DoubleSupplier random, Predicate<String> mayHave) {
        int most = numbers().values().stream().reduce(0, Math::max);
        boolean asked = leases.stream().anyMatch(lease -> me.equals(lease.preferredHolder()));
        if (asked || most - number(me) < ENOUGH) {
            return null;
        }
        List<String> choice = leases.stream()
                .filter(lease -> lease.preferredHolder() == null)
                .filter(lease -> number(lease.holder()) == most)
                .map(Held::name)
                .filter(mayHave)
                .toList();
        return choice.isEmpty() ? null : choice.get((int) (random.getAsDouble() * choice.size()));
    }

    /** Whether the holder of a Lease has enough more than this process to spare it. */
    boolean maySpare(String lease) {
        return leases.stream()
                .anyMatch(held -> held.name().equals(lease)
                        && !held.holder().isEmpty()
                        && number(held.holder()) - number(me) >= ENOUGH);
    }

    /** Whether this process should let another have one of its Leases. */
    boolean grants(String asker) {
        return number(me) - number(asker) >= ENOUGH;
    }
}
