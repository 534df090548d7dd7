/** What holds serving, certificates and registration together. */
@NullMarked
package io.controllermanager.webhook.internal;

import org.jspecify.annotations.NullMarked;
