/** Where rights are found, and who gets them. */
@NullMarked
package io.controllermanager.apiserver.rights;

import org.jspecify.annotations.NullMarked;
