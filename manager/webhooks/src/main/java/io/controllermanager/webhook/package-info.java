/**
 * What the author of a type writes so that it can change and so that what a schema cannot say is checked: a {@link
 * io.controllermanager.webhook.Converter} between two of its versions, a {@link io.controllermanager.webhook.Validator}, a {@link
 * io.controllermanager.webhook.Defaulter}. Each is a bean with an annotation, from which its registration at the API server
 * follows. Each can be called in a unit test without a server.
 */
@NullMarked
package io.controllermanager.webhook;

import org.jspecify.annotations.NullMarked;
