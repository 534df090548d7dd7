package io.controllermanager.testing.foreigners.mysql;

import io.controllermanager.external.ExternalSystem;
import io.controllermanager.testing.foreigners.mysql.Schemas.Schema;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The schemas of a server, by their names. */
record Schemas(MySql mysql) implements ExternalSystem.ByName<String, Schema> {

    /**
     * A schema.
     *
     * @param password with what its user logs in; null where it was read, since a server tells nobody
     */
    record Schema(String encoding, @Nullable String password) {}

    @Override
    public @Nullable Schema read(String name) {
        String encoding = mysql.encoding(name);
        return encoding == null ? null : new Schema(encoding, null);
    }

    @Override
    public boolean isAsWanted(Schema present, Schema wanted) {
        return present.encoding().equals(wanted.encoding());
    }

    @Override
    public void create(String name, Schema wanted) {
        mysql.create(name, wanted.encoding(), Objects.requireNonNull(wanted.password()));
    }

    @Override
    public void update(String name, Schema present, Schema wanted) {
        mysql.encode(name, wanted.encoding());
    }

    @Override
    public void delete(String name) {
        mysql.drop(name);
    }
}
