package io.controllermanager.spring.actuate.zpages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ZPageTests {

    private static final String V1BETA1 = "application/json;as=Flagz;v=v1beta1;g=config.k8s.io";

    private final ZPage flagz = new Flagz("website", () -> new TreeMap<>(Map.of("v", "4", "leader-elect", "true")));
    private final ZPage statusz =
            new Statusz("website", "1.2.3", List.of("/actuator", "/statusz", "/flagz", "/actuator/health"));

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "none", textBlock = """
            none                                                                     | TEXT |
            ' '                                                                      | TEXT |
            */*                                                                      | TEXT |
            text/plain                                                               | TEXT |
            text/*                                                                   | TEXT |
            application/json                                                         | NONE |
            application/yaml                                                         | NONE |
            text/html                                                                | NONE |
            nonsense                                                                 | NONE |
            text/plain;as=Flagz;v=v1beta1;g=config.k8s.io                            | NONE |
            application/json;as=Flagz;v=v1beta1;g=config.k8s.io                      | JSON | v1beta1
            application/json;as=Flagz;v=v1alpha1;g=config.k8s.io                     | JSON | v1alpha1
            application/yaml;as=Flagz;v=v1beta1;g=config.k8s.io                      | YAML | v1beta1
            application/json;as=Flagz;v=v1;g=config.k8s.io                           | NONE |
            application/json;as=Statusz;v=v1beta1;g=config.k8s.io                    | NONE |
            application/json;as=Flagz;v=v1beta1                                      | NONE |
            application/json;as=Flagz;v=v1beta1;g=config.k8s.io;q=0.5, text/plain    | TEXT |
            text/html, application/json;as=Flagz;v=v1beta1;g=config.k8s.io           | JSON | v1beta1
            """)
    void isWhatTheCallerAccepts(@Nullable String accept, Representation.Format format, @Nullable String version) {
        assertThat(Representation.of(accept, "Flagz"))
                .isEqualTo(new Representation(format, version == null ? "" : version));
    }

    @Test
    void textBeginsAsThatOfKubernetes() throws Exception {
        MockHttpServletResponse answer = get(flagz, null);
        assertThat(answer.getContentType()).isEqualTo("text/plain;charset=UTF-8");
        assertThat(answer.getContentAsString()).isEqualTo("""

                website flagz
                Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.
                leader-elect=true
                v=4
                """);
        assertThat(get(statusz, null).getContentAsString())
                .startsWith("\nwebsite statusz\nWarning: This endpoint is not")
                .containsPattern("only\\.\n\nStarted: \\w{3} \\w{3} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d \\S+ \\d{4}\n"
                        + "Up: \\d+ hr \\d\\d min \\d\\d sec\nGo version: java\\S+\nBinary version: 1\\.2\\.3\n\n"
                        + "Paths: /actuator /flagz /statusz\n$");
    }

    @Test
    void anObjectHasTheFieldsOfKubernetesInTheirOrder() throws Exception {
        MockHttpServletResponse answer = get(flagz, V1BETA1);
        assertThat(answer.getContentType()).startsWith("application/json");
        assertThat(answer.getContentAsString())
                .isEqualTo(
                        "{\"kind\":\"Flagz\",\"apiVersion\":\"config.k8s.io/v1beta1\",\"metadata\":{\"name\":\"website\"},"
                                + "\"flags\":{\"leader-elect\":\"true\",\"v\":\"4\"}}\n");
        assertThat(answer.getHeader("Warning")).isNull();
        assertThat(get(statusz, V1BETA1.replace("Flagz", "Statusz")).getContentAsString())
                .matches(
                        "\\{\"kind\":\"Statusz\",\"apiVersion\":\"config.k8s.io/v1beta1\",\"metadata\":\\{\"name\":\"website\"},"
                                + "\"startTime\":\"[-\\d]+T[:\\d]+Z\",\"uptimeSeconds\":\\d+,\"goVersion\":\"java[^\"]+\","
                                + "\"binaryVersion\":\"1.2.3\",\"paths\":\\[\"/actuator\",\"/flagz\",\"/statusz\"]}\n");
        assertThat(get(flagz, V1BETA1.replace("json", "yaml")).getContentAsString())
                .isEqualTo("""
                kind: Flagz
                apiVersion: config.k8s.io/v1beta1
                metadata:
                  name: website
                flags:
                  leader-elect: 'true'
                  v: '4'
                """);
    }

    @Test
    void theOldVersionIsServedWithAWarning() throws Exception {
        MockHttpServletResponse answer = get(statusz, "application/json;as=Statusz;v=v1alpha1;g=config.k8s.io");
        assertThat(answer.getContentAsString()).contains("config.k8s.io/v1alpha1");
        assertThat(answer.getHeader("Warning"))
                .isEqualTo("299 - \"This version of the statusz endpoint is deprecated. Please use a newer version.\"");
    }

    @Test
    void whatIsNotServedIsNamedWithWhatIs() throws Exception {
        MockHttpServletResponse answer = get(statusz, "application/json");
        assertThat(answer.getStatus()).isEqualTo(406);
        assertThat(answer.getContentAsString())
                .contains(
                        "\"reason\":\"NotAcceptable\"",
                        "only the following media types are accepted: application/json, application/yaml, text/plain");
    }

    private static MockHttpServletResponse get(ZPage page, @Nullable String accept) throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
        if (accept != null) {
            request.addHeader("Accept", accept);
        }
        MockHttpServletResponse response = new MockHttpServletResponse();
        page.service(request, response);
        return response;
    }
}
