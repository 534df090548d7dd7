package io.controllermanager.client.internal.json;

import com.google.gson.JsonParseException;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Kubernetes times: {@code Time} has whole seconds, {@code MicroTime} demands six digits after them (Go's
 * {@code apimachinery/pkg/apis/meta/v1}). The API server drops a {@code Time}'s fraction where it knows the type, but keeps
 * a custom resource's text as it came: so whole seconds are written without one unless {@code MicroTime} is meant, and
 * a fraction that is there is written in six digits, or in nine where it takes them. Read with any number of digits. Most are in the form
 * {@code 2026-01-01T00:00:00Z}, read here without a formatter, since every object carries some.
 */
final class MicroTimeAdapter extends TypeAdapter<OffsetDateTime> {

    private static final int NANOS_PER_MICRO = 1_000;

    private static final DateTimeFormatter SECONDS = withFraction("");
    private static final DateTimeFormatter MICROS = withFraction(".SSSSSS");
    private static final DateTimeFormatter NANOS = withFraction(".SSSSSSSSS");

    private static final String SECONDS_FORM = "0000-00-00T00:00:00Z";

    private final boolean alwaysMicros;

    /**
     * Writes times.
     *
     * @param alwaysMicros whether whole seconds have a fraction too
     */
    MicroTimeAdapter(boolean alwaysMicros) {
        this.alwaysMicros = alwaysMicros;
    }

    private static DateTimeFormatter withFraction(String fraction) {
        return DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss" + fraction + "XXX", Locale.ROOT);
    }

    @Override
    public void write(JsonWriter out, OffsetDateTime value) throws IOException {
        boolean finer = value.getNano() % NANOS_PER_MICRO != 0;
        out.value((alwaysMicros ? MICROS : value.getNano() == 0 ? SECONDS : finer ? NANOS : MICROS).format(value));
    }

    @Override
    public OffsetDateTime read(JsonReader in) throws IOException {
        String text = in.nextString();
        try {
            return hasSecondsForm(text) ? readSeconds(text) : OffsetDateTime.parse(text);
        } catch (DateTimeException e) {
            throw new JsonParseException("not a time: \"" + text + "\"", e);
        }
    }

    private static boolean hasSecondsForm(String text) {
        if (text.length() != SECONDS_FORM.length()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char form = SECONDS_FORM.charAt(i);
            char c = text.charAt(i);
            if (form == '0' ? c < '0' || c > '9' : c != form) {
                return false;
            }
        }
        return true;
    }

    private static OffsetDateTime readSeconds(String text) {
        return OffsetDateTime.of(
                Integer.parseInt(text, 0, 4, 10),
                Integer.parseInt(text, 5, 7, 10),
                Integer.parseInt(text, 8, 10, 10),
                Integer.parseInt(text, 11, 13, 10),
                Integer.parseInt(text, 14, 16, 10),
                Integer.parseInt(text, 17, 19, 10),
                0,
                ZoneOffset.UTC);
    }
}
