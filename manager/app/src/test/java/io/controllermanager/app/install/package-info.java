/** How it gets into a cluster: the Helm chart, {@code config} for kubectl, and the rights in both. */
@NullMarked
package io.controllermanager.app.install;

import org.jspecify.annotations.NullMarked;
