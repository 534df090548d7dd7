package io.controllermanager.informer.internal;

import io.controllermanager.client.internal.request.ErrorKind;
import java.util.Locale;

/** How a watch ended. */
enum WatchEnd {
    /** The API server ended it in order, as it does when its time is over. */
    REGULAR,
    /** The API server no longer knew where it was to go on. */
    EXPIRED,
    /** The API server said that it cannot go on. */
    FAILED,
    /** The connection broke off. */
    CUT,
    /** It said nothing for too long and was ended here. */
    SILENT,
    /** It sent what is no event, or did not send what was asked for. */
    GARBLED,
    /** The reflector was stopped. */
    STOPPED;

    /** How a watch ended that the API server refused to open or to go on with, or that it did not answer. */
    static WatchEnd of(ErrorKind error) {
        return switch (error) {
            case NO_ANSWER -> CUT;
            case EXPIRED -> EXPIRED;
            default -> FAILED;
        };
    }

    /** As metrics and status have it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
