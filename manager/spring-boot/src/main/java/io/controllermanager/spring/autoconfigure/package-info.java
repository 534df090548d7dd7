/**
 * Puts the runtime together from properties and beans: discovers controllers, connects them with the API server and runs
 * them in the application's life cycle.
 */
@NullMarked
package io.controllermanager.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
