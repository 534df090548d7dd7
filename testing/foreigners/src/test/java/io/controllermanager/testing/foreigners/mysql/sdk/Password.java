package io.controllermanager.testing.foreigners.mysql.sdk;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.GarbageCollected;
import io.javaoperatorsdk.operator.processing.dependent.Creator;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependentResource;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;

/** With what the user of a schema logs in. Made once, since it is no {@code Updater}. */
public class Password extends KubernetesDependentResource<Secret, MySqlSchema>
        implements Creator<Secret, MySqlSchema>, GarbageCollected<MySqlSchema> {

    @Override
    protected Secret desired(MySqlSchema schema, Context<MySqlSchema> context) {
        byte[] password = UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
        return new SecretBuilder()
                .withMetadata(new ObjectMetaBuilder()
                        .withName(schema.getMetadata().getName())
                        .withNamespace(schema.getMetadata().getNamespace())
                        .build())
                .addToData("password", Base64.getEncoder().encodeToString(password))
                .build();
    }

    static String of(Context<MySqlSchema> context) {
        String encoded = context.getSecondaryResource(Secret.class)
                .orElseThrow()
                .getData()
                .get("password");
        return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    }
}
