package io.controllermanager.client.internal.connection;

/**
 * How many requests a client sends on its own account, as client-go's {@code rest.Config} has it. Off by default, as in
 * controller-runtime: the API server's priority and fairness rules do it better.
 *
 * @param qps requests a second in the long run, negative for no limit
 * @param burst requests that may go out at once before {@code qps} counts
 */
public record RequestLimits(double qps, int burst) {

    /** No limit. */
    public static final RequestLimits NONE = new RequestLimits(-1, 1);

    public RequestLimits {
        if (qps == 0 || !Double.isFinite(qps)) {
            throw new IllegalArgumentException(
                    "qps must be a number more than 0, or negative for no limit, but is " + qps);
        }
        if (qps > 0 && burst < 1) {
            throw new IllegalArgumentException("burst must be at least 1, but is " + burst);
        }
    }

    /** Whether requests are held back at all. */
    public boolean limited() {
        return qps > 0;
    }
}
