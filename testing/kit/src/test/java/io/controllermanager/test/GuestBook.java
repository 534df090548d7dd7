package io.controllermanager.test;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** A world outside of Kubernetes: what greetings have entered here stays until they remove it. */
record GuestBook(Map<String, String> entries) {

    GuestBook() {
        this(new ConcurrentSkipListMap<>());
    }
}
