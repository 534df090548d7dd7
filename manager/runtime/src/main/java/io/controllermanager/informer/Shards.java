package io.controllermanager.informer;

import io.controllermanager.client.internal.request.Keys;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a controller's keys are divided among replicas: equal ranges of a 64-bit hash, FNV-1a of the UTF-8 text. As it is, that
 * is how the API server divides collections by {@code shardSelector} (KEP-5866). By namespace and by name it is mixed once
 * more, so that any names spread.
 *
 * @param count the number of shards, 1 for no division
 * @param by what is hashed
 */
public record Shards(int count, By by) {

    /** More shards than replicas that anybody runs; each is a Lease. */
    public static final int MOST = 256;

    /** No division. */
    public static final Shards ONE = new Shards(1, By.NAMESPACE);

    private static final long OFFSET_BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    /** What is hashed of an object. */
    public enum By {
        /** Its namespace, so that what lives together stays together. */
        NAMESPACE,
        /** Its namespace as the API server can filter it. Names that differ at their ends alone fall together. */
        NAMESPACE_RANGE,
        /** Its namespace and name. */
        NAME,
        /** Its uid, which the API server can filter. */
        UID;

        /** As the property has it, such as {@code namespace-range}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public Shards {
        if (count < 1 || count > MOST) {
            throw new IllegalArgumentException("shards must be from 1 to " + MOST + ", but is " + count);
        }
    }

    /** Whether there is more than one shard. */
    public boolean divide() {
        return count > 1;
    }

    /** Whether the namespace alone decides, so that whatever refers to an object within it is of the same shard. */
    public boolean byNamespace() {
        return by == By.NAMESPACE || by == By.NAMESPACE_RANGE;
    }

    /**
     * The shard of an object or key, from 0.
     *
     * @param namespace null for what lives in none
     * @param uid needed where shards are by uid
     * @throws NullPointerException if what is hashed is missing
     */
    public int of(@Nullable String namespace, String name, @Nullable String uid) {
        return of(
                switch (by) {
                    case NAMESPACE -> mixed(hash(Objects.requireNonNull(namespace, "namespace")));
                    case NAMESPACE_RANGE -> hash(Objects.requireNonNull(namespace, "namespace"));
                    case NAME -> mixed(hash(Keys.shown(namespace, name)));
                    case UID -> hash(Objects.requireNonNull(uid, "uid"));
                });
    }

    /**
     * Has every bit depend on every bit, by the last steps of MurmurHash3. FNV-1a gives texts that differ in their last
     * characters alone nearly the same high bits. The API server's ranges have to do with that.
     */
    private static long mixed(long hash) {
        long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    /** The shard of a hash: the high 64 bits of its product with the number of shards. */
    int of(long hash) {
        return (int) (Math.multiplyHigh(hash, count) + (hash < 0 ? count : 0));
    }

    /** FNV-1a, 64 bits, unsigned. */
    static long hash(String text) {
        long hash = OFFSET_BASIS;
        for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (one & 0xff)) * PRIME;
        }
        return hash;
    }

    /**
     * What asks the API server for a shard's objects of a type by their own metadata, null if it cannot be asked: it knows
     * the bare hash only, and not of names.
     */
    public @Nullable String selector(int shard) {
        String key = switch (by) {
            case NAMESPACE_RANGE -> "object.metadata.namespace";
            case UID -> "object.metadata.uid";
            case NAMESPACE, NAME -> null;
        };
        return key == null ? null : "shardRange(%s, '%s', '%s')".formatted(key, bound(shard), bound(shard + 1));
    }

    /** Where a shard begins: the first hash that is not below 2^64 times its index by the number of shards. */
    private String bound(int shard) {
        if (shard == count) {
            return "0x10000000000000000";
        }
        BigInteger[] quotient = BigInteger.ONE
                .shiftLeft(64)
                .multiply(BigInteger.valueOf(shard))
                .divideAndRemainder(BigInteger.valueOf(count));
        BigInteger first = quotient[1].signum() == 0 ? quotient[0] : quotient[0].add(BigInteger.ONE);
        return "0x%016x".formatted(first);
    }
}
