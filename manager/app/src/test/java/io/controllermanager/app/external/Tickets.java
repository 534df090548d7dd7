package io.controllermanager.app.external;

import io.controllermanager.app.external.Tenants.Database;
import io.controllermanager.external.ExternalSystem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The rows of a table that numbers them. A column keeps the token, so that no row is made twice. */
final class Tickets implements ExternalSystem.ById<String> {

    private final Database database;

    Tickets(Database database) {
        this.database = database;
    }

    @Override
    public @Nullable String read(String id) throws SQLException {
        return ask("select text from tickets where id = ?::bigint", id);
    }

    @Override
    public String create(String token, String wanted) throws SQLException {
        return String.valueOf(ask("""
                insert into tickets (token, text) values (?, ?)
                on conflict (token) do update set token = excluded.token returning id""", token, wanted));
    }

    @Override
    public @Nullable String find(String token, @Nullable String wanted) throws SQLException {
        return ask("select id from tickets where token = ?", token);
    }

    @Override
    public void update(String id, String present, String wanted) throws SQLException {
        ask("update tickets set text = ? where id = ?::bigint returning id", wanted, id);
    }

    @Override
    public void delete(String id) throws SQLException {
        ask("delete from tickets where id = ?::bigint returning id", id);
    }

    /** The first column of the first row, null if there is none. */
    private @Nullable String ask(String sql, String... parameters) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int index = 0; index < parameters.length; index++) {
                statement.setString(index + 1, parameters[index]);
            }
            ResultSet rows = statement.executeQuery();
            return rows.next() ? rows.getString(1) : null;
        }
    }
}
