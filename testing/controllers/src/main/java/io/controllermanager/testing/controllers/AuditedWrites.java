package io.controllermanager.testing.controllers;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The writes of one client in the audit log of a real API server, refused ones too. */
public final class AuditedWrites {

    private static final Set<String> READS = Set.of("get", "list", "watch");

    /** Nothing is stored by them. */
    private static final String REVIEWS = "/apis/auth";

    private AuditedWrites() {}

    /**
     * All so far.
     *
     * @param client something that all lines of its requests have and no other, such as its user agent
     */
    public static List<JsonObject> of(Path log, String client) throws IOException {
        try (Stream<String> lines = Files.lines(log)) {
            // The last one may be written at this moment.
            return lines.filter(line -> line.contains(client) && line.endsWith("}"))
                    .map(line -> JsonParser.parseString(line).getAsJsonObject())
                    .filter(event -> !READS.contains(event.get("verb").getAsString()))
                    .filter(event -> !event.get("requestURI").getAsString().startsWith(REVIEWS))
                    .toList();
        }
    }

    /** Whether it could change nothing: of a deletion with options in its body those alone count. */
    public static boolean isDryRun(JsonObject event) {
        boolean asked = event.get("requestURI").getAsString().contains("dryRun=All");
        return asked
                && (!(event.get("requestObject") instanceof JsonObject options)
                        || options.get("dryRun").toString().equals("[\"All\"]"));
    }
}
