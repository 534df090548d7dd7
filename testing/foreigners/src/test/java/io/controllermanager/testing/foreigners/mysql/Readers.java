package io.controllermanager.testing.foreigners.mysql;

import io.controllermanager.external.ExternalSystem;
import io.controllermanager.testing.foreigners.mysql.Readers.Reader;
import org.jspecify.annotations.Nullable;

/** Who may read which schema. A grant is there or not, so that there is nothing to change. */
record Readers(MySql mysql) implements ExternalSystem.ByName<Reader, Boolean> {

    /** One who may read a schema. */
    record Reader(String schema, String name) {}

    @Override
    public @Nullable Boolean read(Reader reader) {
        return mysql.readers(reader.schema()).contains(reader.name()) ? true : null;
    }

    @Override
    public void create(Reader reader, Boolean wanted) {
        mysql.grant(reader.schema(), reader.name());
    }

    @Override
    public void update(Reader reader, Boolean present, Boolean wanted) {}

    @Override
    public void delete(Reader reader) {
        mysql.revoke(reader.schema(), reader.name());
    }
}
