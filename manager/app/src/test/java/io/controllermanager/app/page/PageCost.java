package io.controllermanager.app.page;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.app.Main;
import io.controllermanager.app.process.RunningJar;
import io.controllermanager.testing.controlplane.Ports;
import io.controllermanager.testing.support.AwaitilityLimit;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what a refresh of the page costs the server, and the browser that shows it, with many controllers. Here and not
 * with the other benchmarks, since it drives the browser of the tests.
 *
 * <p>Usage: {@code PageCost CONTROLLERS REFRESHES [JVM FLAGS...]}, with the classes of the benchmarks on the class path too.
 */
final class PageCost {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final int WARM_UP = 300;

    private final int controllers;
    private final int refreshes;
    private final List<String> options;
    private final Path directory;
    private final Path kubeconfig;

    private PageCost(int controllers, int refreshes, List<String> options, Path directory, Path kubeconfig) {
        this.controllers = controllers;
        this.refreshes = refreshes;
        this.options = options;
        this.directory = directory;
        this.kubeconfig = kubeconfig;
    }

    /**
     * Prints two tables. Not public, so that {@code spring-boot:test-run} does not take it for the application; a JDK 25
     * starts it all the same.
     */
    @SuppressWarnings({"SystemOut", "IncorrectMainMethod"})
    static void main(String[] args) throws Exception {
        AwaitilityLimit.set();
        Path directory = Files.createTempDirectory("page");
        try (ApiServer server = ApiServer.start()) {
            PageCost cost = new PageCost(
                    Integer.parseInt(args[0]),
                    Integer.parseInt(args[1]),
                    List.of(args).subList(2, args.length),
                    directory,
                    Files.writeString(directory.resolve("kubeconfig"), server.kubeconfig()));
            List<String> browser = new ArrayList<>();
            System.out.println("controllers  request        304s    bytes  server_cpu_ms  p50_ms  p99_ms");
            // Each once in a long time, and each every two seconds: as often as the page asks.
            cost.measure("idle", Duration.ofHours(1), browser);
            cost.measure("at work", Duration.ofSeconds(2), browser);
            System.out.println();
            System.out.println(
                    "controllers  order   refreshes  task_ms  script_ms  style_ms  layout_ms  show_p50_ms  show_max_ms");
            browser.forEach(System.out::println);
        }
    }

    private void measure(String load, Duration pause, List<String> lines) throws Exception {
        List<String> java = new ArrayList<>(options);
        java.addAll(List.of(
                "-Dspring.main.sources=io.controllermanager.benchmarks.scrape.ManyControllers",
                "-Dscrape.controllers=" + controllers,
                "-Dscrape.pause=" + pause));
        try (RunningJar host = RunningJar.startClass(
                directory,
                Ports.free(),
                java,
                Main.class,
                "--kubeconfig=" + kubeconfig,
                "--controllers=*,-foo,-network")) {
            host.awaitStatus("/actuator/health/readiness", 200);
            for (String request : List.of("identity", "gzip", "if-none-match")) {
                server(load, request, host);
            }
            try (Browser browser = Browser.open()) {
                browser.go(host.url("/"));
                for (String order : List.of("name", "rate")) {
                    browser.find("#controllers thead th[data-column=" + order + "] button")
                            .click();
                    lines.add(browser(load, order, browser));
                }
            }
        }
    }

    @SuppressWarnings("SystemOut")
    private void server(String load, String kind, RunningJar host) throws IOException, InterruptedException {
        String etag = "";
        int requests = 10 * refreshes;
        double[] millis = new double[requests];
        long bytes = 0;
        int unchanged = 0;
        double idle = cpuMillisOfASecond(host);
        long begin = 0;
        double cpu = 0;
        for (int i = -WARM_UP; i < requests; i++) {
            if (i == 0) {
                begin = System.nanoTime();
                cpu = host.cpuMillis();
            }
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(host.url("/actuator/controllers")))
                    .header("Accept", "application/json");
            if (!kind.equals("identity")) {
                request.header("Accept-Encoding", "gzip");
            }
            if (kind.equals("if-none-match") && !etag.isEmpty()) {
                request.header("If-None-Match", etag);
            }
            long start = System.nanoTime();
            HttpResponse<byte[]> answer = HTTP.send(request.build(), BodyHandlers.ofByteArray());
            if (i >= 0) {
                millis[i] = (System.nanoTime() - start) / 1e6;
                bytes += answer.body().length;
                unchanged += answer.statusCode() == 304 ? 1 : 0;
            }
            etag = answer.headers().firstValue("ETag").orElse("");
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        cpu = host.cpuMillis() - cpu - seconds * idle;
        Arrays.sort(millis);
        System.out.printf(
                Locale.ROOT,
                "%-11s  %-13s %4d%%  %7d  %13.1f  %6.1f  %6.1f%n",
                load,
                kind,
                100 * unchanged / requests,
                bytes / requests,
                cpu / requests,
                millis[requests / 2],
                millis[(int) Math.ceil(requests * 0.99) - 1]);
    }

    /** What it takes without being asked. */
    private static double cpuMillisOfASecond(RunningJar host) {
        double before = host.cpuMillis();
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(4));
        return (host.cpuMillis() - before) / 4;
    }

    private String browser(String load, String order, Browser browser) {
        browser.awaitAnswers(5);
        browser.run("performance.clearMeasures()");
        Map<String, Double> before = browser.metrics();
        browser.awaitAnswers(refreshes);
        Map<String, Double> after = browser.metrics();
        after.replaceAll((name, value) -> (value - before.getOrDefault(name, 0.0)) * 1000 / refreshes);
        List<?> shown = (List<?>) browser.run(
                "return performance.getEntriesByName('refresh', 'measure').map(entry => String(entry.duration))");
        double[] show = shown.stream()
                .mapToDouble(text -> Double.parseDouble((String) text))
                .sorted()
                .toArray();
        return String.format(
                Locale.ROOT,
                "%-11s  %-6s  %9d  %7.1f  %9.1f  %8.1f  %9.1f  %11.1f  %11.1f",
                load,
                order,
                refreshes,
                after.get("TaskDuration"),
                after.get("ScriptDuration"),
                after.get("RecalcStyleDuration"),
                after.get("LayoutDuration"),
                show[show.length / 2],
                show[show.length - 1]);
    }
}
