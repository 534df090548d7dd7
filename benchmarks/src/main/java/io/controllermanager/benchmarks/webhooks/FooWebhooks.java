package io.controllermanager.benchmarks.webhooks;

import io.controllermanager.foo.Foo;
import io.controllermanager.foo.FooSpec;
import io.controllermanager.spring.application.ControllerManagerApplication;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.MutatingWebhook;
import io.controllermanager.webhook.ValidatingWebhook;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** An application with webhooks of Foos: one sets their replicas, the other asks for the name of a Deployment. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({FooWebhooks.OneReplica.class, FooWebhooks.DeploymentNamed.class})
public class FooWebhooks {

    /** Runs until the process is told to stop. */
    public static void main(String... arguments) {
        ControllerManagerApplication.run(FooWebhooks.class, arguments);
    }

    /** A Foo that does not say how many replicas gets one. */
    @MutatingWebhook(Foo.class)
    static final class OneReplica implements Defaulter<Foo> {

        @Override
        public Foo withDefaults(Foo foo, Admission<Foo> admission) {
            if (foo.replicas() == null) {
                foo.setSpec(new FooSpec(foo.deploymentName(), 1));
            }
            return foo;
        }
    }

    /** A Foo must name its Deployment. */
    @ValidatingWebhook(Foo.class)
    static final class DeploymentNamed implements Validator<Foo> {

        @Override
        public Verdict create(Foo foo, Admission<Foo> admission) {
            return named(foo);
        }

        @Override
        public Verdict update(Foo foo, Foo before, Admission<Foo> admission) {
            return named(foo);
        }

        private static Verdict named(Foo foo) {
            return foo.deploymentName().isEmpty()
                    ? Verdict.allowed().required("spec.deploymentName", "")
                    : Verdict.allowed();
        }
    }
}
