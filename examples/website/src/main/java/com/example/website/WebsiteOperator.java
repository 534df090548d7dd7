package com.example.website;

import io.controllermanager.spring.application.ControllerManagerApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class WebsiteOperator {

    public static void main(String... arguments) {
        ControllerManagerApplication.run(WebsiteOperator.class, arguments);
    }
}
