/**
 * The goals {@code controller-manager:generate} and {@code controller-manager:check}. What they write and compare comes from
 * {@link io.controllermanager.maven.Generator}s: CRDs, the rights of controllers, how webhooks are registered, and what an
 * application gathers of these.
 *
 * <p>The module's classes are loaded beside the plugin's own: client-java, the annotations and the runtime are those of the
 * plugin, the same as the BOM's of its version.
 */
@NullMarked
package io.controllermanager.maven;

import org.jspecify.annotations.NullMarked;
