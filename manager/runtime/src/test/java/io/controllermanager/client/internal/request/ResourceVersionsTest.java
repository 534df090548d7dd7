package io.controllermanager.client.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResourceVersionsTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            value = {
                "1, 1",
                "10, 10",
                "999999999999999999, 999999999999999999",
                "null, -1",
                "'', -1",
                "0, -1",
                "01, -1",
                "-1, -1",
                "+1, -1",
                "1.5, -1",
                "1e3, -1",
                "' 1', -1",
                "١, -1",
                "abc, -1",
                "1000000000000000000, -1",
            })
    void areNumbersWithoutLeadingZero(String version, long number) {
        assertThat(ResourceVersions.number(version)).isEqualTo(number);
        assertThat(ResourceVersions.number(new V1Lease().metadata(new V1ObjectMeta().resourceVersion(version))))
                .isEqualTo(number);
    }

    @Test
    void anObjectWithoutMetadataHasNone() {
        assertThat(ResourceVersions.number(new V1Lease())).isEqualTo(-1);
    }
}
