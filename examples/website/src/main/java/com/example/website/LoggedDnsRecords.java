package com.example.website;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Stands where a real operator would call its DNS provider. */
@Component
class LoggedDnsRecords implements DnsRecords {

    private static final Logger log = LoggerFactory.getLogger(LoggedDnsRecords.class);

    private final Map<String, String> ownerByHost = new ConcurrentHashMap<>();

    @Override
    public void publish(String host, String owner) {
        if (!owner.equals(ownerByHost.put(host, owner))) {
            log.info("Host {} leads here", host);
        }
    }

    @Override
    public void remove(String host, String owner) {
        if (ownerByHost.remove(host, owner)) {
            log.info("Host {} leads nowhere", host);
        }
    }
}
