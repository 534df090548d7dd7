/**
 * Requests to the API server as a controller makes them: resource types and how a URL names them, typed requests, patches, what
 * the API server serves, and what it answers.
 */
@NullMarked
package io.controllermanager.client;

import org.jspecify.annotations.NullMarked;
