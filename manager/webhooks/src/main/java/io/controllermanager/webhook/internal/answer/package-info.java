/** Answers what the API server asks: hands each question to the bean that it is for. Nothing here knows HTTP. */
@NullMarked
package io.controllermanager.webhook.internal.answer;

import org.jspecify.annotations.NullMarked;
