package io.controllermanager.webhook.internal.serving;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How webhooks are served.
 *
 * @param port the port; 0 for any that is free
 * @param clientAuthority a file with authorities in PEM, one of which must have signed a client's certificate; null to let
 *     everybody ask
 * @param clientNames the common names of certificates that may ask; empty for all
 * @param grace how long a server that is told to stop goes on, until nobody is sent here any more
 */
public record ServerSettings(int port, @Nullable Path clientAuthority, Set<String> clientNames, Duration grace) {

    public ServerSettings {
        clientNames = Set.copyOf(clientNames);
    }
}
