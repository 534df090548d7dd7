/** Who may use the endpoints, over which certificate, and what is shown to nobody. */
@NullMarked
package io.controllermanager.app.access;

import org.jspecify.annotations.NullMarked;
