@NullMarked
package io.controllermanager.controller.internal.journal;

import org.jspecify.annotations.NullMarked;
