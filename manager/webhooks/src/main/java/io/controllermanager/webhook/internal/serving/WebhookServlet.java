package io.controllermanager.webhook.internal.serving;

import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.controllermanager.webhook.internal.registration.WebhookNames;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers POST requests of JSON at the paths of the webhooks, and nothing else. Safe for use by several threads. */
final class WebhookServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    private static final Logger log = LoggerFactory.getLogger(WebhookServlet.class);

    /** As controller-runtime's: the object and the one before, of 3 MiB each, and what is around them. */
    static final long ADMISSION_LIMIT = 7L << 20;

    /**
     * An API server sends one object at a time, also of a list, as it reads each from etcd. That has at most 1.5 MiB there, and a
     * request adds 3 MiB to it at most. Each {@code <}, {@code >} and {@code &} in it takes six bytes on the way here.
     */
    static final long CONVERSION_LIMIT = 32L << 20;

    /** Larger bodies wait for each other: not as many are in memory as there are threads. */
    static final long LARGE = 1L << 20;

    static final int LARGE_AT_ONCE = 8;

    /** The longest that an API server waits, also for one that does not say how long it does. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private static final String JSON = "application/json";

    private final transient WebhookHandler handler;
    private final transient Clock clock;
    private final transient Timer timer;
    private final transient Map<String, RequestMeters> meters;

    /** Counts requests that are being answered, beside its owner. */
    private final transient Phaser running = new Phaser(1);

    private final transient Semaphore large = new Semaphore(LARGE_AT_ONCE, true);

    private volatile boolean ending;

    private final transient Set<String> clientNames;

    WebhookServlet(WebhookHandler handler, Set<String> clientNames, Clock clock, Timer timer, MeterRegistry registry) {
        this.handler = handler;
        this.clientNames = clientNames;
        this.clock = clock;
        this.timer = timer;
        this.meters = handler.paths().stream()
                .collect(Collectors.toMap(Function.identity(), path -> new RequestMeters(registry, path)));
    }

    /** What is answered; not JSON is a sentence for people. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares answers
    private record Answer(int code, String type, byte[] body) {

        static Answer of(int code, String sentence) {
            return new Answer(code, "text/plain;charset=utf-8", (sentence + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    /** From now on each client is told to come back by another connection. */
    void endConnections() {
        ending = true;
    }

    /** Counts requests that are being answered. */
    Phaser running() {
        return running;
    }

    void closeMeters() {
        meters.values().forEach(RequestMeters::close);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        running.register();
        try {
            String path = request.getRequestURI();
            RequestMeters counted = meters.get(path);
            Answer answer = counted == null
                    ? Answer.of(404, "There is no webhook at this path.")
                    : counted(counted, path, request);
            send(answer, response);
        } finally {
            running.arriveAndDeregister();
        }
    }

    private Answer counted(RequestMeters counted, String path, HttpServletRequest request) throws IOException {
        long begun = clock.nanoTime();
        int code = 500;
        counted.begin();
        try {
            Answer answer = answer(path, request);
            code = answer.code;
            return answer;
        } finally {
            counted.end(code, Duration.ofNanos(clock.nanoTime() - begun));
        }
    }

    private void send(Answer answer, HttpServletResponse response) throws IOException {
        response.setStatus(answer.code);
        response.setContentType(answer.type);
        response.setContentLength(answer.body.length);
        if (ending) {
            response.setHeader("Connection", "close");
        }
        response.getOutputStream().write(answer.body);
    }

    private Answer answer(String path, HttpServletRequest request) throws IOException {
        if (!request.getMethod().equals("POST")) {
            return Answer.of(405, "Webhooks are asked by POST, not by " + request.getMethod() + ".");
        }
        String type = request.getContentType();
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase(JSON)) {
            return Answer.of(415, "Webhooks are asked in " + JSON + ", not in " + type + ".");
        }
        String client = clientNames.isEmpty() ? "" : clientName(request);
        if (!clientNames.isEmpty() && !clientNames.contains(client)) {
            return Answer.of(403, "The certificate of \"" + client + "\" may not ask here.");
        }
        Duration limit = timeLimit(request.getParameter("timeout"));
        if (limit == null) {
            return Answer.of(400, "The timeout must be a duration such as 10s.");
        }
        long most = path.equals(WebhookNames.CONVERT_PATH) ? CONVERSION_LIMIT : ADMISSION_LIMIT;
        if (request.getContentLengthLong() > most) {
            return tooLarge(most);
        }
        TimeLimit time = new TimeLimit(limit, timer);
        LimitedBody body = new LimitedBody(request.getInputStream(), most, time);
        // A length that is not told is -1.
        boolean isLarge = request.getContentLengthLong() < 0 || request.getContentLengthLong() > LARGE;
        try (time) {
            if (isLarge) {
                large.acquire();
            }
            try {
                Answer answer = new Answer(200, JSON, handler.answer(path, body));
                // A connection whose body is not read to its end would be closed.
                body.transferTo(OutputStream.nullOutputStream());
                return answer;
            } finally {
                if (isLarge) {
                    large.release();
                }
            }
        } catch (BadRequestException e) {
            return body.isTooLarge()
                    ? tooLarge(most)
                    : time.isOver() ? failed(path, e, limit, true) : Answer.of(400, String.valueOf(e.getMessage()));
        } catch (InterruptedException | IOException | RuntimeException | Error e) {
            return body.isTooLarge() ? tooLarge(most) : failed(path, e, limit, time.isOver());
        }
    }

    /** The common name of its certificate, which has been checked; empty if it has none. */
    private static String clientName(HttpServletRequest request) {
        if (!(request.getAttribute("jakarta.servlet.request.X509Certificate") instanceof X509Certificate[] chain)) {
            return "";
        }
        try {
            for (Rdn part : new LdapName(chain[0].getSubjectX500Principal().getName()).getRdns()) {
                Attribute name = part.toAttributes().get("CN");
                if (name != null) {
                    return String.valueOf(name.get());
                }
            }
            return "";
        } catch (NamingException e) {
            throw new IllegalStateException("the JDK's own name of a certificate is none", e);
        }
    }

    private static Answer tooLarge(long limit) {
        return Answer.of(413, "The body has more than the " + limit + " bytes that are taken.");
    }

    private static Answer failed(String path, Throwable failure, Duration limit, boolean late) {
        if (late) {
            String text = "The webhook has not answered within " + limit.toMillis() + " ms.";
            log.warn("{}: {}", path, text);
            return Answer.of(504, text);
        }
        log.error("{}: {}", path, failure.toString(), failure);
        return Answer.of(500, FailureMessage.words(failure));
    }

    /** As Go writes durations of whole seconds, 30 seconds at most; null if it is none. */
    static @Nullable Duration timeLimit(@Nullable String timeout) {
        try {
            Duration limit = timeout == null ? LONGEST : Duration.parse("PT" + timeout);
            return limit.compareTo(LONGEST) < 0 ? limit : LONGEST;
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
