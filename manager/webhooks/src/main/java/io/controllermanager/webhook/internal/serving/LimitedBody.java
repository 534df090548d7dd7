package io.controllermanager.webhook.internal.serving;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body that may have so many bytes and no more. For one thread. */
final class LimitedBody extends FilterInputStream {

    /** The body has more. */
    static final class TooLargeException extends IOException {

        private static final long serialVersionUID = 1L;

        TooLargeException(long limit) {
            super("the body has more than the " + limit + " bytes that are taken");
        }
    }

    private final long limit;
    private long read;

    LimitedBody(InputStream body, long limit) {
        super(body);
        this.limit = limit;
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        count(value < 0 ? 0 : 1);
        return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int count = super.read(buffer, offset, length);
        count(Math.max(0, count));
        return count;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    private void count(int bytes) throws TooLargeException {
        read += bytes;
        if (read > limit) {
            throw new TooLargeException(limit);
        }
    }

    boolean isTooLarge() {
        return read > limit;
    }
}
