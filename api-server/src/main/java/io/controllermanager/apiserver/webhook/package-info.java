/** Webhooks that are called: those of admission, and those that convert custom resources. */
@NullMarked
package io.controllermanager.apiserver.webhook;

import org.jspecify.annotations.NullMarked;
