/**
 * Events as people read them with {@code kubectl get events}: recorded without ever blocking or failing a reconcile,
 * written to the API server in the background, repeated ones folded into one.
 *
 * <p>The model is client-go's {@code tools/events}: the first Event is created, the second one like it makes it a series,
 * later ones are counted and written now and then; a series whose Event the API server has dropped is created again with
 * its count. What differs, and why:
 *
 * <ul>
 *   <li>Events with different notes are different. There the first note stands for all later ones, which may tell of
 *       something else; the API server lets nobody change a note. For the same reason there is no Event "combined from
 *       similar events", as in {@code tools/record}: it could not show the latest of them.
 *   <li>The object's resource version makes no difference. There each change of the object begins a new series.
 *   <li>An Event is known for 10 minutes after it was last recorded, there for 6 to 12.
 *   <li>Counts are written after 5, 10, 20 seconds and so on, at least every 5 minutes and when the process ends, there
 *       every 30 minutes and when a series ends. Each such write gives the Event another hour, as the one every 30
 *       minutes does there.
 *   <li>An answer of 429 or 5xx is a reason to try again, as is no answer: six times in about 25 seconds. There only no
 *       answer is, twelve times in two minutes.
 *   <li>Different Events about one object are limited ({@code controller-manager.events.burst} and {@code qps}), which there
 *       only {@code tools/record} does. The limit holds for each component and object, so that nobody can use up what
 *       the Events of a Lease need.
 *   <li>What is known is bounded.
 * </ul>
 */
@NullMarked
package io.controllermanager.recorder;

import org.jspecify.annotations.NullMarked;
