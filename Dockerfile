# syntax=docker/dockerfile:1
# The image of the controller manager: docker build --tag controller-manager:0.1.0-SNAPSHOT .
# Another application gets one by other values of these arguments: image/README.md says how, and what is in the image.
# Commands that work on paths relative to the working directory are run by the tests.

# Where the jars come from: "reactor" builds this project, "context" takes those that the context has.
ARG BUILD=reactor
ARG JAR=manager/app/target/controller-manager.jar
ARG TRAINING=image/target/image-training.jar
ARG CRDS=config/crd/bases
ARG SAMPLES=config/samples

FROM maven:3-eclipse-temurin-25 AS reactor
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/root/.m2 mvn -B -q -pl manager/app,image -am package -DskipTests

FROM eclipse-temurin:25-jre AS context
WORKDIR /source
COPY . .

FROM ${BUILD} AS build
ARG JAR
RUN java -Djarmode=tools -jar ${JAR} extract --layers --destination layers --application-filename application.jar

FROM eclipse-temurin:25-jre AS layout
# What the chart sets too; here and not in the entry point, so that a pod's own value of this variable replaces it.
ENV JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MaxRAMPercentage=70 -XX:+ExitOnOutOfMemoryError"
WORKDIR /application
# What changes least comes first, so that a new version of the project is one small layer, and the cache.
COPY --from=build /source/layers/dependencies/ ./
COPY --from=build /source/layers/spring-boot-loader/ ./
COPY --from=build /source/layers/snapshot-dependencies/ ./
COPY --from=build /source/layers/application/ ./

# The cache is good for this JVM and these jars at these paths alone: hence it is recorded here.
FROM layout AS training
ARG TRAINING
ARG CRDS
ARG SAMPLES
# Profiles for the second compiler, which does not run by default, would make the cache larger and the start slower.
ENV JDK_JAVA_OPTIONS="-XX:+UnlockDiagnosticVMOptions -XX:-AOTRecordTraining"
RUN --mount=type=bind,from=build,source=/source,target=/source java -jar /source/${TRAINING} application.jar /source/${CRDS} /source/${SAMPLES}

FROM layout
COPY --from=training /application/application.aot ./
# Ends the build if the JVM would not take the cache; at run time it would go without.
RUN ["java", "-XX:AOTMode=on", "-XX:AOTCache=application.aot", "-jar", "application.jar", "--help"]
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["java", "-XX:AOTCache=application.aot", "-jar", "application.jar"]
