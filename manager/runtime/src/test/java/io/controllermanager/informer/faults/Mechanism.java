package io.controllermanager.informer.faults;

/**
 * One way in which things go wrong.
 *
 * @param name a few words, unique among those of a server
 * @param lists whether the informer may have to read everything again
 * @param act makes it go wrong, for a while, and shows that it did
 */
record Mechanism(String name, Lists lists, Act act) {

    /** Whether the informer may have to read everything again. */
    enum Lists {
        /** Nothing that it needs is forgotten. */
        NEVER,
        /** Watches are refused: it lists meanwhile. */
        REFUSED,
        /** If the server says 410. */
        IF_EXPIRED,
        /** The server says 410, and so it must. */
        EXPIRED
    }

    /** Does it. */
    @FunctionalInterface
    interface Act {

        /** Returns when it is over. */
        void happen(Scene scene) throws Exception;
    }

    static Mechanism of(String name, Act act) {
        return new Mechanism(name, Lists.NEVER, act);
    }

    static Mechanism refusing(String name, Act act) {
        return new Mechanism(name, Lists.REFUSED, act);
    }

    static Mechanism expiring(String name, Act act) {
        return new Mechanism(name, Lists.EXPIRED, act);
    }

    static Mechanism mayExpire(String name, Act act) {
        return new Mechanism(name, Lists.IF_EXPIRED, act);
    }

    @Override
    public String toString() {
        return name;
    }
}
