package io.controllermanager.app;

import io.controllermanager.spring.application.ControllerManagerApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** Starts the controller manager with the controllers that are among its dependencies. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class Main {

    /**
     * Runs until the process is told to stop.
     *
     * @param arguments see {@link ControllerManagerApplication#run}
     */
    public static void main(String... arguments) {
        ControllerManagerApplication.run(Main.class, arguments);
    }
}
