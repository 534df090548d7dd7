/** The page that shows what the controllers do, in a real browser. */
@NullMarked
package io.controllermanager.app.page;

import org.jspecify.annotations.NullMarked;
