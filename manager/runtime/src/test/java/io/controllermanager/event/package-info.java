/** Tests of predicates and mappers. */
@NullMarked
package io.controllermanager.event;

import org.jspecify.annotations.NullMarked;
