package io.controllermanager.app.page;

import io.controllermanager.testing.support.SystemPrograms;
import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.ElementClickInterceptedException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/** The system's Chromium, without a display. */
public final class Browser implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(20);

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    public static Browser open() {
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(SystemPrograms.CHROMIUM.path().toString());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--enable-precise-memory-info",
                "--lang=en-GB",
                "--window-size=1440,900");
        options.setCapability("goog:loggingPrefs", logs);
        // Named here, so that Selenium looks for nothing and loads nothing.
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(SystemPrograms.CHROMEDRIVER.path().toFile())
                .usingAnyFreePort()
                .build();
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().timeouts().scriptTimeout(Waiting.LIMIT);
        return new Browser(driver);
    }

    public void go(String url) {
        driver.get(url);
    }

    void reload() {
        driver.navigate().refresh();
    }

    public WebElement find(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    List<WebElement> all(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    /** The text that can be seen of the first that matches, without an exception where there is none. */
    public String text(String css) {
        return String.valueOf(run(
                "const node = document.querySelector(arguments[0]); return node?.checkVisibility() ? node.innerText : ''",
                css));
    }

    /** Each one's text. */
    @SuppressWarnings("unchecked")
    List<String> texts(String css) {
        return (List<String>) Objects.requireNonNull(
                run("return [...document.querySelectorAll(arguments[0])].map(node => node.textContent)", css));
    }

    public void enterToken(String token) {
        find("#token").sendKeys(token);
        click("#sign-in-form button");
    }

    Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    void await(String what, BooleanSupplier condition) {
        WebDriverWait wait = new WebDriverWait(driver, Waiting.LIMIT, POLL);
        wait.withMessage(() ->
                what + "; the page says: " + text("body").lines().limit(60).toList());
        wait.until(ignored -> condition.getAsBoolean());
    }

    /** Clicks the first that matches; again where the page's content moved in that moment, and the click missed. */
    public void click(String css) {
        await("a click on " + css, () -> {
            try {
                find(css).click();
                return true;
            } catch (ElementClickInterceptedException | StaleElementReferenceException e) {
                return false;
            }
        });
    }

    public void awaitText(String css, String part) {
        await(css + " says " + part, () -> text(css).contains(part));
    }

    /** Waits until the page has shown an answer that was asked for after this call. */
    void awaitRefresh() {
        // The one after the next: the next may have been asked for before.
        awaitAnswers(2);
    }

    /** Waits until the page has shown so many more answers, without asking it meanwhile. */
    void awaitAnswers(int count) {
        driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                const root = document.documentElement;
                const end = Number(root.dataset.answers ?? 0) + arguments[0];
                const observer = new MutationObserver(() => {
                    if (Number(root.dataset.answers) >= end) {
                        observer.disconnect();
                        done();
                    }
                });
                observer.observe(root, {attributeFilter: ['data-answers']});
                """, count);
    }

    void width(int pixels) {
        size(pixels, 900);
    }

    void size(int width, int height) {
        command(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    void locale(String locale) {
        command("Emulation.setLocaleOverride", Map.of("locale", locale));
    }

    /** Lets the timers of every page that is loaded from now on run out so many times faster. */
    void hurry(int times) {
        command("Page.addScriptToEvaluateOnNewDocument", Map.of("source", """
                        const patient = window.setTimeout;
                        window.setTimeout = (work, millis = 0, ...more) => patient(work, millis / %d, ...more);
                        """.formatted(times)));
    }

    void dark(boolean dark) {
        Map<String, Object> scheme = Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light");
        command("Emulation.setEmulatedMedia", Map.of("features", List.of(scheme)));
    }

    void scripts(boolean enabled) {
        command("Emulation.setScriptExecutionDisabled", Map.of("value", !enabled));
    }

    Map<String, Object> command(String name, Map<String, Object> parameters) {
        return driver.executeCdpCommand(name, parameters);
    }

    /** What the page or the browser has complained of since this was asked last. */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(entry -> entry.getMessage())
                // What axe-core does, not the page.
                .filter(message -> !message.contains("Canvas2D"))
                .toList();
    }

    /** What axe-core finds, a line each; it knows the rules of WCAG 2 A and AA that a program can check. */
    @SuppressWarnings("unchecked")
    List<String> accessibilityViolations() {
        driver.executeScript(axe());
        Object found = driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                axe.run(document, {resultTypes: ['violations']}).then(
                    result => done(result.violations.flatMap(violation => violation.nodes.map(node =>
                        violation.id + ': ' + node.target + ' ' + node.failureSummary))),
                    error => done(['axe failed: ' + error]));
                """);
        return (List<String>) Objects.requireNonNull(found);
    }

    private static String axe() {
        try (InputStream source =
                Browser.class.getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
            return new String(Objects.requireNonNull(source).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void screenshot(Path file) throws IOException {
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    }

    @Override
    public void close() {
        driver.quit();
    }
}
