package io.controllermanager.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.net.BindException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;

class StartFailureReportTests {

    @Test
    void saysWhatTheErrorOfTheSystemIsAbout() {
        BindException inUse = new BindException("Address already in use");

        assertThat(StartFailureReport.lines(
                        new BeanCreationException(
                                "apiServer",
                                "no such luck",
                                new UncheckedIOException("cannot listen on port 6443", inUse)),
                        null))
                .containsExactly("cannot listen on port 6443: BindException: Address already in use");
        assertThat(StartFailureReport.lines(new UncheckedIOException(inUse), null))
                .containsExactly("BindException: Address already in use");
    }
}
