package io.controllermanager.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubernetes.client.openapi.JSON;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CustomObjectTest {

    record WebsiteSpec(String host, int replicas) {}

    record WebsiteStatus(String url) {}

    @CustomResource(group = "example.com", version = "v1")
    static final class Website extends CustomObject<WebsiteSpec, WebsiteStatus> {}

    @CustomResource(group = "example.com", version = "v1beta1", kind = "Fox", namespaced = false)
    static final class Animal extends CustomObject<WebsiteSpec, WebsiteStatus> {}

    static final class Nameless extends CustomObject<WebsiteSpec, WebsiteStatus> {}

    @Test
    void isReadAndWrittenByGson() {
        Website website = JSON.deserialize("""
                {"apiVersion":"example.com/v1","kind":"Website","metadata":{"name":"a","namespace":"n"},
                 "spec":{"host":"h","replicas":2},"status":{"url":"u"}}
                """, Website.class);

        assertThat(website.spec()).isEqualTo(new WebsiteSpec("h", 2));
        assertThat(website.status()).isEqualTo(new WebsiteStatus("u"));
        assertThat(website.namespace()).isEqualTo("n");
        assertThat(website.name()).isEqualTo("a");
        assertThat(website).hasToString("Website n/a");
        assertThat((Website) JSON.deserialize(JSON.serialize(website), Website.class))
                .isEqualTo(website)
                .hasSameHashCodeAs(website);
    }

    @Test
    void carriesItsApiVersionAndKind() {
        assertThat(new Website().getApiVersion()).isEqualTo("example.com/v1");
        assertThat(new Website().getKind()).isEqualTo("Website");
        assertThat(CustomResourceNames.of(Animal.class))
                .isEqualTo(new CustomResourceNames("example.com", "v1beta1", "Fox", "foxes", "fox", false));
    }

    @ParameterizedTest
    @CsvSource({"Website,websites", "Policy,policies", "Gateway,gateways", "Ingress,ingresses", "Batch,batches"})
    void guessesThePlural(String kind, String plural) {
        assertThat(CustomResourceNames.pluralOf(kind.toLowerCase(java.util.Locale.ROOT)))
                .isEqualTo(plural);
    }

    @Test
    void refusesAClassWithoutTheAnnotation() {
        assertThatThrownBy(Nameless::new)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Nameless has no @CustomResource");
    }
}
