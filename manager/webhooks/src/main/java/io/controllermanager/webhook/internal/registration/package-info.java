/** How webhooks are called and registered: names, paths and objects that the build and the process have in common. */
@NullMarked
package io.controllermanager.webhook.internal.registration;

import org.jspecify.annotations.NullMarked;
