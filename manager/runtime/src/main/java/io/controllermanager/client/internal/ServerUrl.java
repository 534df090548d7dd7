package io.controllermanager.client.internal;

import java.util.function.Supplier;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/** An API server's URL, which may change, and is parsed when it has: each request needs it. Safe for use by several threads. */
final class ServerUrl {

    private final Supplier<String> text;
    private volatile @Nullable Parsed last;

    private record Parsed(String text, @Nullable HttpUrl url) {}

    ServerUrl(Supplier<String> text) {
        this.text = text;
    }

    /** The present one, null if it is none. */
    @Nullable
    HttpUrl get() {
        String now = text.get();
        Parsed parsed = last;
        if (parsed == null || !parsed.text.equals(now)) {
            parsed = new Parsed(now, HttpUrl.parse(now));
            last = parsed;
        }
        return parsed.url;
    }
}
