package com.example.website.webhook;

import io.controllermanager.test.RoundTrip;
import org.junit.jupiter.api.Test;

/** Neither version of a Website loses anything on its way through the other. */
class WebsiteConverterTests {

    @Test
    void websitesComeBackAsTheyWere() {
        RoundTrip.of(new WebsiteConverter()).check();
    }
}
