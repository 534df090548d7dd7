package io.controllermanager.testing.bothservers.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.controllermanager.testing.support.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import okhttp3.Call;
import okhttp3.Response;

/** A watch that is read as it comes. */
final class Watching implements AutoCloseable {

    private static final String END = "END";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** One event; the last one of a watch has the type END. */
    record Event(String type, JsonNode object) {

        String name() {
            return object.at("/metadata/name").asText();
        }

        String version() {
            return object.at("/metadata/resourceVersion").asText();
        }

        boolean endsInitialEvents() {
            return object.at("/metadata/annotations/k8s.io~1initial-events-end")
                    .asText()
                    .equals("true");
        }

        @Override
        public String toString() {
            return type + " " + name();
        }
    }

    private final Call call;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    Watching(Call call) {
        this.call = call;
        Thread reader = new Thread(this::read, "watching");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (Response response = call.execute();
                BufferedReader lines = new BufferedReader(response.body().charStream())) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode event = MAPPER.readTree(line);
                events.add(new Event(
                        response.code() == 200 ? event.path("type").asText() : "REFUSED",
                        response.code() == 200 ? event.path("object") : event));
            }
        } catch (IOException e) {
            // Cut or cancelled: either way it is over.
            assertThat(call.isExecuted()).isTrue();
        } finally {
            events.add(new Event(END, MAPPER.createObjectNode()));
        }
    }

    /** Whether there is an event now. */
    boolean hasNext() {
        return !events.isEmpty();
    }

    /** The next event, bookmarks included. */
    Event any() {
        try {
            return Waiting.on(events);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The next event that is no bookmark. */
    Event next() {
        Event event = any();
        while (event.type().equals("BOOKMARK")) {
            event = any();
        }
        return event;
    }

    /** The next event, which has to be of this type and about this object. */
    Event next(String type, String name) {
        Event event = next();
        assertThat(event).hasToString(type + " " + name);
        return event;
    }

    /** The next bookmark, other events skipped. */
    Event bookmark() {
        Event event = any();
        while (!event.type().equals("BOOKMARK")) {
            assertThat(event.type()).isNotEqualTo(END);
            event = any();
        }
        return event;
    }

    /** All that comes until the watch ends. */
    List<Event> toEnd() {
        List<Event> all = new ArrayList<>();
        for (Event event = any(); !event.type().equals(END); event = any()) {
            all.add(event);
        }
        return all;
    }

    @Override
    public void close() {
        call.cancel();
    }
}
