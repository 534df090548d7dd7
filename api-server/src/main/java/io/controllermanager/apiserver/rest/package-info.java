/**
 * What can be done with a resource's objects, and the rules that hold whatever is done: the generic registry, admission
 * and the garbage collector of the real control plane, as far as they go here.
 */
@NullMarked
package io.controllermanager.apiserver.rest;

import org.jspecify.annotations.NullMarked;
