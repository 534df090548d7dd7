package io.controllermanager.informer.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A map from strings that never changes: a change makes a new map, which shares all but the few nodes on the way to the
 * changed key. So whoever has a map has a snapshot, for as long as they like, without a lock.
 *
 * <p>A hash trie whose nodes hold entries and smaller nodes side by side, each kind behind a bitmap: the CHAMP of Steindorfer
 * and Vinju (OOPSLA 2015). Iteration is in no particular order.
 *
 * <p>Measured beside libraries with 50,000 objects ({@code benchmarks/results/libraries.txt}): kotlinx's immutable collections
 * take as long and a fifth more memory, vavr twice the memory, pcollections four times.
 *
 * @param <V> the values' class
 */
final class PersistentMap<V> {

    private static final int BITS = 5;
    private static final int MASK = (1 << BITS) - 1;

    /** Where all bits of a hash are used up and keys are kept one after the other. */
    private static final int DEEPEST = 35;

    private static final PersistentMap<?> EMPTY = new PersistentMap<>(new Node(0, 0, new Object[0]), 0);

    private final Node root;
    private final int size;

    private PersistentMap(Node root, int size) {
        this.root = root;
        this.size = size;
    }

    /**
     * One level of the trie.
     *
     * @param entries which values of the level's hash bits have an entry here
     * @param nodes which have a node below this
     * @param content the entries' keys and values in turn, then the nodes in reverse order
     */
    // Compared by nobody.
    @SuppressWarnings("ArrayRecordComponent")
    private record Node(int entries, int nodes, Object[] content) {

        int entryAt(int bit) {
            return 2 * Integer.bitCount(entries & (bit - 1));
        }

        int nodeAt(int bit) {
            return content.length - 1 - Integer.bitCount(nodes & (bit - 1));
        }

        int entryCount() {
            return Integer.bitCount(entries);
        }

        boolean isSingleEntry() {
            return nodes == 0 && content.length == 2;
        }
    }

    /** The map without entries. */
    @SuppressWarnings("unchecked") // it has no values of any class
    static <V> PersistentMap<V> empty() {
        return (PersistentMap<V>) EMPTY;
    }

    /** A map with these entries, made at once. */
    static <V> PersistentMap<V> of(Map<String, V> from) {
        int size = from.size();
        String[] keys = new String[size];
        Object[] values = new Object[size];
        int[] order = new int[size];
        int at = 0;
        for (Map.Entry<String, V> entry : from.entrySet()) {
            keys[at] = entry.getKey();
            values[at] = entry.getValue();
            order[at] = at++;
        }
        return size == 0
                ? empty()
                : new PersistentMap<>(new Bulk(keys, values, new int[size]).node(order, 0, size, 0), size);
    }

    /** Builds nodes from arrays, without the copies that one change after another makes. */
    // Compared by nobody.
    @SuppressWarnings("ArrayRecordComponent")
    private record Bulk(String[] keys, Object[] values, int[] spare) {

        /** The node for the part of the order between two places, which it rearranges. */
        Node node(int[] order, int from, int to, int shift) {
            if (shift >= DEEPEST) {
                Object[] content = new Object[2 * (to - from)];
                for (int i = from; i < to; i++) {
                    content[2 * (i - from)] = keys[order[i]];
                    content[2 * (i - from) + 1] = values[order[i]];
                }
                return new Node(0, 0, content);
            }
            int[] ends = sort(order, from, to, shift);
            int entries = 0;
            int nodes = 0;
            for (int slot = 0, begin = from; slot <= MASK; begin = ends[slot++]) {
                int count = ends[slot] - begin;
                entries |= count == 1 ? 1 << slot : 0;
                nodes |= count > 1 ? 1 << slot : 0;
            }
            Object[] content = new Object[2 * Integer.bitCount(entries) + Integer.bitCount(nodes)];
            int entry = 0;
            int node = content.length;
            for (int slot = 0, begin = from; slot <= MASK; begin = ends[slot++]) {
                int count = ends[slot] - begin;
                if (count == 1) {
                    content[entry++] = keys[order[begin]];
                    content[entry++] = values[order[begin]];
                } else if (count > 1) {
                    content[--node] = node(order, begin, ends[slot], shift + BITS);
                }
            }
            return new Node(entries, nodes, content);
        }

