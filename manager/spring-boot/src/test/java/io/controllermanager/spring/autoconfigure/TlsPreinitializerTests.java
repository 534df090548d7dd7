package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

class TlsPreinitializerTests {

    /** Spring Boot says nothing when one fails. */
    @Test
    void isFoundAndDoesNotFail() {
        List<BackgroundPreinitializer> found =
                SpringFactoriesLoader.loadFactories(BackgroundPreinitializer.class, null);
        assertThat(found)
                .filteredOn(TlsPreinitializer.class::isInstance)
                .singleElement()
                .satisfies(tls -> assertThatCode(tls::preinitialize).doesNotThrowAnyException());
    }
}
