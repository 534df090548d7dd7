package com.example.website;

/** What the operator keeps outside Kubernetes, at a DNS provider. Each call may come again. */
interface DnsRecords {

    /** Has the host lead to this cluster. */
    void publish(String host, String owner);

    /** Removes the record, if it is this owner's. */
    void remove(String host, String owner);
}