        /** Sorts by the level's hash bits; gives where each value of these ends. */
        private int[] sort(int[] order, int from, int to, int shift) {
            int[] ends = new int[MASK + 1];
            for (int i = from; i < to; i++) {
                ends[(hash(keys[order[i]]) >>> shift) & MASK]++;
            }
            int end = from;
            for (int slot = 0; slot <= MASK; slot++) {
                int count = ends[slot];
                ends[slot] = end;
                end += count;
            }
            for (int i = from; i < to; i++) {
                spare[ends[(hash(keys[order[i]]) >>> shift) & MASK]++] = order[i];
            }
            System.arraycopy(spare, from, order, from, to - from);
            return ends;
        }
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    private static int hash(String key) {
        int hash = key.hashCode();
        // The lowest bits decide first, and those of names that end in numbers are much alike.
        return hash ^ (hash >>> 15);
    }

    /** The value, null if there is none. */
    @Nullable
    @SuppressWarnings("unchecked") // only values of this class are put in
    V get(String key) {
        int hash = hash(key);
        Node node = root;
        for (int shift = 0; shift < DEEPEST; shift += BITS) {
            int bit = 1 << ((hash >>> shift) & MASK);
            if ((node.entries & bit) != 0) {
                int at = node.entryAt(bit);
                return key.equals(node.content[at]) ? (V) node.content[at + 1] : null;
            }
            if ((node.nodes & bit) == 0) {
                return null;
            }
            node = (Node) node.content[node.nodeAt(bit)];
        }
        int at = find(node.content, key);
        return at < 0 ? null : (V) node.content[at + 1];
    }

    private static int find(Object[] content, String key) {
        for (int i = 0; i < content.length; i += 2) {
            if (key.equals(content[i])) {
                return i;
            }
        }
        return -1;
    }

    /** The map with the key's value set. */
    PersistentMap<V> with(String key, V value) {
        boolean added = get(key) == null;
        return new PersistentMap<>(
                put(root, 0, hash(key), key, Objects.requireNonNull(value)), added ? size + 1 : size);
    }

    private static Node put(Node node, int shift, int hash, String key, Object value) {
        Object[] content = node.content;
        if (shift >= DEEPEST) {
            int at = find(content, key);
            return at < 0
                    ? new Node(0, 0, inserted(content, content.length, key, value))
                    : new Node(0, 0, replaced(content, at + 1, value));
        }
        int bit = 1 << ((hash >>> shift) & MASK);
        if ((node.entries & bit) != 0) {
            int at = node.entryAt(bit);
            String present = (String) content[at];
            if (present.equals(key)) {
                return new Node(node.entries, node.nodes, replaced(content, at + 1, value));
            }
            Node below = put(
                    put(emptyNode(), shift + BITS, hash(present), present, content[at + 1]),
                    shift + BITS,
                    hash,
                    key,
                    value);
            return pushedDown(node, bit, at, below);
        }
        if ((node.nodes & bit) != 0) {
            int at = node.nodeAt(bit);
            Node below = put((Node) content[at], shift + BITS, hash, key, value);
            return new Node(node.entries, node.nodes, replaced(content, at, below));
        }
        return new Node(node.entries | bit, node.nodes, inserted(content, node.entryAt(bit), key, value));
    }

    private static Node emptyNode() {
        return EMPTY.root;
    }

