package com.example.database;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.Default;
import io.controllermanager.types.ListMapKeys;
import io.controllermanager.types.ObjectName;
import io.controllermanager.types.PrinterColumn;
import io.controllermanager.types.ValidationRule;
import io.kubernetes.client.openapi.models.V1Condition;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL for one tenant. */
@CustomResource(group = "example.com", version = "v1")
@PrinterColumn(name = "Tenant", jsonPath = ".spec.tenant")
@PrinterColumn(name = "Class", jsonPath = ".spec.className")
@PrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@PrinterColumn(name = "Reason", jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason")
@PrinterColumn(name = "Backup", jsonPath = ".status.lastBackup")
// The names of Jobs begin with it, and a label of their Pods has 63 characters at most.
@ObjectName(maxLength = 40, pattern = "[a-z]([-a-z0-9]*[a-z0-9])?")
public final class Database extends CustomObject<Database.Spec, Database.Status> {

    /**
     * What is wanted.
     *
     * @param tenant Who uses it. One Database in the cluster has it, the first.
     * @param className The DatabaseClass.
     * @param users Who may log in.
     * @param backups When copies are made. Without it there are none.
     */
    public record Spec(
            @Size(max = 40)
            @Pattern(regexp = "[a-z][a-z0-9]*")
            @ValidationRule(value = "self == oldSelf", message = "cannot be changed; create another Database")
            String tenant,

            @Size(min = 1, max = 253) String className,

            @Default("[]") @Size(max = 20) @ListMapKeys("name")
            List<User> users,

            @Nullable Backups backups) {}

    /**
     * Somebody who may log in.
     *
     * @param namespace Where the Secret with the password is.
     * @param name Of one user of the Database. That of shop in orders has the Secret orders-user-shop and the role user_shop.
     */
    public record User(
            @Size(max = 63) @Pattern(regexp = "[a-z0-9]([-a-z0-9]*[a-z0-9])?")
            String namespace,

            @Size(max = 20) @Pattern(regexp = "[a-z][a-z0-9]*")
            String name) {}

    /**
     * When copies are made.
     *
     * @param schedule A cron expression, such as 0 2 * * *.
     * @param zone The time zone of the schedule.
     * @param keep How many copies' Jobs stay.
     * @param suspended Whether no copies are made for now.
     */
    public record Backups(
            @Size(min = 1, max = 100) String schedule,
            @Default("UTC") @Size(min = 1, max = 50) String zone,
            @Default("3") @Min(1) @Max(30) int keep,
            @Default("false") boolean suspended) {}

    /**
     * What the controller found.
     *
     * @param observedGeneration The generation of the spec that the status is about.
     * @param endpoint Where the database answers.
     * @param lastBackup When the newest copy that is complete was due.
     * @param conditions Stored, Running, Initialised and Registered are stages; Ready says whether all are reached.
     *     BackupsScheduled says whether spec.backups can be followed.
     */
    public record Status(
            @Nullable Long observedGeneration,
            @Nullable String endpoint,
            @Nullable String lastBackup,
            @Nullable List<V1Condition> conditions) {}
}
