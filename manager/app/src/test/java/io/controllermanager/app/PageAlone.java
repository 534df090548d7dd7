package io.controllermanager.app;

import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Import;

/** What serves the page, for applications of tests in other packages. */
@TestConfiguration(proxyBeanMethods = false)
@Import(PageConfiguration.class)
public class PageAlone {}
