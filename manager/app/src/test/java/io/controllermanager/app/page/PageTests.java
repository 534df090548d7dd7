package io.controllermanager.app.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.controllermanager.controller.internal.ControllerSnapshot.Failure;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.testing.controlplane.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The page in a browser, with endpoints that say what is wanted. */
@Tag("system")
class PageTests {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String HOSTILE = "<img src=x onerror='window.hacked=1'>\"'&amp;{{1+1}}";

    private static FakeHost host;
    private static Browser browser;

    @BeforeAll
    static void open() throws IOException {
        host = FakeHost.start();
        browser = Browser.open();
        // It asks five times in a second instead of every other second.
        browser.hurry(10);
    }

    @AfterAll
    static void close() {
        browser.close();
        host.close();
    }

    @BeforeEach
    void begin() {
        FakeHost.State state = host.state();
        FakeHost.State fresh = new FakeHost.State();
        state.controllers = fresh.controllers;
        state.informers = fresh.informers;
        state.leadership = fresh.leadership;
        state.leaderships = fresh.leaderships;
        state.divided = fresh.divided;
        state.failures = fresh.failures;
        state.token = null;
        state.forbidden = false;
        state.asked.clear();
        state.mostAtOnce.set(0);
        browser.width(1440);
        browser.dark(false);
        browser.go(host.url("/"));
        browser.awaitText("#controllers", "foo");
        // Those of the test before are not this one's.
        browser.complaints();
    }

