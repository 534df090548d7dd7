package io.controllermanager.testing.foreigners.mysql;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A MySQL server, as far as the operators use one. */
public interface MySql {

    /** The encoding of a schema, null if there is no such schema. */
    @Nullable
    String encoding(String schema);

    /** Makes a schema that is not there, and its user. */
    void create(String schema, String encoding, String password);

    /** Changes the encoding of a schema. */
    void encode(String schema, String encoding);

    /** Removes a schema, if it is there, with its user and grants. */
    void drop(String schema);

    /** Who may read a schema. */
    Set<String> readers(String schema);

    /** Lets somebody read a schema that is there. */
    void grant(String schema, String reader);

    /** Lets somebody read a schema no more. */
    void revoke(String schema, String reader);

    /** One that has no server. */
    final class InMemory implements MySql {

        private final Map<String, Schema> schemas = new ConcurrentHashMap<>();

        private record Schema(String encoding, String password, Set<String> readers) {

            Schema with(String reader, boolean reads) {
                Set<String> changed = new TreeSet<>(readers);
                if (reads) {
                    changed.add(reader);
                } else {
                    changed.remove(reader);
                }
                return new Schema(encoding, password, changed);
            }
        }

        @Override
        public @Nullable String encoding(String schema) {
            Schema there = schemas.get(schema);
            return there == null ? null : there.encoding();
        }

        /** With what the user of a schema logs in, null if there is no such schema. */
        @Nullable
        String password(String schema) {
            Schema there = schemas.get(schema);
            return there == null ? null : there.password();
        }

        @Override
        public void create(String schema, String encoding, String password) {
            if (schemas.putIfAbsent(schema, new Schema(encoding, password, Set.of())) != null) {
                throw new IllegalStateException("there is a schema " + schema);
            }
        }

        @Override
        public void encode(String schema, String encoding) {
            schemas.computeIfPresent(schema, (name, was) -> new Schema(encoding, was.password(), was.readers()));
        }

        @Override
        public void drop(String schema) {
            schemas.remove(schema);
        }

        @Override
        public Set<String> readers(String schema) {
            Schema there = schemas.get(schema);
            return there == null ? Set.of() : there.readers();
        }

        @Override
        public void grant(String schema, String reader) {
            Objects.requireNonNull(
                    schemas.computeIfPresent(schema, (name, was) -> was.with(reader, true)),
                    () -> "there is no schema " + schema);
        }

        @Override
        public void revoke(String schema, String reader) {
            schemas.computeIfPresent(schema, (name, was) -> was.with(reader, false));
        }
    }
}
