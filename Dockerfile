# syntax=docker/dockerfile:1
# The image of the controller manager: docker build --tag controller-manager:0.1.0-SNAPSHOT .
# image/README.md says what is in it. Commands that work on paths relative to the working directory are run by the tests.

FROM maven:3-eclipse-temurin-25 AS build
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/root/.m2 mvn -B -q -pl manager/app,image -am package -DskipTests
RUN java -Djarmode=tools -jar manager/app/target/controller-manager.jar extract --layers --destination layers

FROM eclipse-temurin:25-jre AS layout
# What the chart sets too; here and not in the entry point, so that a pod's own value of this variable replaces it.
ENV JAVA_TOOL_OPTIONS="-XX:+UseSerialGC -XX:MaxRAMPercentage=70 -XX:+ExitOnOutOfMemoryError"
WORKDIR /application
# What changes least comes first, so that a new version of the project is one small layer, and the cache.
COPY --from=build /source/layers/dependencies/ ./
COPY --from=build /source/layers/spring-boot-loader/ ./
COPY --from=build /source/layers/snapshot-dependencies/ ./
COPY --from=build /source/layers/application/ ./

# The cache is good for this JVM and these jars at these paths alone: hence it is recorded here.
FROM layout AS training
RUN --mount=type=bind,from=build,source=/source,target=/source java -jar /source/image/target/image-training.jar . /source/config

FROM layout
COPY --from=training /application/application.aot ./
# Ends the build if the JVM would not take the cache; at run time it would go without.
RUN ["java", "-XX:AOTMode=on", "-XX:AOTCache=application.aot", "-jar", "controller-manager.jar", "--help"]
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["java", "-XX:AOTCache=application.aot", "-jar", "controller-manager.jar"]
