package io.controllermanager.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

class KnownPropertiesTests {

    private final KnownProperties known = new KnownProperties(List.of("foo"), List.of(Bean.class, Values.class));

    @ParameterizedTest
    @CsvSource({
        "leader-election.retry-period, true",
        "controller.foo.max-interval, true",
        "controller.bar.max-interval, false",
        "bean.image-url, true",
        "bean.limits.most, true",
        "bean.limits.least, false",
        "values.image-url, true",
        "values.limits.most, true",
    })
    void anApplicationsOwnClassesCountWhateverTheirForm(String name, boolean isKnown) {
        assertThat(known.contains(ConfigurationPropertyName.of("controller-manager." + name)))
                .isEqualTo(isKnown);
    }

    @ConfigurationProperties("controller-manager.values")
    record Values(String imageUrl, Most limits) {}

    record Most(int most) {}

    @ConfigurationProperties("controller-manager.bean")
    public static class Bean {

        private final Limits limits = new Limits();
        private String imageUrl = "";

        public Limits getLimits() {
            return limits;
        }

        public String getImageUrl() {
            return imageUrl;
        }

        public void setImageUrl(String imageUrl) {
            this.imageUrl = imageUrl;
        }
    }

    public static class Limits {

        private int most;

        public int getMost() {
            return most;
        }

        public void setMost(int most) {
            this.most = most;
        }
    }
}
