package io.controllermanager.webhook.internal.answer;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.Converter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A type in three versions for tests: v1 is the hub, v1alpha1 lacks colours, v2 has one name for two fields. */
final class Shelves {

    private Shelves() {}

    record SpecAlpha(@Nullable Integer boards) {}

    record Size(@Nullable Integer width, @Nullable Integer depth) {}

    record Spec(
            @Nullable Integer boards,
            @Nullable String colour,
            @Nullable List<String> books,
            @Nullable Size size) {}

    record SpecTwo(
            @Nullable Integer shelves,
            @Nullable List<String> books,
            @Nullable String note) {}

    @CustomResource(group = "example.com", version = "v1alpha1", kind = "Shelf", plural = "shelves", storage = false)
    static final class ShelfAlpha extends CustomObject<SpecAlpha, Void> {}

    @CustomResource(group = "example.com", version = "v1", kind = "Shelf", plural = "shelves")
    static final class Shelf extends CustomObject<Spec, Void> {}

    @CustomResource(group = "example.com", version = "v2", kind = "Shelf", plural = "shelves", storage = false)
    static final class ShelfTwo extends CustomObject<SpecTwo, Void> {}

    @ConversionWebhook(value = ShelfAlpha.class, hub = Shelf.class, keepsLosses = true)
    static final class FromAlpha implements Converter<ShelfAlpha, Shelf> {

        @Override
        public Shelf toHub(ShelfAlpha object) {
            Shelf shelf = new Shelf();
            shelf.setSpec(new Spec(object.spec().boards(), null, null, null));
            return shelf;
        }

        @Override
        public ShelfAlpha fromHub(Shelf hub) {
            ShelfAlpha alpha = new ShelfAlpha();
            alpha.setSpec(new SpecAlpha(hub.spec().boards()));
            return alpha;
        }
    }

    @ConversionWebhook(value = ShelfTwo.class, hub = Shelf.class, keepsLosses = true)
    static final class FromTwo implements Converter<ShelfTwo, Shelf> {

        @Override
        public Shelf toHub(ShelfTwo object) {
            Shelf shelf = new Shelf();
            shelf.setSpec(new Spec(object.spec().shelves(), null, object.spec().books(), null));
            return shelf;
        }

        @Override
        public ShelfTwo fromHub(Shelf hub) {
            ShelfTwo two = new ShelfTwo();
            if (hub.spec().boards() != null && hub.spec().boards() < 0) {
                throw new IllegalArgumentException("spec.boards: must not be negative, but is "
                        + hub.spec().boards());
            }
            two.setSpec(new SpecTwo(hub.spec().boards(), hub.spec().books(), null));
            return two;
        }
    }

    static Conversions conversions() {
        Conversions conversions = new Conversions();
        conversions.add(FromAlpha.class, new FromAlpha());
        conversions.add(FromTwo.class, new FromTwo());
        return conversions;
    }
}
