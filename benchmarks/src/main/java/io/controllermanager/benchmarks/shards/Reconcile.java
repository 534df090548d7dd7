package io.controllermanager.benchmarks.shards;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A reconcile that a replica has recorded.
 *
 * @param begin by {@link System#nanoTime()}
 * @param end likewise
 * @param namespace that of its Foo
 */
record Reconcile(long begin, long end, String namespace) {

    /** Those of a record that ended after a moment. The last line may be torn by the process' end, and is left out then. */
    static List<Reconcile> read(Path record, long since) throws IOException {
        try (Stream<String> lines = Files.lines(record)) {
            return lines.map(line -> line.split(" ", -1))
                    .filter(parts -> parts.length == 3)
                    .map(parts -> new Reconcile(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2]))
                    .filter(reconcile -> reconcile.end() - since > 0)
                    .toList();
        }
    }
}
