package com.example.database;

import io.controllermanager.spring.application.ControllerManagerApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class TenantDatabaseOperator {

    public static void main(String... arguments) {
        ControllerManagerApplication.run(TenantDatabaseOperator.class, arguments);
    }
}
