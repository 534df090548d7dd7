package io.controllermanager.benchmarks.plane;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.Consumer;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * Watches a collection from outside and hands on each event as the line that it is, undecoded, so as to take little
 * processor time from what is measured.
 */
public final class LineWatch implements AutoCloseable {

    private final OkHttpClient http;
    private final String url;
    private final String accept;
    private final Consumer<String> lines;
    private volatile @Nullable Call call;
    private volatile boolean closed;

    /**
     * Begins to watch.
     *
     * @param watch the URL of a watch, without a version
     * @param accept the media type of the events
     * @param resourceVersion from where on
     * @param lines is given each event, in order, in a thread of the watch
     */
    public LineWatch(ApiClient client, String watch, String accept, String resourceVersion, Consumer<String> lines) {
        this.http =
                client.getHttpClient().newBuilder().readTimeout(Duration.ZERO).build();
        this.url = watch;
        this.accept = accept;
        this.lines = lines;
        Thread thread = new Thread(() -> run(resourceVersion), "line-watch");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(String resourceVersion) {
        String version = resourceVersion;
        while (!closed) {
            version = read(version);
        }
    }

    /** Reads until the API server ends the watch, as it does with one that lags, and says where to go on. */
    private String read(String from) {
        String version = from;
        Call current = http.newCall(new Request.Builder()
                .url(url + "&resourceVersion=" + from)
                .header("Accept", accept)
                .build());
        call = current;
        try (Response response = current.execute()) {
            BufferedSource source = response.body().source();
            for (String line = source.readUtf8Line(); line != null; line = source.readUtf8Line()) {
                if (line.startsWith("{\"type\":\"ERROR\"")) {
                    throw new IllegalStateException(line);
                }
                lines.accept(line);
                version = field(line, "\"resourceVersion\":\"", '"');
            }
        } catch (IOException e) {
            if (!closed) {
                throw new UncheckedIOException(e);
            }
        }
        return version;
    }

    /** What is in a line between the first occurrence of one text and the next of a character. */
    public static String field(String line, String before, char after) {
        int found = line.indexOf(before);
        if (found < 0) {
            throw new IllegalStateException("no " + before + " in " + line);
        }
        int start = found + before.length();
        return line.substring(start, line.indexOf(after, start));
    }

    @Override
    public void close() {
        closed = true;
        Call current = call;
        if (current != null) {
            current.cancel();
        }
    }
}
