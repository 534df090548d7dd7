package com.example.database;

import com.example.database.Tenants.Tenant;
import io.controllermanager.external.ExternalSystem;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The table by which accounting knows who has a database: outside Kubernetes, by the names of tenants. */
@Component
class Tenants implements ExternalSystem.ByName<String, Tenant> {

    private final JdbcClient table;

    /**
     * A row.
     *
     * @param name the tenant's
     * @param plan what the tenant pays for
     * @param database the namespace and name of the Database
     */
    record Tenant(String name, String plan, String database) {}

    Tenants(JdbcClient table) {
        this.table = table;
    }

    @Override
    public @Nullable Tenant read(String name) {
        return table.sql("select name, plan, database from tenants where name = ?")
                .param(name)
                .query(Tenant.class)
                .optional()
                .orElse(null);
    }

    @Override
    public Map<String, Tenant> readAll() {
        return table.sql("select name, plan, database from tenants").query(Tenant.class).list().stream()
                .collect(Collectors.toMap(Tenant::name, Function.identity()));
    }

    @Override
    public void create(String name, Tenant wanted) {
        table.sql("insert into tenants (name, plan, database) values (?, ?, ?)")
                .params(name, wanted.plan(), wanted.database())
                .update();
    }

    @Override
    public void update(String name, Tenant present, Tenant wanted) {
        table.sql("update tenants set plan = ?, database = ? where name = ?")
                .params(wanted.plan(), wanted.database(), name)
                .update();
    }

    @Override
    public void delete(String name) {
        table.sql("delete from tenants where name = ?").param(name).update();
    }

    /** Also what a server says that is going down. */
    @Override
    public boolean isOutage(Exception failure) {
        return failure instanceof DataAccessResourceFailureException;
    }
}
