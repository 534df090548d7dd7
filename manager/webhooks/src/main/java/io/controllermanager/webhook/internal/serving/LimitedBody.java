package io.controllermanager.webhook.internal.serving;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body that may have so many bytes and no more, and has to come in time. For one thread. */
final class LimitedBody extends FilterInputStream {

    private final TimeLimit time;
    private long left;

    LimitedBody(InputStream body, long limit, TimeLimit time) {
        super(body);
        this.time = time;
        this.left = limit;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int count = super.read(buffer, offset, length);
        left -= Math.max(0, count);
        if (isTooLarge()) {
            throw new IOException("the body is too large");
        }
        // A read that waits is not interrupted, and one byte now and then ends each before its own time is over.
        if (count >= 0 && time.isOver()) {
            throw new IOException("the body has not come in time");
        }
        return count;
    }

    /** Whoever reads it may close it: what is left of it is still read, so that the connection stays. */
    @Override
    public void close() {}

    boolean isTooLarge() {
        return left < 0;
    }
}
