package io.controllermanager.informer.internal.delivery;

import java.time.Duration;

/**
 * How one subscriber or handler of an informer is at one moment.
 *
 * @param name the subscriber's name, such as its controller's; {@code handler-1} and so on for handlers added in
 *     client-java's way
 * @param synced whether every object of the initial list has been delivered to it
 * @param backlog how many events wait for it, the one that it is being told of not counted
 * @param lag for how long the oldest event has waited that it has not finished with, zero if there is none
 * @param delivered how many events it has been told of
 * @param failures how often it has thrown something
 */
public record HandlerStatus(String name, boolean synced, int backlog, Duration lag, long delivered, long failures) {}
