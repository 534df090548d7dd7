package io.controllermanager.apiserver;

import java.util.Random;
import java.util.UUID;

/** What the server makes up, decided by its seed. */
record Names(Random uids, Random suffixes, Random chance) {

    /** No vowels, no digits that look like letters: no words come out. */
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";

    Names(long seed) {
        this(new Random(seed), new Random(seed + 1), new Random(seed + 2));
    }

    /** A random UUID (RFC 9562, version 4). */
    synchronized String uid() {
        long high = (uids.nextLong() & ~0xF000L) | 0x4000L;
        long low = (uids.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        return new UUID(high, low).toString();
    }

    /** Five letters, as {@code generateName} appends them. */
    synchronized String suffix() {
        StringBuilder suffix = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            suffix.append(LETTERS.charAt(suffixes.nextInt(LETTERS.length())));
        }
        return suffix.toString();
    }
}
