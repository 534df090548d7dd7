package io.controllermanager.controller;

import io.controllermanager.event.EventChannel;
import io.controllermanager.event.RequestMapper;

/**
 * Events from outside Kubernetes that bring keys into a controller's queue.
 *
 * @param <E> what an event is
 * @param channel where they come from
 * @param mapper which keys an event concerns; called on the sender's thread
 */
public record ChannelSource<E>(EventChannel<E> channel, RequestMapper<E> mapper) {}
