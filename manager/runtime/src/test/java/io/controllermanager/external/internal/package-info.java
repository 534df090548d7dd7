@NullMarked
package io.controllermanager.external.internal;

import org.jspecify.annotations.NullMarked;
