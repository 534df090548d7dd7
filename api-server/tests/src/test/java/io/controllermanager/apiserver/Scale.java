package io.controllermanager.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * Measures a server of many ConfigMaps of 1 KB in its own JVM: creation, a list in pages, the fan-out of watches, the
 * start of a further server. Fails if an object or an event is missing. {@link ScaleTest} runs it with fewer objects, and
 * benchmarks/run/api-server-scale with many, for its figures.
 */
final class Scale {

    private static final Pattern CONTINUE = Pattern.compile("\"continue\":\"([^\"]+)\"");

    private static final MediaType JSON = MediaType.get("application/json");

    private static final int STARTS = 11;

    private Scale() {}

    /** Takes the number of objects and of watchers. */
    public static void main(String[] arguments) throws Exception {
        int objects = Integer.parseInt(arguments[0]);
        int watchers = Integer.parseInt(arguments[1]);
        ExecutorService threads = Executors.newCachedThreadPool();
        // Not the JDK's client, which now and then cuts a connection that it just took from its pool.
        OkHttpClient http =
                new OkHttpClient.Builder().readTimeout(Duration.ofMinutes(2)).build();
        try (ApiServer server = ApiServer.start()) {
            String path = server.url() + "/api/v1/namespaces/default/configmaps";
            long start = System.nanoTime();
            List<CompletableFuture<Long>> watches = IntStream.range(0, watchers)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> watch(http, path + "?watch=true&resourceVersion=1", objects), threads))
                    .toList();
            String value = "x".repeat(1024);
            CompletableFuture<?>[] writers = IntStream.range(0, 4)
                    .mapToObj(w -> CompletableFuture.runAsync(
                            () -> {
                                for (int i = w; i < objects; i += 4) {
                                    String body = "{\"metadata\":{\"name\":\"c" + i + "\"},\"data\":{\"key\":\"" + value
                                            + "\"}}";
                                    send(
                                            http,
                                            new Request.Builder()
                                                    .url(path)
                                                    .post(RequestBody.create(body, JSON))
                                                    .build());
                                }
                            },
                            threads))
                    .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(writers).join();
            double created = seconds(start);
            watches.forEach(CompletableFuture::join);
            double fannedOut = seconds(start);
            print("create: %,.0f objects/s", objects / created);
            print(
                    "watch: %d watchers had all %,d events %.2f s after the first write, %,.0f events/s",
                    watchers, objects, fannedOut, objects * (double) watchers / fannedOut);
            // A second fan-out, of history alone.
            start = System.nanoTime();
            List<CompletableFuture<Long>> replays = new ArrayList<>();
            for (int i = 0; i < watchers; i++) {
                replays.add(CompletableFuture.supplyAsync(
                        () -> watch(http, path + "?watch=true&resourceVersion=1", objects), threads));
            }
            replays.forEach(CompletableFuture::join);
            print("replay: %,.0f events/s to %d watchers", objects * (double) watchers / seconds(start), watchers);
            start = System.nanoTime();
            int listed = 0;
            String token = "";
            do {
                String page = send(
                        http,
                        new Request.Builder()
                                .url(path + "?limit=500" + (token.isEmpty() ? "" : "&continue=" + token))
                                .build());
                listed += page.split("\"uid\":", -1).length - 1;
                Matcher more = CONTINUE.matcher(page.substring(0, Math.min(page.length(), 400)));
                token = more.find() ? more.group(1) : "";
            } while (!token.isEmpty());
            print("list: %,d objects in pages of 500, %,.0f objects/s", listed, listed / seconds(start));
            if (listed != objects) {
                throw new IllegalStateException("listed " + listed + " of " + objects);
            }
        } finally {
            threads.shutdownNow();
        }
        double[] starts = new double[STARTS];
        for (int i = 0; i < STARTS; i++) {
            long start = System.nanoTime();
            try (ApiServer server = ApiServer.start()) {
                send(
                        http,
                        new Request.Builder()
                                .url(server.url() + "/api/v1/namespaces")
                                .build());
                starts[i] = seconds(start) * 1000;
            }
        }
        Arrays.sort(starts);
        print(
                "start to first answer, warm: median of %d %.0f ms, slowest %.0f ms",
                STARTS, starts[STARTS / 2], starts[STARTS - 1]);
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private static String send(OkHttpClient http, Request request) {
        try (Response response = http.newCall(request).execute()) {
            String body = response.body().string();
            if (!response.isSuccessful()) {
                throw new IllegalStateException(body);
            }
            return body;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long watch(OkHttpClient http, String url, int events) {
        try (Response response =
                        http.newCall(new Request.Builder().url(url).build()).execute();
                InputStream in = response.body().byteStream()) {
            byte[] buffer = new byte[1 << 16];
            long lines = 0;
            while (lines < events) {
                int read = in.read(buffer);
                if (read < 0) {
                    throw new IllegalStateException("ended after " + lines);
                }
                for (int i = 0; i < read; i++) {
                    lines += buffer[i] == '\n' ? 1 : 0;
                }
            }
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
