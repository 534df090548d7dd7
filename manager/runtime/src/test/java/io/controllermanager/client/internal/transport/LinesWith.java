package io.controllermanager.client.internal.transport;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.spi.FilterReply;

/** Keeps the log lines that have a text in them, which only one test logs: others run beside it. */
public final class LinesWith {

    private LinesWith() {}

    /** An appender that is started, for the logger of the class that is tested. */
    public static ListAppender<ILoggingEvent> text(String text) {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.addFilter(new Filter<>() {
            @Override
            public FilterReply decide(ILoggingEvent event) {
                return event.getFormattedMessage().contains(text) ? FilterReply.NEUTRAL : FilterReply.DENY;
            }
        });
        lines.start();
        return lines;
    }
}
