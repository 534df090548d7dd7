package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.Default;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.Converter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RoundTripTest {

    record Book(String title, @Nullable Integer pages) {}

    record Spec(
            @Default("1") int boards,
            @Nullable String colour,
            @Nullable List<Book> books) {}

    record AlphaSpec(@Default("1") int boards) {}

    record TwoSpec(
            @Default("1") int shelves,
            @Nullable String colour,
            @Nullable List<Book> books) {}

    @CustomResource(group = "example.com", version = "v1", kind = "Shelf")
    static final class Shelf extends CustomObject<Spec, Void> {}

    @CustomResource(group = "example.com", version = "v1alpha1", kind = "Shelf", storage = false)
    static final class ShelfAlpha extends CustomObject<AlphaSpec, Void> {}

    @CustomResource(group = "example.com", version = "v2", kind = "Shelf", storage = false)
    static final class ShelfTwo extends CustomObject<TwoSpec, Void> {}

    @ConversionWebhook(value = ShelfAlpha.class, hub = Shelf.class, keepsLosses = true)
    static final class FromAlpha implements Converter<ShelfAlpha, Shelf> {

        @Override
        public Shelf toHub(ShelfAlpha object) {
            return shelf(new Spec(object.spec().boards(), null, null));
        }

        @Override
        public ShelfAlpha fromHub(Shelf hub) {
            ShelfAlpha alpha = new ShelfAlpha();
            alpha.setSpec(new AlphaSpec(hub.spec().boards()));
            return alpha;
        }
    }

    @ConversionWebhook(value = ShelfTwo.class, hub = Shelf.class)
    static class FromTwo implements Converter<ShelfTwo, Shelf> {

        @Override
        public Shelf toHub(ShelfTwo object) {
            return shelf(new Spec(
                    object.spec().shelves(),
                    object.spec().colour(),
                    object.spec().books()));
        }

        @Override
        public ShelfTwo fromHub(Shelf hub) {
            ShelfTwo two = new ShelfTwo();
            two.setSpec(new TwoSpec(
                    hub.spec().boards(), hub.spec().colour(), hub.spec().books()));
            return two;
        }
    }

    @ConversionWebhook(value = ShelfTwo.class, hub = Shelf.class)
    static final class Forgetful extends FromTwo {

        @Override
        public Shelf toHub(ShelfTwo object) {
            Shelf whole = super.toHub(object);
            List<Book> books = whole.spec().books();
            return shelf(new Spec(
                    whole.spec().boards(),
                    whole.spec().colour(),
                    books == null
                            ? null
                            : books.stream()
                                    .map(book -> new Book(book.title(), null))
                                    .toList()));
        }
    }

    @ConversionWebhook(value = ShelfTwo.class, hub = Shelf.class, keepsLosses = true)
    static final class Hiding extends FromTwo {

        @Override
        public ShelfTwo fromHub(Shelf hub) {
            ShelfTwo two = super.fromHub(hub);
            two.setSpec(new TwoSpec(two.spec().shelves(), null, two.spec().books()));
            return two;
        }
    }

    @ConversionWebhook(value = ShelfTwo.class, hub = Shelf.class)
    static final class Throwing extends FromTwo {

        @Override
        public ShelfTwo fromHub(Shelf hub) {
            if (hub.spec().boards() < 0) {
                throw new IllegalArgumentException("no boards");
            }
            return super.fromHub(hub);
        }
    }

    private static Shelf shelf(Spec spec) {
        Shelf shelf = new Shelf();
        shelf.setSpec(spec);
        return shelf;
    }

    @Test
    void convertersThatLoseNothingPass() {
        assertThatCode(() -> RoundTrip.of(new FromTwo()).check()).doesNotThrowAnyException();
    }

    @Test
    void ofThreeVersionsEachIsConvertedToEachOther() {
        RoundTrip trip = RoundTrip.of(new FromTwo(), new FromAlpha())
                .keeping(Shelf.class, "spec.colour", "spec.books")
                .keeping(ShelfTwo.class, "spec.colour");

        assertThatThrownBy(trip::check)
                .hasMessageContaining(
                        "From example.com/v2 to example.com/v1alpha1, seed 1: only an annotation brings values back")
                .hasMessageContaining("\n  spec.books");
        assertThatCode(trip.keeping(ShelfTwo.class, "spec.books")::check).doesNotThrowAnyException();
    }

    @Test
    void aFieldThatIsLostIsToldWithTheSmallestObjectThatHasIt() {
        assertThatThrownBy(() -> RoundTrip.of(new Forgetful()).check(300, 7))
                .isInstanceOf(AssertionError.class)
                .hasMessageMatching("""
                        (?s)From example.com/v1 to example.com/v2, seed 7: it comes back with other values\\. \
                        Have the converter write these fields in both directions, \
                        or say keepsLosses = true in its @ConversionWebhook:
                          spec\\.books\\[0]\\.pages: -?\\d+ → nothing
                        The object: \\{"apiVersion":"example.com/v1","kind":"Shelf","metadata":\\{"name":"random-\\d+"},\
                        "spec":\\{"boards":-?\\d+,("colour":".*?",)?"books":\\[\\{"title":".*?","pages":-?\\d+}]}}""");
    }

    @Test
    void aFieldThatOnlyAnAnnotationBringsBackIsTold() {
        assertThatThrownBy(() -> RoundTrip.of(new Hiding()).check())
                .hasMessageContaining("only an annotation brings values back")
                .hasMessageContaining("\n  spec.colour: ");
        assertThatCode(RoundTrip.of(new Hiding())
                        .keeping(Shelf.class, "spec.colour")
                        .keeping(ShelfTwo.class, "spec.colour")::check)
                .doesNotThrowAnyException();
    }

    @Test
    void anObjectThatAConverterThrowsAtIsTold() {
        assertThatThrownBy(() -> RoundTrip.of(new Throwing()).check())
                .hasMessageContaining("the converter throws java.lang.IllegalArgumentException: no boards");
    }
}
