package com.example.app;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.PrinterColumn;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Condition;
import jakarta.validation.constraints.Min;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A database that begins with what a Job has restored into a claim. */
@CustomResource(group = "example.com", version = "v1")
@PrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
public final class Database extends CustomObject<Database.Spec, Database.Status> {

    /**
     * What is wanted.
     *
     * @param replicas How many Pods there are.
     * @param storage How much room each of them has, and the backup.
     */
    public record Spec(@Min(1) int replicas, Quantity storage) {}

    /**
     * What the controller found.
     *
     * @param observedGeneration The generation of the spec that the status is about.
     * @param conditions Ready says whether all Pods are ready, and if not, what is missing.
     */
    public record Status(
            @Nullable Long observedGeneration, @Nullable List<V1Condition> conditions) {}
}
