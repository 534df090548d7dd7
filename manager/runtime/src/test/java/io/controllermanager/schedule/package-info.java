@NullMarked
package io.controllermanager.schedule;

import org.jspecify.annotations.NullMarked;
