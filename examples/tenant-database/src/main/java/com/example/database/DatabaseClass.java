package com.example.database;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.custom.Quantity;
import jakarta.validation.constraints.Size;

/** What many Databases have in common. */
@CustomResource(group = "example.com", version = "v1", namespaced = false)
public final class DatabaseClass extends CustomObject<DatabaseClass.Spec, Void> {

    /**
     * What its Databases get.
     *
     * @param image The image of PostgreSQL. A new one is rolled out to five Databases at a time.
     * @param storage The size of each volume. It can grow where the storage class allows that.
     */
    public record Spec(@Size(min = 1, max = 1000) String image, Quantity storage) {}
}
