/**
 * Rewrites what is stored in an old version of a type, so that the version can go. As Kubernetes' own storage version migrator,
 * for the types that an application converts.
 */
@NullMarked
package io.controllermanager.webhook.internal.migration;

import org.jspecify.annotations.NullMarked;
