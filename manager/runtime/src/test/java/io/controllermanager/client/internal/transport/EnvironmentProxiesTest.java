package io.controllermanager.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each row was seen to be so with golang.org/x/net/http/httpproxy 0.56.0, but for what is refused. */
class EnvironmentProxiesTest {

    private static String proxy(Map<String, String> environment, String server) {
        return String.valueOf(new EnvironmentProxies(environment).of(server));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
        https://api:6443       | -                           | http://p:3128
        https://api.corp       | corp                        | null
        https://api.corp       | .corp                       | null
        https://api.corp       | *.corp                      | null
        https://api.corp       | API.CORP                    | null
        https://api.corp       | other, api.corp ,           | null
        https://api.corp       | other,,pi.corp              | http://p:3128
        https://corp           | .corp                       | http://p:3128
        https://corp           | *.corp                      | http://p:3128
        https://corp           | corp                        | null
        https://xcorp          | corp                        | http://p:3128
        https://api.corp       | *                           | null
        https://api.corp       | api.*                       | http://p:3128
        https://api.corp       | api.corp:443                | null
        https://api.corp:6443  | api.corp:443                | http://p:3128
        https://api.corp:6443  | .corp:6443                  | null
        https://api.corp:6443  | :6443                       | http://p:3128
        https://10.96.0.1      | 10.96.0.0/12                | null
        https://10.112.0.1     | 10.96.0.0/12                | http://p:3128
        https://10.96.0.1      | 10.96.0.0/33                | http://p:3128
        https://10.96.0.1      | 10.96.0/12                  | http://p:3128
        https://10.96.0.1      | 0.0.0.0/0                   | null
        https://10.96.0.1      | 10.96.0.1                   | null
        https://10.96.0.1      | 10.96.0.1:443               | null
        https://10.96.0.1      | 10.96.0.1:6443              | http://p:3128
        https://10.96.0.1      | 10.96.0                     | http://p:3128
        https://10.96.0.1      | 0.1                         | http://p:3128
        https://[fd00::1]:6443 | fd00::/8                    | null
        https://[fd00::1]:6443 | fe00::/8                    | http://p:3128
        https://[fd00::1]:6443 | 10.0.0.0/8                  | http://p:3128
        https://[fd00::1]:6443 | fd00:0::1                   | null
        https://[fd00::1]:6443 | [fd00::1]:6443              | null
        https://[fd00::1]:6443 | [fd00::1]:443               | http://p:3128
        https://localhost:6443 | -                           | null
        https://127.0.0.1:6443 | -                           | null
        https://127.9.9.9:6443 | -                           | null
        https://[::1]:6443     | -                           | null
        http://api:8080        | -                           | http://q:80
        http://api:8080        | api:8080                    | null
        """)
    void sparesWhatNoProxyNames(String server, String noProxy, String expected) {
        Map<String, String> environment = new HashMap<>(Map.of("HTTPS_PROXY", "p:3128", "HTTP_PROXY", "http://q"));
        if (noProxy != null) {
            environment.put("NO_PROXY", noProxy);
        }

        assertThat(proxy(environment, server)).isEqualTo(expected);
    }

    @Test
    void readsSmallLettersWhereThereAreNoCapitalOnes() {
        assertThat(proxy(Map.of("https_proxy", "http://small:1"), "https://api"))
                .isEqualTo("http://small:1");
        assertThat(proxy(Map.of("https_proxy", "small:1", "HTTPS_PROXY", "BIG:2"), "https://api"))
                .isEqualTo("http://big:2");
        assertThat(proxy(Map.of("https_proxy", "small:1", "HTTPS_PROXY", ""), "https://api"))
                .isEqualTo("http://small:1");
        assertThat(proxy(Map.of("HTTPS_PROXY", "p:1", "no_proxy", "api"), "https://api"))
                .isEqualTo("null");
        assertThat(proxy(Map.of("HTTPS_PROXY", "p:1", "no_proxy", "api", "NO_PROXY", "b"), "https://api"))
                .isEqualTo("http://p:1");
        assertThat(proxy(Map.of("HTTP_PROXY", "p:1", "ALL_PROXY", "p:2"), "https://api"))
                .isEqualTo("null");
    }

    @ParameterizedTest
    @CsvSource({
        "p, http://p:80",
        "10.0.0.1:3128, http://10.0.0.1:3128",
        "[fd00::1]:3128, http://[fd00::1]:3128",
        "HTTP://p:80/path, http://p:80",
        "https://p, https://p:443",
        "https://p:80, https://p:80",
        "socks5://p, socks5://p:1080",
        "socks5h://p:80, socks5h://p:80",
        "http://u:p%40ss@p:1, http://p:1",
        "u:pass@p:1, http://p:1",
    })
    void readsProxies(String value, String expected) {
        assertThat(proxy(Map.of("HTTPS_PROXY", value), "https://api")).isEqualTo(expected);
    }

    @Test
    void decodesUserAndPassword() {
        assertThat(new EnvironmentProxies(Map.of("HTTPS_PROXY", "http://u%3A:p%40ss@p")).of("https://api"))
                .isEqualTo(new ServerProxy("http", "p", 80, "u:", "p@ss", true));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ftp://u:s3cret@p:1     | $https_proxy "ftp://…@p:1" is not the URL of a proxy
        http://u:s3cret@p:port | $https_proxy "http://…@p:port" is not the URL of a proxy
        u:s3cret@p:port        | $https_proxy "http://…@p:port" is not the URL of a proxy
        http://                | $https_proxy "http://" is not the URL of a proxy
        http://:3128           | $https_proxy "http://:3128" is not the URL of a proxy
        socks5://u:s3cret@p    | $https_proxy "socks5://…@p" has a password, which is not supported with SOCKS
        """)
    void refusesAProxyThatItCannotUseWithoutItsPassword(String value, String message) {
        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(() -> proxy(Map.of("https_proxy", value), "https://api"))
                .withMessageStartingWith(message)
                .withNoCause()
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));
        // It is of no matter to a server that does not need it.
        assertThat(proxy(Map.of("https_proxy", value), "http://api")).isEqualTo("null");
        assertThat(proxy(Map.of("https_proxy", value), "https://localhost:6443"))
                .isEqualTo("null");
    }
}
