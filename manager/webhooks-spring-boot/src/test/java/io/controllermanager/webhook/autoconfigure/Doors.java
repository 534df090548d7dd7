package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.reconciler.Index;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.Converter;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.MutatingWebhook;
import io.controllermanager.webhook.ValidatingWebhook;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import io.controllermanager.webhook.WebhookDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A type in two versions, with all that can be written for it. */
final class Doors {

    private Doors() {}

    record SpecOne(String colour) {}

    record SpecTwo(String paint, @Nullable String key) {}

    @CustomResource(group = "example.com", version = "v1", kind = "Door")
    static final class DoorOne extends CustomObject<SpecOne, Void> {}

    @CustomResource(group = "example.com", version = "v2", kind = "Door", storage = false)
    static final class DoorTwo extends CustomObject<SpecTwo, Void> {}

    static final ResourceType<DoorOne> ONE = ResourceType.of(DoorOne.class);
    static final ResourceType<DoorTwo> TWO = ResourceType.of(DoorTwo.class);

    static final Index<DoorTwo> BY_KEY = Index.of("key", door -> door.spec().key());

    @ConversionWebhook(value = DoorOne.class, hub = DoorTwo.class, keepsLosses = true)
    static final class Repaint implements Converter<DoorOne, DoorTwo> {

        @Override
        public DoorTwo toHub(DoorOne object) {
            DoorTwo two = new DoorTwo();
            two.setSpec(new SpecTwo(object.spec().colour(), null));
            return two;
        }

        @Override
        public DoorOne fromHub(DoorTwo hub) {
            DoorOne one = new DoorOne();
            one.setSpec(new SpecOne(hub.spec().paint()));
            return one;
        }
    }

    @ValidatingWebhook(DoorTwo.class)
    static final class OneKeyEach implements Validator<DoorTwo> {

        @Override
        public void describe(WebhookDescription description) {
            description.reads(TWO, BY_KEY).reads(ResourceTypes.SECRET);
        }

        @Override
        public Verdict create(DoorTwo door, Admission<DoorTwo> admission) {
            String key = door.spec().key();
            if (key == null) {
                return Verdict.allowed().warn("spec.key is not set: anybody can open it");
            }
            List<DoorTwo> others = admission.find(BY_KEY, key);
            if (!others.isEmpty()) {
                return Verdict.allowed()
                        .invalid("spec.key", key, "opens " + others.get(0).name());
            }
            return admission.find(ResourceTypes.SECRET, key) == null
                    ? Verdict.allowed().invalid("spec.key", key, "no Secret has this name")
                    : Verdict.allowed();
        }
    }

    @MutatingWebhook(DoorTwo.class)
    static final class White implements Defaulter<DoorTwo> {

        @Override
        public DoorTwo withDefaults(DoorTwo door, Admission<DoorTwo> admission) {
            if (door.spec().paint().isEmpty()) {
                door.setSpec(new SpecTwo("white", door.spec().key()));
            }
            return door;
        }
    }

    static final class NobodyAsks implements Validator<DoorTwo> {}

    @ValidatingWebhook(DoorTwo.class)
    static final class Second implements Validator<DoorTwo> {

        @Override
        public Verdict delete(DoorTwo object, Admission<DoorTwo> admission) {
            return Verdict.allowed();
        }
    }
}
