/**
 * What a controller keeps outside Kubernetes: a row, a bucket, a DNS record. An author says how the system is asked, in an {@link
 * io.controllermanager.external.ExternalSystem}, and how often, in an {@link io.controllermanager.external.External}. A reconciler
 * says what should be there, through {@link io.controllermanager.external.ExternalResources}. What is made is recorded on the
 * object first, so that nothing is left behind or made twice when a process is lost.
 */
@NullMarked
package io.controllermanager.external;

import org.jspecify.annotations.NullMarked;
