package io.controllermanager.spring.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.QueueOptions;
import io.controllermanager.controller.RateLimiterOptions;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.InformerOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class ConfigurationReaderTests {

    private static final List<KnownController> CONTROLLERS = List.of(
            new KnownController("foo", true, ControllerOptions.DEFAULTS),
            new KnownController("foo-bar", true, ControllerOptions.DEFAULTS.withWorkers(3)),
            new KnownController("quiet", false, ControllerOptions.DEFAULTS));

    private final StandardEnvironment environment = new StandardEnvironment();
    private ControllerManagerProperties properties =
            new Binder().bindOrCreate(ControllerManagerProperties.PREFIX, ControllerManagerProperties.class);

    @BeforeEach
    void startWithNothingSet() {
        environment
                .getPropertySources()
                .forEach(source -> environment.getPropertySources().remove(source.getName()));
        ConfigurationPropertySources.attach(environment);
    }

    @Test
    void defaultsRunWhatIsOnByDefault() {
        assertThat(read()).containsOnlyKeys("foo", "foo-bar");
        assertThat(options("foo")).isEqualTo(ControllerOptions.DEFAULTS);
        assertThat(options("foo-bar").workers()).isEqualTo(3);
    }

    @Test
    void electionsDefaultsAreClientGos() {
        LeaderElectionProperties election = properties.leaderElection();
        assertThat(election.leaseDuration()).isEqualTo(Duration.ofSeconds(15));
        assertThat(election.renewDeadline()).isEqualTo(Duration.ofSeconds(10));
        assertThat(election.retryPeriod()).isEqualTo(Duration.ofSeconds(2));
        assertThat(election.enabled()).isTrue();
        assertThat(election.releaseOnStop()).isTrue();
    }

    @Test
    void aControllersOwnSettingsOverrideWhatItWasBuiltWith() {
        set(Map.of(
                "controller-manager.controller.foo-bar.workers", "7",
                "controller-manager.controller.foo-bar.reconcile-timeout", "1m30s",
                "controller-manager.controller.foo-bar.needsLeaderElection", "false",
                "controller-manager.controller.foo-bar.shards", "256",
                "controller-manager.controller.foo-bar.shard-by", "namespace-range",
                "controller-manager.controller.foo-bar.rate-limiter.min-backoff", "10ms",
                "controller-manager.controller.foo-bar.rate-limiter.max-backoff", "PT1M",
                "controller-manager.cache-sync-timeout", "1m"));
        assertThat(options("foo-bar"))
                .isEqualTo(ControllerOptions.DEFAULTS
                        .withWorkers(7)
                        .withReconcileTimeout(Duration.ofSeconds(90))
                        .withCacheSyncTimeout(Duration.ofMinutes(1))
                        .withNeedsLeaderElection(false)
                        .withShards(new Shards(256, Shards.By.NAMESPACE_RANGE))
                        .withBackoff(Duration.ofMillis(10), Duration.ofMinutes(1)));
        assertThat(options("foo").workers()).isEqualTo(1);
    }

    @Test
    void eachRateLimiterQueueAndIntervalIsSetByProperty() {
        String foo = "controller-manager.controller.foo.";
        set(Map.ofEntries(
                Map.entry(foo + "reconcile-timeout", "0"),
                Map.entry(foo + "min-interval", "30s"),
                Map.entry(foo + "max-interval", "1h"),
                Map.entry(foo + "essential", "true"),
                Map.entry(foo + "ready-without-type", "true"),
                Map.entry(foo + "queue.priorities", "false"),
                Map.entry(foo + "queue.fairness", "true"),
                Map.entry(foo + "rate-limiter.type", "fast-slow"),
                Map.entry(foo + "rate-limiter.jitter", "0.2"),
                Map.entry(foo + "rate-limiter.qps", "5.5"),
                Map.entry(foo + "rate-limiter.burst", "7"),
                Map.entry(foo + "rate-limiter.fast-attempts", "3")));
        RateLimiterOptions limiter = RateLimiterOptions.DEFAULTS
                .withType(RateLimiterOptions.Type.FAST_SLOW)
                .withJitter(0.2)
                .withBucket(5.5, 7)
                .withFastAttempts(3);
        assertThat(options("foo"))
                .isEqualTo(ControllerOptions.DEFAULTS
                        .withReconcileTimeout(null)
                        .withMinInterval(Duration.ofSeconds(30))
                        .withMaxInterval(Duration.ofHours(1))
                        .withEssential(true)
                        .withReadyWithoutType(true)
                        .withQueue(new QueueOptions(limiter, false, true)));
    }

    @Test
    void aControllerLooksAtAllWithinTenHoursUnlessThatIsSwitchedOff() {
        assertThat(options("foo").maxInterval()).isEqualTo(Duration.ofHours(10));
        set(Map.of("controller-manager.controller.foo.max-interval", "0"));
        assertThat(options("foo").maxInterval()).isNull();
    }

    /** Spring Boot takes it for milliseconds, Go refuses it. */
    @Test
    void aDurationWithoutUnitIsRefused() {
        set(Map.of(
                "controller-manager.leader-election.lease-duration", "15",
                "controller-manager.controller.foo.min-interval", "30",
                "controller-manager.informers.disconnect-timeout", "0"));
        assertThat(mistakes())
                .containsExactlyInAnyOrder(
                        "controller-manager.leader-election.lease-duration=15: must be a duration, such as 15s, 1m30s"
                                + " or 500ms; a number needs its unit",
                        "controller-manager.controller.foo.min-interval=30: must be a duration, such as 15s, 1m30s or"
                                + " 500ms; a number needs its unit");
    }

    @Test
    void numbersAndPathsThatCannotBeAreRefused() {
        set(Map.of(
                "controller-manager.controller.foo.workers", "1000000",
                "controller-manager.informers.page-size", "0",
                "controller-manager.page.path", "page/"));
        assertThat(mistakes())
                .containsExactlyInAnyOrder(
                        "controller-manager.controller.foo.workers=1000000: must be from 1 to 10000",
                        "controller-manager.informers.page-size=0: must be at least 1",
                        "controller-manager.page.path=page/: must be / or a path such as /controllers, with no slash at"
                                + " its end");
    }

    @Test
    void mistakesInARateLimiterAreAllReported() {
        String foo = "controller-manager.controller.foo.";
        set(Map.of(
                foo + "min-interval", "-1s",
                foo + "rate-limiter.type", "slow",
                foo + "rate-limiter.jitter", "1.5",
                foo + "rate-limiter.qps", "0",
                foo + "rate-limiter.burst", "0",
                foo + "rate-limiter.fast-attempts", "few"));
        assertThat(mistakes())
                .containsExactlyInAnyOrder(
                        foo + "min-interval=-1s: must not be negative; 0 for none",
                        foo + "rate-limiter.type=slow: must be exponential or bucket or fast-slow",
                        foo + "rate-limiter.jitter=1.5: must be from 0 to 1",
                        foo + "rate-limiter.qps=0: must be more than 0 and finite",
                        foo + "rate-limiter.burst=0: must be at least 1",
                        foo + "rate-limiter.fast-attempts=few: must be a whole number");
    }

    @ParameterizedTest
    @CsvSource({
        "client.qps, 'must be a number more than 0, or negative for no limit'",
        "events.qps, must be a number more than 0",
        "controller.foo.rate-limiter.qps, must be more than 0 and finite",
        "controller.foo.rate-limiter.jitter, must be from 0 to 1"
    })
    void whatIsNoFiniteNumberIsReported(String property, String allowed) {
        // The last is read as infinite.
        for (String value : List.of("NaN", "Infinity", "-Infinity", "1e999")) {
            startWithNothingSet();
            set(Map.of("controller-manager." + property, value));
            assertThat(mistakes()).containsExactly("controller-manager." + property + "=" + value + ": " + allowed);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "controller.foo.max-interval, -1s, must not be negative; 0 for none",
        "annotations.paused, a/b/c, 'must be the name of an annotation, such as example.com/paused'",
        "annotations.reconcile-at, -now, 'must be the name of an annotation, such as example.com/reconcile-at'",
        "client.qps, 0, 'must be a number more than 0, or negative for no limit'",
        "client.qps, -0.0, 'must be a number more than 0, or negative for no limit'",
        "client.burst, 0, must be at least 1",
        "events.burst, 0, must be at least 1",
        "events.qps, 0, must be a number more than 0",
        "client.burst, -5, must be at least 1",
        "client.burst, 1.5, must be a whole number",
        "client.burst, Infinity, must be a whole number",
        "informers.page-size, 0, must be at least 1",
        "informers.page-size, -500, must be at least 1",
        "informers.page-size, many, must be a whole number",
        "controller.foo.rate-limiter.qps, -1, must be more than 0 and finite",
        "controller.foo.shards, 0, must be from 1 to 256",
        "controller.foo.shards, 257, must be from 1 to 256",
        "controller.foo.shards, all, must be a whole number",
        "controller.foo.shard-by, nmespace, must be namespace or namespace-range or name or uid",
        "controller.foo.shard-by, foo, must be namespace or namespace-range or name or uid",
        "controller.foo.rate-limiter.jitter, -0.1, must be from 0 to 1"
    })
    void valuesThatAreNotAllowedAreReported(String property, String value, String allowed) {
        set(Map.of("controller-manager." + property, value));
        assertThat(mistakes()).containsExactly("controller-manager." + property + "=" + value + ": " + allowed);
    }

    @Test
    void listsHaveThePagesAndObjectsTheFieldsThatAreSet() {
        assertThat(properties.informers().pageSize()).isEqualTo(InformerOptions.DEFAULTS.pageSize());
        assertThat(properties.informers().dropManagedFields()).isEqualTo(InformerOptions.DEFAULTS.dropManagedFields());
        set(Map.of(
                "controller-manager.informers.page-size", "50",
                "controller-manager.informers.drop-managed-fields", "false"));
        assertThat(read()).isNotEmpty();
        assertThat(properties.informers().pageSize()).isEqualTo(50);
        assertThat(properties.informers().dropManagedFields()).isFalse();
    }

    @Test
    void aNegativeRateOfRequestsIsNoLimit() {
        set(Map.of("controller-manager.client.qps", "-0.5"));
        assertThat(read()).isNotEmpty();
    }

    @Test
    void virtualThreadsThatTheJvmDoesNotHaveAreOneClearError() {
        set(Map.of("controller-manager.virtual-threads", "true"));
        if (Runtime.version().feature() >= 21) {
            assertThat(read()).isNotEmpty();
        } else {
            assertThat(mistakes())
                    .containsExactly("controller-manager.virtual-threads=true: virtual threads need Java 21 or later,"
                            + " this is " + Runtime.version());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONTROLLER_MANAGER_CONTROLLER_FOO_BAR_RATE_LIMITER_MAX_BACKOFF",
                "CONTROLLERMANAGER_CONTROLLER_FOOBAR_RATELIMITER_MAXBACKOFF"
            })
    void environmentVariablesReachDashedNames(String variable) {
        setVariables(Map.of(variable, "2m", "CONTROLLER_MANAGER_CONTROLLER_FOO_WORKERS", "5"));
        assertThat(options("foo-bar").rateLimiter().maxBackoff()).isEqualTo(Duration.ofMinutes(2));
        assertThat(options("foo").workers()).isEqualTo(5);
    }

    @Test
    void aControllerIsTurnedOffByItsOwnProperty() {
        set(Map.of("controller-manager.controllers", "*,quiet", "controller-manager.controller.foo.enabled", "false"));
        assertThat(read()).containsOnlyKeys("foo-bar", "quiet");
    }

    @Test
    void everyMistakeIsReportedAtOnce() {
        set(Map.ofEntries(
                Map.entry("controller-manager.leader-election.lease-duration", "abc"),
                Map.entry("controller-manager.leader-election.renew-deadline", "1s"),
                Map.entry("controller-manager.leader-election.on-loss", "explode"),
                Map.entry("controller-manager.leader-election.pod-uid", "metadata.uid"),
                Map.entry("controller-manager.leader-election.enabled", "perhaps"),
                Map.entry("controller-manager.client.qps", "many"),
                Map.entry("controller-manager.client.burst", "0"),
                Map.entry("controller-manager.controllers", "*,nope,-neither"),
                Map.entry("controller-manager.controller.foo.workers", "two"),
                Map.entry("controller-manager.controller.foo-bar.workers", "0"),
                Map.entry("controller-manager.controller.foo.reconcile-timeout", "-1s"),
                Map.entry("controller-manager.controller.foo.rate-limiter.max-backoff", "1ms"),
                Map.entry("controller-manager.controller.foo.wrokers", "1"),
                Map.entry("controller-manager.controller.baz.workers", "1"),
                Map.entry("controller-manager.leader-elect", "true")));
        setVariables(Map.of("CONTROLLER_MANAGER_CONTROLLER_FOO_WORKER", "1"));
        assertThat(mistakes())
                .containsExactlyInAnyOrder(
                        "controller-manager.leader-election.lease-duration=abc: must be a duration, such as 15s, 1m30s or 500ms",
                        "controller-manager.leader-election.renew-deadline=1s: must be longer than 1.2 times retry-period, which is 2s",
                        "controller-manager.leader-election.on-loss=explode: must be standby or exit",
                        "controller-manager.leader-election.pod-uid=metadata.uid: no uid of a pod; allowed are letters, digits and dashes",
                        "controller-manager.leader-election.enabled=perhaps: must be true or false",
                        "controller-manager.client.qps=many: must be a number",
                        "controller-manager.client.burst=0: must be at least 1",
                        "controller-manager.controllers=*,nope,-neither: no controllers are called \"nope\", \"neither\"; known are foo, foo-bar, quiet",
                        "controller-manager.controller.foo.workers=two: must be a whole number",
                        "controller-manager.controller.foo-bar.workers=0: must be from 1 to 10000",
                        "controller-manager.controller.foo.reconcile-timeout=-1s: must not be negative; 0 for none",
                        "controller-manager.controller.foo.rate-limiter.max-backoff=1ms: must be at least min-backoff, which is 5ms",
                        "controller-manager.controller.foo.wrokers=1: no such property (did you mean controller-manager.controller.foo.workers?)",
                        "controller-manager.controller.baz.workers=1: no controller is called \"baz\"; known are foo, foo-bar, quiet",
                        "controller-manager.leader-elect=true: no such property",
                        "CONTROLLER_MANAGER_CONTROLLER_FOO_WORKER=1: no such property (did you mean CONTROLLER_MANAGER_CONTROLLER_FOO_WORKERS?); known controllers are foo, foo-bar, quiet");
    }

    @Test
    void aLeaseLastsLongerThanItsRenewDeadline() {
        set(Map.of("controller-manager.leader-election.lease-duration", "9s"));
        assertThat(mistakes())
                .containsExactly(
                        "controller-manager.leader-election.lease-duration=9s: must be longer than renew-deadline, which is 10s");
    }

    @Test
    void aLeaseLastsWholeSeconds() {
        set(Map.of("controller-manager.leader-election.lease-duration", "10500ms"));
        assertThat(mistakes())
                .containsExactly(
                        "controller-manager.leader-election.lease-duration=10500ms: must be whole seconds, since a Lease stores no fractions");
    }

    @Test
    void namespacesAreDnsLabels() {
        set(Map.of(
                "controller-manager.namespaces",
                "team-a, Team_B,-c," + "d".repeat(64),
                "controller-manager.leader-election.resource-namespace",
                "kube.system"));
        assertThat(mistakes())
                .containsExactlyInAnyOrder(
                        "controller-manager.namespaces=team-a, Team_B,-c," + "d".repeat(64)
                                + ": no names of namespaces: \"Team_B\", \"-c\", \"" + "d".repeat(64)
                                + "\"; allowed are at most 63 lower case letters, digits and dashes, with no dash at either end",
                        "controller-manager.leader-election.resource-namespace=kube.system: no name of a namespace: \"kube.system\";"
                                + " allowed are at most 63 lower case letters, digits and dashes, with no dash at either end");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "ns/a.b-c"})
    void theFormerLeaseHasANameAndMayHaveANamespace(String former) {
        set(Map.of("controller-manager.leader-election.former-resource-name", former));
        assertThat(read()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "/a", "ns/", "n.s/a", "ns/a/b"})
    void theFormerLeaseHasNoOtherForm(String former) {
        set(Map.of("controller-manager.leader-election.former-resource-name", former));
        assertThat(mistakes())
                .containsExactly("controller-manager.leader-election.former-resource-name=" + former
                        + ": must be the name of a Lease, or namespace/name");
    }

    @Test
    void namespacesMayHaveBlanksAroundThemOrBeEmpty() {
        set(Map.of(
                "controller-manager.namespaces",
                " a ,9, " + "d".repeat(63),
                "controller-manager.leader-election.resource-namespace",
                ""));
        assertThat(read()).isNotEmpty();
    }

    @Test
    void aMistakeInAnElementOfAListSaysWhereItWasSet() {
        setVariables(Map.of(
                "CONTROLLER_MANAGER_CONTROLLERS_0", "foo",
                "CONTROLLER_MANAGER_CONTROLLERS_1", "nix",
                "CONTROLLER_MANAGER_NAMESPACES_0", "A"));
        assertThat(catchThrowableOfType(ConfigurationException.class, this::read)
                        .errors())
                .extracting(ConfigurationError::line)
                .containsExactlyInAnyOrder(
                        "controller-manager.controllers[1]=nix (property source \"systemEnvironment\"):"
                                + " no controller is called \"nix\"; known are foo, foo-bar, quiet",
                        "controller-manager.namespaces[0]=A (property source \"systemEnvironment\"):"
                                + " no name of a namespace: \"A\";"
                                + " allowed are at most 63 lower case letters, digits and dashes, with no dash at either end");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "t", "T", "TRUE", "true", "True"})
    void whatGoTakesForTrueIsTrue(String text) {
        set(Map.of(
                "controller-manager.controller.foo.needs-leader-election", text,
                "controller-manager.controller.foo-bar.enabled", text));
        assertThat(options("foo").needsLeaderElection()).isTrue();
        assertThat(read()).containsKey("foo-bar");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "f", "F", "FALSE", "false", "False"})
    void whatGoTakesForFalseIsFalse(String text) {
        set(Map.of(
                "controller-manager.controller.foo.needs-leader-election", text,
                "controller-manager.controller.foo-bar.enabled", text,
                "controller-manager.leader-election.enabled", text));
        assertThat(options("foo").needsLeaderElection()).isFalse();
        assertThat(read()).doesNotContainKey("foo-bar");
        assertThat(properties.leaderElection().enabled()).isFalse();
    }

    @Test
    void aServiceOfOurNameIsNobodysMistake() {
        setVariables(Map.of(
                "CONTROLLER_MANAGER_SERVICE_HOST", "10.0.0.1",
                "CONTROLLER_MANAGER_SERVICE_PORT_HTTP", "8080",
                "CONTROLLER_MANAGER_PORT_8080_TCP_ADDR", "10.0.0.1",
                "CONTROLLER_MANAGER_PORT", "tcp://10.0.0.1:8080"));
        assertThat(read()).isNotEmpty();
    }

    private void set(Map<String, Object> values) {
        environment.getPropertySources().addLast(new MapPropertySource("test", values));
    }

    private void setVariables(Map<String, Object> values) {
        environment
                .getPropertySources()
                .addLast(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, values));
    }

    private ControllerOptions options(String controller) {
        return Objects.requireNonNull(read().get(controller));
    }

    private Map<String, ControllerOptions> read() {
        ConfigurationErrors errors = new ConfigurationErrors();
        BindHandler handler = new CollectingBindHandlerAdvisor(errors).apply(BindHandler.DEFAULT);
        properties = Binder.get(environment, handler)
                .bindOrCreate(ControllerManagerProperties.PREFIX, ControllerManagerProperties.class);
        return new ConfigurationReader(environment, properties, errors, List.of()).read(CONTROLLERS);
    }

    private List<String> mistakes() {
        ConfigurationException exception = catchThrowableOfType(ConfigurationException.class, this::read);
        // Where a value was set is checked where it matters, with real property sources.
        return exception.errors().stream()
                .map(error -> new ConfigurationError(error.property(), error.value(), null, error.message()).line())
                .toList();
    }
}
