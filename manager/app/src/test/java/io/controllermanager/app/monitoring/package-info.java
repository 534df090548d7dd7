/** What is shipped for those who watch it: alert rules and a dashboard, tried on a real Prometheus. */
@NullMarked
package io.controllermanager.app.monitoring;

import org.jspecify.annotations.NullMarked;
