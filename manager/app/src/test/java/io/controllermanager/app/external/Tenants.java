package io.controllermanager.app.external;

import io.controllermanager.external.ExternalSystem;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of a table, by the names of tenants. */
final class Tenants implements ExternalSystem.ByName<String, Tenants.Tenant> {

    private final Database database;

    /** Gives connections. */
    interface Database {
        Connection connect() throws SQLException;
    }

    /**
     * A row.
     *
     * @param plan what the tenant pays for
     * @param owner the object that asks for it
     */
    record Tenant(String plan, String owner) {}

    Tenants(Database database) {
        this.database = database;
    }

    @Override
    public @Nullable Tenant read(String name) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement select =
                        connection.prepareStatement("select plan, owner from tenants where name = ?")) {
            select.setString(1, name);
            ResultSet rows = select.executeQuery();
            return rows.next() ? new Tenant(rows.getString(1), rows.getString(2)) : null;
        }
    }

    @Override
    public Map<String, Tenant> readAll() throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement select = connection.prepareStatement("select name, plan, owner from tenants")) {
            Map<String, Tenant> all = new HashMap<>();
            for (ResultSet rows = select.executeQuery(); rows.next(); ) {
                all.put(rows.getString(1), new Tenant(rows.getString(2), rows.getString(3)));
            }
            return all;
        }
    }

    @Override
    public void create(String name, Tenant wanted) throws SQLException {
        execute("insert into tenants (plan, owner, name) values (?, ?, ?)", wanted.plan(), wanted.owner(), name);
    }

    @Override
    public void update(String name, Tenant present, Tenant wanted) throws SQLException {
        execute("update tenants set plan = ?, owner = ? where name = ?", wanted.plan(), wanted.owner(), name);
    }

    @Override
    public void delete(String name) throws SQLException {
        execute("delete from tenants where name = ?", name);
    }

    /** PostgreSQL says by the state that it cannot be reached, or is about to stop or start. */
    @Override
    public boolean isOutage(Exception failure) {
        return failure instanceof SQLException sql
                && sql.getSQLState() != null
                && sql.getSQLState().matches("(08|57).*");
    }

    private void execute(String sql, String... parameters) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int index = 0; index < parameters.length; index++) {
                statement.setString(index + 1, parameters[index]);
            }
            statement.executeUpdate();
        }
    }
}
