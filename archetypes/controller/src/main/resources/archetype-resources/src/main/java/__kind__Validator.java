package ${package};

import io.controllermanager.client.ResourceType;
import io.controllermanager.reconciler.Index;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.ValidatingWebhook;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import io.controllermanager.webhook.WebhookDescription;
import java.util.Objects;
import org.springframework.stereotype.Component;

/** Refuses a message that another ${kind} of the namespace has already, which no schema can see. */
@Component
@ValidatingWebhook(${kind}.class)
class ${kind}Validator implements Validator<${kind}> {

    private static final Index<${kind}> MESSAGE =
            Index.of("message", object -> object.spec().message());

    @Override
    public void describe(WebhookDescription d) {
        d.reads(ResourceType.of(${kind}.class), MESSAGE);
    }

    @Override
    public Verdict create(${kind} object, Admission<${kind}> admission) {
        return check(object, admission);
    }

    @Override
    public Verdict update(${kind} object, ${kind} before, Admission<${kind}> admission) {
        return check(object, admission);
    }

    private static Verdict check(${kind} object, Admission<${kind}> admission) {
        String message = object.spec().message();
        boolean isTaken = admission.find(MESSAGE, message).stream()
                .map(${kind}::getMetadata)
                .anyMatch(other -> Objects.equals(other.getNamespace(), admission.namespace())
                        && !Objects.equals(other.getName(), object.getMetadata().getName()));
        return isTaken ? Verdict.allowed().duplicate("spec.message", message) : Verdict.allowed();
    }
}
