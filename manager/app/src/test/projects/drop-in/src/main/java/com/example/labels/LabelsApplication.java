package com.example.labels;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class LabelsApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(LabelsApplication.class, arguments);
    }
}
