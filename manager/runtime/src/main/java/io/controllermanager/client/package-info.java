/**
 * Requests to the API server: which server and with which credentials, how a resource type is
 * named in a URL, limits, metrics, and the two places where others may have a say in each request
 * (a fence that refuses writes, an observer that sees what was written).
 */
@NullMarked
package io.controllermanager.client;

import org.jspecify.annotations.NullMarked;
