package io.controllermanager.controller.internal;

import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.controller.ControllerContext;
import org.jspecify.annotations.Nullable;

/** Has the plan of a dry run. */
public interface PlanOwner {

    /** The plan, null unless this is a dry run. */
    @Nullable
    Plan plan();

    /** That of the controller whose context this is. */
    static @Nullable Plan of(ControllerContext context) {
        return context instanceof PlanOwner owner ? owner.plan() : null;
    }
}
