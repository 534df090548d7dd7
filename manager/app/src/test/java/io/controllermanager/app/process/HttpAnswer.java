package io.controllermanager.app.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/**
 * What a process of this machine answers.
 *
 * @param statusCode 0 while nobody listens
 */
public record HttpAnswer(int statusCode, String body) {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    public static HttpAnswer to(HttpRequest request) {
        try {
            HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
            return new HttpAnswer(response.statusCode(), response.body());
        } catch (ConnectException e) {
            return new HttpAnswer(0, "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
