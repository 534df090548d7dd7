/**
 * Custom resources as Java classes: annotations that say what the CRD says, and a base class for those who write none of
 * their own. Nothing here has code to run but what names the type in URLs.
 */
@NullMarked
package io.controllermanager.types;

import org.jspecify.annotations.NullMarked;
