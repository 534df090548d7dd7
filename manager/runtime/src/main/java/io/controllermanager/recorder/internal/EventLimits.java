package io.controllermanager.recorder.internal;

/**
 * How many different Events one component may write about one object, so that an object that is always in trouble does
 * not bury all others. The figures and their meaning are those of the spam filter in client-go's {@code tools/record}.
 *
 * @param burst how many at once
 * @param perSecond how many more each second once those are used up
 */
public record EventLimits(int burst, double perSecond) {

    /** 25 at once, then one every five minutes. */
    public static final EventLimits STANDARD = new EventLimits(25, 1.0 / 300);

    /** Refuses what cannot be kept. */
    public EventLimits {
        if (burst < 1) {
            throw new IllegalArgumentException("burst must be at least 1, but is " + burst);
        }
        if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
            throw new IllegalArgumentException("perSecond must be more than 0, but is " + perSecond);
        }
    }
}
