package io.controllermanager.webhook.internal.serving;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body that may have so many bytes and no more. For one thread. */
final class LimitedBody extends FilterInputStream {

    private long left;

    LimitedBody(InputStream body, long limit) {
        super(body);
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
        return count;
    }

    boolean isTooLarge() {
        return left < 0;
    }
}
