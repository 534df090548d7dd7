package peer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Does nothing but answer the actuator's requests. */
@SpringBootApplication
public class Main {

    public static void main(String[] arguments) {
        SpringApplication.run(Main.class, arguments);
    }
}
