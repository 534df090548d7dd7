/**
 * What a dry run would change: {@link io.controllermanager.client.internal.plan.DryRun} has each write judged by the API server
 * and changes nothing, {@link io.controllermanager.client.internal.plan.PlannedObject} is an object as it would be then, and
 * {@link io.controllermanager.client.internal.plan.Plan} collects what comes of it. Nothing here is used but in a dry run.
 */
@NullMarked
package io.controllermanager.client.internal.plan;

import org.jspecify.annotations.NullMarked;
