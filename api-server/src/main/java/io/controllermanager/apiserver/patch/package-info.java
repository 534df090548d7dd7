/** The four kinds of patch, and who manages which fields. */
@NullMarked
package io.controllermanager.apiserver.patch;

import org.jspecify.annotations.NullMarked;
