/**
 * One request and its answer: what a URL is for, how a request is built and sent, and what kind of failure an answer or a
 * missing one is.
 */
@NullMarked
package io.controllermanager.client.internal.request;

import org.jspecify.annotations.NullMarked;
