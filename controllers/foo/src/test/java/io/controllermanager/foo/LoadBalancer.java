package io.controllermanager.foo;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** A world outside of Kubernetes: a Foo's route to its Deployment stays here until somebody removes it. */
record LoadBalancer(Map<String, String> routes) {

    LoadBalancer() {
        this(new ConcurrentSkipListMap<>());
    }
}
