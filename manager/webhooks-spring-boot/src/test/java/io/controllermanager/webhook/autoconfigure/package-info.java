@NullMarked
package io.controllermanager.webhook.autoconfigure;

import org.jspecify.annotations.NullMarked;
