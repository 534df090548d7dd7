package io.controllermanager.controller.internal.journal;

import io.controllermanager.client.internal.connection.RequestTrail.Effect;
import io.controllermanager.client.internal.connection.RequestTrail.Write;
import io.controllermanager.controller.internal.journal.ReconcileRecord.Reason;
import io.controllermanager.workqueue.internal.Cause;
import io.controllermanager.workqueue.internal.Causes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Records as few bytes. Names that come again and again, such as types and paths, are written once, and then as numbers. For one
 * thread at a time.
 */
final class Codec {

    /** What a record takes at most; it gets as few details as that needs. */
    static final int LARGEST = 400;

    /** Of all lists of a record together. */
    static final int PATHS = 8;

    /** Of one list; others are counted. */
    private static final int ENTRIES = 8;

    /** Longer names are cut: those of Kubernetes have 253 characters at most, and most have 40. */
    private static final int LONGEST_TEXT = 120;

    /** Names beyond these are written in full: those of labels and environment variables may be without end. */
    private static final int MOST_NAMES = 2_048;

    private static final int IN_FULL = 0;
    private static final int OWN_KEY = 1;
    private static final int FIRST_NAME = 2;

    private final long mostNameBytes;
    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private long nameBytes;

    /** Names beyond so many bytes are written in full too. */
    Codec(long mostNameBytes) {
        this.mostNameBytes = mostNameBytes;
    }

    /** How much memory the names take. */
    long nameBytes() {
        return nameBytes;
    }

    /**
     * A record as bytes.
     *
     * @param key of the record, which it names again and again
     */
    byte[] encode(String key, ReconcileRecord record) {
        byte[] encoded = new Writer(key, PATHS, ENTRIES).write(record);
        for (int entries = ENTRIES; encoded.length > LARGEST && entries > 0; entries /= 2) {
            encoded = new Writer(key, entries / 2, entries).write(record);
        }
        return encoded;
    }

    ReconcileRecord decode(String key, byte[] encoded) {
        return new Reader(key, ByteBuffer.wrap(encoded)).read();
    }

    private final class Writer {

        private final String key;
        private final int entries;
        private final Buffer out = new Buffer();
        private int pathsLeft;

        Writer(String key, int paths, int entries) {
            this.key = key;
            this.pathsLeft = paths;
            this.entries = entries;
        }

        byte[] write(ReconcileRecord record) {
            // Half of the paths are for the writes, unless those need less.
            int ofWrites = record.writes().stream()
                    .mapToInt(write -> write.paths().size())
                    .sum();
            int kept = Math.min(pathsLeft - pathsLeft / 2, ofWrites);
            out.writeLong(record.at().toEpochMilli());
            number(micros(record.took()));
            text(record.id());
            text(record.traceId());
            out.writeInt(record.priority());
            number(micros(record.waited()));
            name(record.delay() == null ? "" : record.delay().name());
            number(micros(record.delayed()));
            list(record.causes(), record.moreCauses(), cause -> {
                name(cause.kind().name());
                name(cause.source());
                text(cause.key());
                name(cause.via());
                number(cause.times());
                paths(cause.paths(), kept);
            });
            name(record.outcome());
            name(record.cause());
            out.writeByte(record.terminal() ? 1 : 0);
            number(record.again() == null ? 0 : 1 + micros(record.again()));
            list(record.writes(), record.moreWrites(), write -> {
                name(write.verb());
                name(write.type());
                text(write.key());
                name(write.effect().name());
                paths(write.paths(), 0);
            });
            list(record.failures(), record.moreFailures(), this::text);
            return out.readByteArray();
        }

        /** The first entries, and how many there are more. */
        private <T> void list(List<T> list, int more, Consumer<T> each) {
            int size = Math.min(entries, list.size());
            number(size);
            list.subList(0, size).forEach(each);
            number(more + list.size() - size);
        }

        /** As many as are left but for those that are kept for others. */
        private void paths(List<String> paths, int kept) {
            int size = Math.min(pathsLeft - kept, paths.size());
            pathsLeft -= size;
            number(size == paths.size() ? size : size + 1);
            paths.subList(0, size).forEach(this::name);
            if (size < paths.size()) {
                name("…");
            }
        }

        private void name(String full) {
            String name = cut(full);
            Integer known = numbers.get(name);
            if (known == null && names.size() < MOST_NAMES && nameBytes < mostNameBytes) {
                known = names.size();
                names.add(name);
                numbers.put(name, known);
                nameBytes += name.length() + Journal.OVERHEAD;
            }
            if (known == null) {
                text(name);
            } else {
                number(known + FIRST_NAME);
            }
        }

        private void text(String full) {
            if (full.equals(key)) {
                number(OWN_KEY);
                return;
            }
            byte[] bytes = cut(full).getBytes(StandardCharsets.UTF_8);
            number(IN_FULL);
            number(bytes.length);
            out.write(bytes);
        }

        /** Seven bits a byte. */
        private void number(long value) {
            long rest = value;
            for (; rest > 0x7f; rest >>>= 7) {
                out.writeByte((int) ((rest & 0x7f) | 0x80));
            }
            out.writeByte((int) rest);
        }
    }

    private final class Reader {

        private final String key;
        private final ByteBuffer in;

        Reader(String key, ByteBuffer in) {
            this.key = key;
            this.in = in;
        }

        ReconcileRecord read() {
            return new ReconcileRecord(
                    Instant.ofEpochMilli(in.getLong()),
                    duration(),
                    text(),
                    text(),
                    in.getInt(),
                    duration(),
                    delay(text()),
                    duration(),
                    list(() -> new Reason(
                            Cause.Kind.valueOf(text()), text(), text(), text(), (int) number(), list(this::text))),
                    (int) number(),
                    text(),
                    text(),
                    in.get() == 1,
                    again(number()),
                    list(() -> new Write(text(), text(), text(), Effect.valueOf(text()), list(this::text))),
                    (int) number(),
                    list(this::text),
                    (int) number());
        }

        private Duration duration() {
            return Duration.ofNanos(number() * 1_000);
        }

        private <T> List<T> list(Supplier<T> each) {
            long size = number();
            List<T> list = new ArrayList<>();
            for (long i = 0; i < size; i++) {
                list.add(each.get());
            }
            return list;
        }

        private String text() {
            int kind = (int) number();
            return switch (kind) {
                case IN_FULL -> read((int) number());
                case OWN_KEY -> key;
                default -> names.get(kind - FIRST_NAME);
            };
        }

        private String read(int count) {
            byte[] bytes = new byte[count];
            in.get(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }

        private long number() {
            long value = 0;
            for (int shift = 0; ; shift += 7) {
                byte next = in.get();
                value |= (long) (next & 0x7f) << shift;
                if (next >= 0) {
                    return value;
                }
            }
        }
    }

    private static Causes.@Nullable Delay delay(String name) {
        return name.isEmpty() ? null : Causes.Delay.valueOf(name);
    }

    private static @Nullable Duration again(long micros) {
        return micros == 0 ? null : Duration.ofNanos((micros - 1) * 1_000);
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT - 1) + "…";
    }

    /** One that is longer than this can tell is as long as it can. */
    private static long micros(Duration duration) {
        return Math.max(
                0,
                duration.compareTo(Duration.ofDays(100_000)) < 0 ? duration.toNanos() / 1_000 : Long.MAX_VALUE / 2_000);
    }
}
