package io.controllermanager.docs;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.EventPredicates;
import io.controllermanager.foo.Foo;

/** What the documentation shows and no program has. */
final class Snippets {

    private Snippets() {}

    static ControllerDescriptor.Builder predicates() {
        return ControllerDescriptor.named("snippet")
                .forType(Foo.TYPE, EventPredicates.<Foo>generationChanged().or(EventPredicates.annotationsChanged()));
    }
}
