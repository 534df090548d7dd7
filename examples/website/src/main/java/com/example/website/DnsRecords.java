package com.example.website;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** What the operator keeps outside Kubernetes. A real one calls its DNS provider here. Each call may come again. */
@Component
class DnsRecords {

    private static final Logger log = LoggerFactory.getLogger(DnsRecords.class);

    private final Map<String, String> ownerByHost = new ConcurrentHashMap<>();

    /** Has the host lead to this cluster. */
    void publish(String host, String owner) {
        if (!owner.equals(ownerByHost.put(host, owner))) {
            log.info("Host {} leads here", host);
        }
    }

    /** Removes the record, if it is this owner's. */
    void remove(String host, String owner) {
        if (ownerByHost.remove(host, owner)) {
            log.info("Host {} leads nowhere", host);
        }
    }
}
