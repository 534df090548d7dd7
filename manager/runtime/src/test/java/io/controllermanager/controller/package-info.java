/** Tests of controllers. */
@NullMarked
package io.controllermanager.controller;

import org.jspecify.annotations.NullMarked;