    /** The node with an entry replaced by a node below. */
    private static Node pushedDown(Node node, int bit, int at, Node below) {
        Object[] from = node.content;
        int nodes = node.nodes | bit;
        Object[] to = new Object[from.length - 1];
        // Nodes stand in reverse order, so that the new one's place is counted from the end.
        int place = to.length - 1 - Integer.bitCount(nodes & (bit - 1));
        System.arraycopy(from, 0, to, 0, at);
        System.arraycopy(from, at + 2, to, at, place - at);
        to[place] = below;
        System.arraycopy(from, place + 2, to, place + 1, to.length - place - 1);
        return new Node(node.entries & ~bit, nodes, to);
    }

    /** The map without the key. */
    PersistentMap<V> without(String key) {
        if (get(key) == null) {
            return this;
        }
        return size == 1 ? empty() : new PersistentMap<>(remove(root, 0, hash(key), key), size - 1);
    }

    private static Node remove(Node node, int shift, int hash, String key) {
        Object[] content = node.content;
        if (shift >= DEEPEST) {
            return new Node(0, 0, cut(content, find(content, key)));
        }
        int bit = 1 << ((hash >>> shift) & MASK);
        if ((node.entries & bit) != 0) {
            return new Node(node.entries & ~bit, node.nodes, cut(content, node.entryAt(bit)));
        }
        int at = node.nodeAt(bit);
        Node below = remove((Node) content[at], shift + BITS, hash, key);
        return below.isSingleEntry()
                ? pulledUp(node, bit, at, below)
                : new Node(node.entries, node.nodes, replaced(content, at, below));
    }

    /** The node with a node below replaced by the only entry that is left in that. */
    private static Node pulledUp(Node node, int bit, int at, Node below) {
        Object[] from = node.content;
        int entries = node.entries | bit;
        int place = 2 * Integer.bitCount(entries & (bit - 1));
        Object[] to = new Object[from.length + 1];
        System.arraycopy(from, 0, to, 0, place);
        to[place] = below.content[0];
        to[place + 1] = below.content[1];
        System.arraycopy(from, place, to, place + 2, at - place);
        System.arraycopy(from, at + 1, to, at + 2, from.length - at - 1);
        return new Node(entries, node.nodes & ~bit, to);
    }

    private static Object[] replaced(Object[] content, int at, Object value) {
        Object[] copy = content.clone();
        copy[at] = value;
        return copy;
    }

    private static Object[] inserted(Object[] content, int at, Object key, Object value) {
        Object[] copy = new Object[content.length + 2];
        System.arraycopy(content, 0, copy, 0, at);
        copy[at] = key;
        copy[at + 1] = value;
        System.arraycopy(content, at, copy, at + 2, content.length - at);
        return copy;
    }

    private static Object[] cut(Object[] content, int at) {
        Object[] copy = new Object[content.length - 2];
        System.arraycopy(content, 0, copy, 0, at);
        System.arraycopy(content, at + 2, copy, at, copy.length - at);
        return copy;
    }

    /** Calls back for each entry. */
    void forEach(BiConsumer<String, V> consumer) {
        forEach(root, consumer);
    }

    @SuppressWarnings("unchecked") // only values of this class are put in
    private static <V> void forEach(Node node, BiConsumer<String, V> consumer) {
        // The deepest nodes have no bitmaps, and entries only.
        int end = node.entries == 0 && node.nodes == 0 ? node.content.length : 2 * node.entryCount();
        for (int i = 0; i < end; i += 2) {
            consumer.accept((String) node.content[i], (V) node.content[i + 1]);
        }
        for (int i = end; i < node.content.length; i++) {
            forEach((Node) node.content[i], consumer);
        }
    }

    /** The keys, in a list of one's own. */
    List<String> keys() {
        List<String> keys = new ArrayList<>(size);
        forEach((key, value) -> keys.add(key));
        return keys;
    }

    /** The values, in a list of one's own. */
    List<V> values() {
        List<V> values = new ArrayList<>(size);
        forEach((key, value) -> values.add(value));
        return values;
    }
}
