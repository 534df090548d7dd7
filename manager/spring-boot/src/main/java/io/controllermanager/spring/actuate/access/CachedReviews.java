package io.controllermanager.spring.actuate.access;

import io.controllermanager.time.Clock;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what others say, as client-go's delegated authentication does ({@code
 * k8s.io/apiserver/pkg/authentication/token/cache}). Tokens themselves are not kept, only a digest of each, made with a key
 * that lives as long as this object.
 */
public final class CachedReviews implements AccessReviews {

    private static final String DIGEST = "HmacSHA256";

    /** A verb and path that are longer are asked for each time: nothing here is that long, and keys are held for minutes. */
    static final int MAXIMUM_LENGTH = 1_000;

    private final AccessReviews reviews;
    private final SecretKeySpec digestKey;
    private final ReviewCache<String, Optional<Caller>> callers;
    private final ReviewCache<Question, Boolean> permissions;

    private record Question(Caller caller, String verb, String path) {}

    /**
     * How long answers hold; zero for not at all.
     *
     * @param tokens whose token it is, and that it is nobody's
     * @param allowed that somebody may do something
     * @param denied that somebody may not
     */
    public record Lifetimes(Duration tokens, Duration allowed, Duration denied) {}

    /** Remembers what the given reviews say. */
    public CachedReviews(AccessReviews reviews, Clock clock, Lifetimes lifetimes) {
        this.reviews = reviews;
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        this.digestKey = new SecretKeySpec(key, DIGEST);
        this.callers = new ReviewCache<>(clock, Optional::isPresent, lifetimes.tokens(), lifetimes.tokens());
        this.permissions = new ReviewCache<>(clock, Boolean::booleanValue, lifetimes.allowed(), lifetimes.denied());
    }

    @Override
    public @Nullable Caller authenticate(String token) throws ReviewFailedException {
        return callers.get(digest(token), () -> Optional.ofNullable(reviews.authenticate(token)))
                .orElse(null);
    }

    @Override
    public boolean isAllowed(Caller caller, String verb, String path) throws ReviewFailedException {
        return verb.length() + path.length() > MAXIMUM_LENGTH
                ? permissions.once(() -> reviews.isAllowed(caller, verb, path))
                : permissions.get(new Question(caller, verb, path), () -> reviews.isAllowed(caller, verb, path));
    }

    private String digest(String token) {
        try {
            Mac mac = Mac.getInstance(DIGEST);
            mac.init(digestKey);
            return HexFormat.of().formatHex(mac.doFinal(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException(e);
        }
    }
}
