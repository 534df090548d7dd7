/** What a webhook costs who writes an object, beside one on controller-runtime. */
@NullMarked
package io.controllermanager.benchmarks.webhooks;

import org.jspecify.annotations.NullMarked;
