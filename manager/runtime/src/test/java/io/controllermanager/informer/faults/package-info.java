/**
 * What becomes of an informer when something goes wrong around it: {@link
 * io.controllermanager.informer.faults.Mechanism mechanisms} do something to the world of a {@link
 * io.controllermanager.informer.faults.Rig rig}, in which writers go on all the time, and an {@link
 * io.controllermanager.informer.faults.Episode episode} finds out whether the informer has missed anything. Once each in
 * {@code InformerFaultsTest}; at random for as long as one likes by {@code benchmarks/run/informer-faults}.
 */
@NullMarked
package io.controllermanager.informer.faults;

import org.jspecify.annotations.NullMarked;
