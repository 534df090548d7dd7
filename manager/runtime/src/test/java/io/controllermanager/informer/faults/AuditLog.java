package io.controllermanager.informer.faults;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a real API server has noted of one client's requests since a moment. */
final class AuditLog {

    private static final Pattern VERSION = Pattern.compile("[?&]resourceVersion=(\\d+)");

    private final Path file;
    private final String userAgent;
    private final long start;

    /**
     * One line.
     *
     * @param stage {@code ResponseStarted} when a watch begins, {@code ResponseComplete} when it ends
     */
    record Entry(String verb, String stage, int code, String uri) {}

    /** From now on. */
    AuditLog(Path file, String userAgent) throws IOException {
        this.file = file;
        this.userAgent = userAgent;
        this.start = Files.size(file);
    }

    List<Entry> entries() throws IOException {
        byte[] bytes;
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            // A shorter file is a new one.
            log.seek(log.length() < start ? 0 : start);
            bytes = new byte[(int) (log.length() - log.getFilePointer())];
            log.readFully(bytes);
        }
        List<Entry> entries = new ArrayList<>();
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
            if (line.contains("\"userAgent\":\"" + userAgent + "\"") && line.endsWith("}")) {
                JsonObject entry = JsonParser.parseString(line).getAsJsonObject();
                JsonObject status = entry.getAsJsonObject("responseStatus");
                entries.add(new Entry(
                        entry.get("verb").getAsString(),
                        entry.get("stage").getAsString(),
                        status == null || !status.has("code")
                                ? 0
                                : status.get("code").getAsInt(),
                        entry.get("requestURI").getAsString()));
            }
        }
        return entries;
    }

    /** How many watches have ended. */
    long watchesEnded() throws IOException {
        return entries().stream()
                .filter(entry -> entry.verb().equals("watch") && entry.stage().equals("ResponseComplete"))
                .count();
    }

    /** How many watches have begun. */
    long watchesBegun() throws IOException {
        return entries().stream()
                .filter(entry -> entry.verb().equals("watch") && entry.stage().equals("ResponseStarted"))
                .count();
    }

    /** The versions from which watches began, each once; without those that begin with everything. */
    Set<Long> watchedFrom() throws IOException {
        Set<Long> versions = new LinkedHashSet<>();
        for (Entry entry : entries()) {
            Matcher version = VERSION.matcher(entry.uri());
            if (entry.verb().equals("watch") && !entry.uri().contains("sendInitialEvents=true") && version.find()) {
                versions.add(Long.parseLong(version.group(1)));
            }
        }
        return versions;
    }

    /** How many requests were answered with a code. */
    long answers(int code) throws IOException {
        return entries().stream().filter(entry -> entry.code() == code).count();
    }
}