    @Test
    void showsHowEverythingIs() {
        host.state().controllers = List.of(
                FakeHost.controller("foo")
                        .active(3)
                        .depths(new TreeMap<>(Map.of(100, 1, 0, 20, -100, 300)))
                        .error("team-a/broken", "ApiException: 409 Conflict")
                        .build(),
                FakeHost.controller("network")
                        .state(ControllerState.WAITING_FOR_TYPE, "networks.sample.k8s.io is not served")
                        .build());
        host.state().informers = List.of(
                FakeHost.informer("deployments.apps/v1", null),
                FakeHost.informer("secrets/v1", "list secrets in namespace vault"));
        browser.awaitText("#controllers tbody:nth-of-type(2)", "Waiting for type");
        browser.awaitRefresh();
        assertThat(cells("#controllers tbody:first-of-type tr:first-child"))
                .startsWith("foo", "Running", "3/4")
                .contains("250 ms", "1", "3.6 ms", "57 ms", "7");
        assertThat(browser.text("#controllers td[data-column=queue]")).contains("321", "1 high, 20 normal, 300 low");
        assertThat(browser.text("#controllers td[data-column=last]"))
                .contains("team-a/broken", "ApiException: 409 Conflict", "ago");
        assertThat(browser.text("#controllers tbody:nth-of-type(2)")).contains("networks.sample.k8s.io is not served");
        assertThat(browser.texts("#informers tbody tr").toString())
                .contains("Watching", "1,234", "5.3 MiB", "40 ms", "12 s ago")
                .contains("Forbidden", "Missing permission: list secrets in namespace vault");
        assertThat(browser.text("#leader-badge")).isEqualTo("Leader");
        assertThat(browser.text("#leases")).contains("default/controller-manager", "pod-a", "Leading", "1.2 s ago");
        assertThat(browser.text("#identity")).contains("pod-a");
        assertThat(browser.text("#versions")).contains("Java", "Spring Boot", "25.0.0");
        assertThat(browser.text("#tiles")).contains("1/2", "Failing keys");
        assertThat(browser.text("#connection")).startsWith("Updated");
        assertThat(host.state().mostAtOnce).as("requests at once").hasValue(1);
        assertThat(browser.run(
                        "return performance.getEntriesByType('resource').map(entry => new URL(entry.name).origin)"
                                + ".filter(origin => origin !== location.origin)"))
                .as("asked elsewhere")
                .isEqualTo(List.of());
        browser.await(
                "what has not changed is not sent again",
                () -> Boolean.TRUE.equals(browser.run("return performance.getEntriesByType('resource').some(entry =>"
                        + " entry.name.endsWith('/actuator/controllers') && entry.responseStatus === 304)")));
        assertThat(browser.text("#controllers")).contains("team-a/broken");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void saysWhyAKeyWasReconciled() {
        browser.click("#controllers .opener");
        browser.awaitText("#controllers .keys", "Find");
        browser.click("#controllers .keys [type=submit]");
        browser.awaitText("#controllers .found", "team/b");
        browser.click("#controllers .found .opener");
        browser.awaitText("#controllers .waits", "team/a waits for <nothing>. 12 reconciles besides changed nothing.");
        assertThat(browser.text("#controllers .line"))
                .contains("Success", "because of updated foos.samplecontroller.k8s.io/v1alpha1 team/a 2 times")
                .contains("(spec.replicas); 1 more.", "Writes: patch deployments.apps team/a (spec.replicas).")
                .contains("after 2 s of backoff");
        browser.awaitRefresh();
        assertThat(browser.text("#controllers .waits")).contains("team/a waits");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void informersThatDifferAtTheirEndsAloneAreToldApart() {
        String alike = "configmaps/v1 with labels app.kubernetes.io/managed-by=website-operator,"
                + "app.kubernetes.io/part-of=a-rather-long-name,tier=";
        host.state().informers = List.of(
                FakeHost.informer(alike + "front", null),
                FakeHost.informer(alike + "back", null),
                FakeHost.informer("secrets/v1 (in part)", null),
                FakeHost.informer("secrets/v1 (in part)", null));
        for (int width : new int[] {1440, 720}) {
            browser.width(width);
            browser.await("a row each", () -> count("#informers tbody") == 4);
            assertThat(browser.run("return [...document.querySelectorAll('#informers [data-column=name]')]"
                            + ".slice(1).filter(cell => cell.scrollWidth > cell.clientWidth).length"))
                    .as("names that are cut at %d", width)
                    .isEqualTo(0L);
        }
        assertThat(browser.texts("#informers tbody tr").toString())
                .contains(alike + "front", alike + "back", "secrets/v1 (in part), 2");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void namesAndMessagesAreNeverMarkup() {
        host.state().controllers = List.of(FakeHost.controller(HOSTILE)
                .state(ControllerState.FAILED, HOSTILE)
                .error(HOSTILE, HOSTILE)
                .stuck(HOSTILE, HOSTILE)
                .build());
        host.state().informers = List.of(FakeHost.informer(HOSTILE, HOSTILE));
        host.state().leadership = FakeHost.lease(HOSTILE, HOSTILE, HOSTILE);
        host.state().failures = List.of(new Failure(HOSTILE, "</li><script>window.hacked=2</script>", FakeHost.THEN));
        browser.awaitText("#controllers th[scope=row] button", HOSTILE);
        browser.click("#controllers th[scope=row] button");
        browser.awaitText(".detail .errors", "</li><script>window.hacked=2</script>");
        assertThat(browser.text("#informers")).contains(HOSTILE);
        assertThat(browser.text("#leases")).contains(HOSTILE);
        assertThat(browser.all("main img, main script, main b > *, header img")).isEmpty();
        assertThat(browser.run("return window.hacked ?? null")).isNull();
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aThousandControllersAreSortedAndFiltered() {
        host.state().controllers = FakeHost.manyControllers(1000, 1);
        browser.await("a thousand rows", () -> count("#controllers tbody") == 1000);
        WebElement queue = browser.find("#controllers thead th[data-column=queue] button");
        queue.click();
        assertThat(browser.find("#controllers thead th[data-column=queue]").getDomAttribute("aria-sort"))
                .isEqualTo("descending");
        List<Integer> depths = queueDepths();
        assertThat(depths).isSortedAccordingTo((a, b) -> b - a).hasSize(1000);
        queue.click();
        assertThat(queueDepths()).isSorted();
        browser.click("#controllers thead th[data-column=state] button");
        assertThat(browser.text("#controllers tbody")).contains("Failed");
        browser.find("#controllers-filter").sendKeys("FAILED 7");
        List<String> failed = browser.texts("#controllers tbody th");
        assertThat(failed).isNotEmpty().allMatch(name -> name.contains("7"));
        assertThat(browser.text("#controllers-count")).isEqualTo(failed.size() + " of 1,000");
        host.state().controllers = FakeHost.manyControllers(1000, 50);
        browser.awaitRefresh();
        assertThat(count("#controllers tbody")).isEqualTo(failed.size());
        browser.find("#controllers-filter").clear();
        browser.find("#controllers-filter").sendKeys("no such thing");
        browser.awaitText("#controllers tbody", "Nothing has that in its name or state.");
    }

    @Test
    void rowsOutOfSightFollowTooAndThoseThatGoAreGone() {
        host.state().controllers = FakeHost.manyControllers(300, 1);
        browser.await("rows", () -> count("#controllers tbody") == 300);
        host.state().controllers = IntStream.range(0, 300)
                .filter(i -> i != 150)
                .mapToObj(i -> FakeHost.controller("controller-%04d".formatted(i))
                        .depths(Map.of(0, 4321))
                        .build())
                .toList();
        browser.await(
                "all follow",
                () -> browser.texts("#controllers td[data-column=queue] span span").stream()
                                .filter("4,321"::equals)
                                .count()
                        == 299);
        assertThat(browser.text("#controllers")).doesNotContain("controller-0150");
    }

    @Test
    void aRefreshLeavesFocusSelectionAndScrollingAlone() {
        host.state().controllers = FakeHost.manyControllers(200, 1);
        browser.await("rows", () -> count("#controllers tbody") == 200);
        browser.run("""
                window.before = [...document.querySelectorAll('#controllers .opener')]
                    .find(button => button.textContent === 'controller-0120');
                before.focus();
                before.scrollIntoView({block: 'center'});
                const range = document.createRange();
                range.selectNodeContents(before.closest('tr').querySelector('.state .text'));
                getSelection().removeAllRanges();
                getSelection().addRange(range);
                window.place = before.getBoundingClientRect().top;
                """);
        host.state().controllers = FakeHost.manyControllers(200, 7);
        browser.awaitRefresh();
        assertThat(browser.run("return document.activeElement === before && before.isConnected"))
                .isEqualTo(true);
        assertThat(browser.run("return getSelection().toString()")).isEqualTo("Running");
        assertThat(browser.run("return Math.abs(before.getBoundingClientRect().top - place) < 2 && scrollY > 0"))
                .isEqualTo(true);
        // Sorted by what changes, its row moves.
        browser.run(
                "document.querySelector('#controllers thead th[data-column=queue] button').click(); before.focus()");
        host.state().controllers = FakeHost.manyControllers(200, 60);
        browser.awaitRefresh();
        assertThat(queueDepths()).isSortedAccordingTo((a, b) -> b - a);
        assertThat(browser.run("return document.activeElement === before")).isEqualTo(true);
    }

    @Test
    void anOpenedRowSaysMoreAndOnlyThenIsItAskedFor() {
        host.state().controllers = List.of(
                FakeHost.controller("foo").stuck("team/hung", "foo-worker-3").build(),
                FakeHost.controller("other").build());
        host.state().failures = List.of(
                new Failure("team/b", "second", FakeHost.THEN.plusSeconds(60)),
                new Failure("team/a", "first", FakeHost.THEN));
        browser.awaitText("#controllers", "other");
        assertThat(host.state().asked).noneMatch(path -> path.contains("/queue") || path.contains("/errors"));
        WebElement opener = browser.find("#controllers .opener");
        assertThat(opener.getDomAttribute("aria-expanded")).isEqualTo("false");
        opener.sendKeys(Keys.ENTER);
        assertThat(opener.getDomAttribute("aria-expanded")).isEqualTo("true");
        browser.awaitText(".detail .errors", "team/a");
        assertThat(browser.texts(".detail .errors li b")).containsExactly("team/b", "team/a");
        assertThat(browser.find(".detail .errors time").getDomAttribute("datetime"))
                .isEqualTo("2026-03-01T12:01:00Z");
        assertThat(browser.text(".detail .errors time")).contains("2026", "ago");
        assertThat(browser.text(".detail"))
                .contains("apps/v1 Deployment", "team/hung", "foo-worker-3", "team/busy for 1.5 s")
                .contains("team/later in 30 s", "team/often 9 times", "Ready at priority 100", "8 (low)");
        host.state().failures = List.of(new Failure("team/c", "third", FakeHost.THEN));
        browser.awaitText(".detail .errors", "team/c");
        assertThat(host.state().asked).noneMatch(path -> path.contains("/other/"));
        opener.sendKeys(Keys.SPACE);
        assertThat(browser.all(".detail")).isEmpty();
        browser.awaitRefresh();
        host.state().asked.clear();
        browser.awaitRefresh();
        assertThat(host.state().asked).noneMatch(path -> path.contains("/queue"));
    }

    @Test
    void aServerThatIsAwayIsSaidAndComesBackByItself() {
        host.goAway();
        try {
            browser.awaitText("#connection", "Not reachable since ");
            assertThat(browser.text("#connection").strip()).endsWith("(no connection), retrying");
            assertThat(browser.text("#controllers")).as("what was known").contains("foo");
            assertThat(browser.texts("#announcer p")).contains("The connection is lost");
        } finally {
            host.comeBack();
        }
        browser.await("it is back", () -> browser.text("#connection").startsWith("Updated"));
        assertThat(browser.texts("#announcer p")).endsWith("The connection is back");
        // The browser itself notes each connection that was refused.
        assertThat(browser.complaints()).allMatch(line -> line.contains("ERR_"));
    }

    @Test
    void nothingIsAskedWhileNobodyLooks() {
        hide(true);
        assertThat(browser.text("#connection")).isEqualTo("Paused while not visible");
        browser.await("what was under way has ended", () -> host.state().atOnce.get() == 0);
        host.state().asked.clear();
        browser.run("const asked = performance.now(); window.later = () => performance.now() - asked > 600");
        browser.await("more than an interval has passed", () -> Boolean.TRUE.equals(browser.run("return later()")));
        assertThat(host.state().asked).isEmpty();
        hide(false);
        browser.await("it goes on", () -> browser.text("#connection").startsWith("Updated"));
    }

    @Test
    void importantChangesAreAnnouncedAndNothingElse() {
        browser.awaitRefresh();
        host.state().controllers = List.of(FakeHost.controller("foo")
                .reconciles(2000)
                .depths(Map.of(0, 50))
                .build());
        browser.awaitText("#controllers td[data-column=queue]", "50");
        assertThat(browser.texts("#announcer p")).isEmpty();
        host.state().controllers = List.of(FakeHost.controller("foo")
                .state(ControllerState.FAILED, "no more")
                .build());
        host.state().leadership = FakeHost.lease("controller-manager", "pod-a", "pod-b");
        browser.awaitText("#leader-badge", "Standby");
        assertThat(browser.texts("#announcer p")).containsExactly("Failed: foo", "Leadership: Standby");
        assertThat(browser.text("#identity")).contains("pod-b");
        assertThat(browser.find("#announcer").getDomAttribute("aria-live")).isEqualTo("polite");
        browser.awaitRefresh();
        assertThat(browser.texts("#announcer p")).hasSize(2);
    }

    @Test
    void eachControllersLeaseIsShown() {
        host.state().leaderships = Map.of(
                "foo", FakeHost.lease("controller-manager-foo", "pod-a", "pod-a"),
                "network", FakeHost.lease("controller-manager-network", "pod-a", "pod-b"));
        browser.awaitText("#leader-badge", "Leads 1 of 2");
        assertThat(browser.texts("#leases tbody tr").toString())
                .contains("default/controller-manager-foo", "Leading", "Standing by", "pod-b");
    }

    @Test
    void shardsAreShownByHolderAndByTheirObjects() {
        browser.awaitRefresh();
        assertThat(browser.find("#shards-panel").isDisplayed())
                .as("shown without shards")
                .isFalse();
        host.state().divided = Map.of("foo", FakeHost.divided("foo"));
        browser.awaitText("#leader-badge", "Leader, 2 of 4 shards");
        assertThat(browser.all("#holders tbody").stream()
                        .map(WebElement::getText)
                        .map(text -> text.replaceAll("\\s+", " ")))
                .containsExactly("foo Nobody 1 3 –", "foo pod-a this process 2 0–1 1,500", "foo pod-b 1 2 –");
        assertThat(cells("#shards tbody:first-of-type tr"))
                .startsWith("foo 0", "Working", "pod-a", "1,200")
                .endsWith("2", "9", "");
        assertThat(cells("#shards tbody:nth-of-type(2) tr"))
                .startsWith("foo 1", "Waiting", "pod-a", "300")
                .contains("fills its caches");
        assertThat(cells("#shards tbody:nth-of-type(4) tr")).startsWith("foo 3", "Free", "–", "–", "–");
        assertThat(barWidth(1)).isCloseTo(4 * barWidth(2), within(1.0)).isPositive();
        assertThat(browser.text("#tiles")).contains("Shards here\n2/4", "Free shards\n1");

        host.state().leaderships = Map.of(
                "foo", FakeHost.lease("controller-manager-foo", "pod-a", "pod-a"),
                "network", FakeHost.lease("controller-manager-network", "pod-a", "pod-b"));
        browser.awaitText("#leader-badge", "Standby, 2 of 4 shards");
        browser.find("#shards-filter").sendKeys("free");
        browser.await("the free one", () -> count("#shards tbody") == 1);
        assertThat(browser.text("#shards-count")).isEqualTo("1 of 4");
        assertThat(browser.complaints()).isEmpty();
    }

    private static double barWidth(int row) {
        Object width = browser.run(
                "return document.querySelector(arguments[0]).getBoundingClientRect().width",
                "#shards tbody:nth-of-type(" + row + ") .bar");
        return ((Number) Objects.requireNonNull(width)).doubleValue();
    }

    @Test
    void aRateComesFromTheCounterAndARestartDoesNotMakeItNegative() {
        browser.awaitText("#controllers td[data-column=rate]", "0");
        long[] reconciles = {1000};
        browser.await("it rises", () -> {
            reconciles[0] += 10;
            host.state().controllers =
                    List.of(FakeHost.controller("foo").reconciles(reconciles[0]).build());
            return rate() > 1;
        });
        host.state().controllers =
                List.of(FakeHost.controller("foo").reconciles(3).build());
        List<Double> seen = new ArrayList<>();
        browser.await("it is counted anew", () -> {
            String text = rateText();
            if (!text.equals("–")) {
                seen.add(Double.parseDouble(text));
            }
            return text.equals("0");
        });
        assertThat(seen).allMatch(value -> value >= 0);
    }

    @Test
    void aTokenIsAskedForSentAndForgotten() {
        host.state().token = "right";
        browser.awaitText("#sign-in", "A token is needed");
        assertThat(browser.text("#sign-in")).contains("kubectl create token", "/actuator/*");
        assertThat(browser.find("#data").isDisplayed())
                .as("what was shown before")
                .isFalse();
        assertThat(browser.accessibilityViolations()).isEmpty();
        browser.enterToken("wrong");
        browser.awaitText("#sign-in-reason", "was not accepted");
        browser.enterToken("right");
        browser.await("it is shown", () -> browser.find("#data").isDisplayed());
        assertThat(browser.text("#connection")).startsWith("Updated");
        assertThat(browser.run("return JSON.stringify({...sessionStorage, ...localStorage}) + document.cookie"))
                .isEqualTo("{}");
        browser.reload();
        browser.awaitText("#sign-in", "A token is needed");
        browser.click("#remember");
        browser.enterToken("right");
        browser.await("it is shown", () -> browser.find("#data").isDisplayed());
        browser.reload();
        browser.await("it is shown at once", () -> browser.text("#connection").startsWith("Updated"));
        host.state().forbidden = true;
        browser.awaitText("#refused", "<b>viewer</b> may not get the non-resource URL /actuator/controllers");
        host.state().forbidden = false;
        browser.enterToken("right");
        browser.await("it is shown again", () -> browser.find("#data").isDisplayed());
        browser.click("#forget");
        browser.awaitText("#sign-in", "A token is needed");
        assertThat(browser.run("return JSON.stringify(sessionStorage)")).isEqualTo("{}");
        // The browser itself notes each 401 and 403.
        assertThat(browser.complaints()).allMatch(line -> line.contains("status of 40"));
    }

    /** A browser sends no such header at all, which looked as if the server were away. */
    @Test
    void aTokenThatCannotBeOneIsNotSent() {
        host.state().token = "right";
        browser.awaitText("#sign-in", "A token is needed");
        host.state().asked.clear();

        browser.enterToken("ri\u2019ght");
        browser.awaitText("#sign-in-reason", "Bearer token: it has U+2019 at position 3, which no token has");
        assertThat(browser.text("#connection")).isEqualTo("A token is needed");
        assertThat(host.state().asked).isEmpty();
        browser.enterToken("right");
        browser.await("it is shown", () -> browser.find("#data").isDisplayed());
    }

    @Test
    void everybodyCanUseIt() {
        host.state().controllers = FakeHost.manyControllers(30, 1);
        host.state().informers = List.of(
                FakeHost.informer("deployments.apps/v1", null), FakeHost.informer("secrets/v1", "list secrets"));
        host.state().failures = List.of(new Failure("team/a", "first", FakeHost.THEN));
        host.state().divided = Map.of("foo", FakeHost.divided("foo"));
        browser.await("rows", () -> count("#controllers tbody") == 30);
        browser.await("shards", () -> count("#shards tbody") == 4);
        browser.click("#controllers tbody:nth-of-type(4) .opener");
        browser.awaitText(".detail .errors", "team/a");
        for (boolean dark : new boolean[] {false, true}) {
            browser.dark(dark);
            for (int width : new int[] {1440, 720, 360}) {
                browser.width(width);
                assertThat(browser.accessibilityViolations())
                        .as("dark: %s, width: %d", dark, width)
                        .isEmpty();
                assertThat((Long) browser.run("return document.documentElement.scrollWidth"))
                        .as("no scrolling sideways at %d", width)
                        .isLessThanOrEqualTo(width);
            }
        }
        String background = "return getComputedStyle(document.body).backgroundColor";
        Object dark = browser.run(background);
        browser.dark(false);
        assertThat(browser.run(background)).isNotEqualTo(dark);
    }

    @Test
    void theFirstKeyLeadsToTheControllers() {
        browser.find("body").sendKeys(Keys.TAB);
        assertThat(browser.run("return document.activeElement.textContent")).isEqualTo("Skip to the controllers");
        browser.find(".skip").sendKeys(Keys.ENTER);
        assertThat(browser.run("return document.activeElement.id")).isEqualTo("main");
    }

    @Test
    void withoutJavaScriptItLeadsToTheEndpoints() {
        browser.scripts(false);
        try {
            browser.reload();
            assertThat(browser.all("noscript a").stream()
                            .map(link -> link.getDomAttribute("href"))
                            .toList())
                    .contains("actuator/controllers", "actuator/informers", "actuator/leaderelection");
        } finally {
            browser.scripts(true);
        }
    }

    @Test
    void headersKeepStrangersOutAndCopiesFresh() throws Exception {
        HttpResponse<String> page = get(host, "/");
        assertThat(page.body())
                .contains("<title>Controller Manager</title>")
                .doesNotContain("<style", "style=", "onclick");
        assertThat(header(page, "Content-Security-Policy"))
                .contains("default-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(header(page, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(page, "Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(header(page, "Cache-Control")).isEqualTo("no-cache");
        for (String path : List.of("/", "/page/main.js", "/page/page.css")) {
            String etag = header(get(host, path), "ETag");
            assertThat(etag).isNotEmpty();
            assertThat(get(host, path, "If-None-Match", etag).statusCode()).isEqualTo(304);
        }
        HttpResponse<String> none = get(host, "/nothing/here");
        assertThat(none.statusCode()).isEqualTo(404);
        assertThat(none.body()).startsWith("{").contains("\"path\":\"/nothing/here\"");
        host.state().controllers = FakeHost.manyControllers(1000, 1);
        assertThat(header(
                        get(host, "/actuator/controllers", "Accept", "application/json", "Accept-Encoding", "gzip"),
                        "Content-Encoding"))
                .isEqualTo("gzip");
        assertThat(header(get(host, "/page/page.css", "Accept-Encoding", "gzip"), "Content-Encoding"))
                .isEqualTo("gzip");
    }

    @Test
    void itWorksBelowAnotherPathAndSaysWhenTheEndpointsAreElsewhere() throws Exception {
        try (FakeHost below =
                FakeHost.start("server.servlet.context-path=/cm", "management.endpoints.web.base-path=/manage")) {
            browser.go(below.url("/cm/"));
            browser.awaitText("#controllers", "foo");
            assertThat(browser.text("#connection")).startsWith("Updated");
        }
        int port = Ports.free();
        try (FakeHost apart = FakeHost.start("management.server.port=" + port)) {
            browser.go(apart.url("/"));
            browser.awaitText("#refused", "have a port of their own, " + port);
            assertThat(browser.find("#data").isDisplayed()).isFalse();
        }
        browser.complaints();
    }

    private static List<String> cells(String row) {
        return browser.texts(row + " > *");
    }

    private static long count(String css) {
        return (Long) browser.run("return document.querySelectorAll(arguments[0]).length", css);
    }

    private static double rate() {
        String text = rateText();
        return text.equals("–") ? -1 : Double.parseDouble(text);
    }

    private static String rateText() {
        return browser.text("#controllers td[data-column=rate]").replace(",", "");
    }

    /** As the rows stand, by what the state says: cells out of sight may be older than the order. */
    private static List<Integer> queueDepths() {
        Map<String, Integer> depths = host.state().controllers.stream()
                .collect(Collectors.toMap(controller -> controller.name(), controller -> controller.queueDepth()));
        return browser.texts("#controllers tbody .opener").stream()
                .map(depths::get)
                .toList();
    }

    private static void hide(boolean hidden) {
        browser.run("""
                const hidden = arguments[0];
                Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden});
                document.dispatchEvent(new Event('visibilitychange'));
                """, hidden);
    }

    private static HttpResponse<String> get(FakeHost from, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(from.url(path)));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
