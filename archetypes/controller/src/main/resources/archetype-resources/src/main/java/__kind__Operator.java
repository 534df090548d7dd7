package ${package};

import io.controllermanager.spring.application.ControllerManagerApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class ${kind}Operator {

    public static void main(String... arguments) {
        ControllerManagerApplication.run(${kind}Operator.class, arguments);
    }
}
