/** Where rights are found, and who gets them. */
@NullMarked
package io.controllermanager.testing.apiserver.rights;

import org.jspecify.annotations.NullMarked;
