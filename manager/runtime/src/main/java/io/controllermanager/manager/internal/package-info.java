/**
 * The host: starts informers, leadership and controllers in order, stops them in the reverse order, and tells how each of
 * them is. It may change with every version.
 *
 * <p>Others use {@link io.controllermanager.manager.internal.ControllerManager}, which is made of {@link
 * io.controllermanager.manager.internal.HostParts}. Inside, one thread decides: {@code HostLoop} takes events and has controllers and
 * elections take steps. {@code ControllerLife} is the table that says which step a controller takes, {@code HostedController}
 * takes it. {@code Candidacy} does both for the election of a Lease. What takes time runs on other threads: {@code
 * ControllerStart} brings a controller up, a {@code ControllerRunner} does its work, {@code ControllerSources} is what it reads
 * from. {@code ControllerAdapter} is all that the
 * host knows of a controller that was written for another library.
 */
@NullMarked
package io.controllermanager.manager.internal;

import org.jspecify.annotations.NullMarked;
