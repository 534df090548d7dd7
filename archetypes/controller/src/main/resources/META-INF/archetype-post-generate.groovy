// Maven checks properties only where it asks for them.
def label = /[a-z0-9]([-a-z0-9]*[a-z0-9])?/
def rules = [
    // Names the jar, the image, the release and the Lease.
    artifactId: /[a-z]([-a-z0-9]{0,51}[a-z0-9])?/,
    // Names the image's tag, and stands in a label.
    version: /[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?/,
    kind: /[A-Z][A-Za-z0-9]{0,62}/,
    webhooks: /true|false/,
    group: /[a-z]([-a-z0-9]*[a-z0-9])?(\.${label})+/,
]
def properties = request.properties + [artifactId: request.artifactId, version: request.version]
rules.each { name, rule ->
    if (!(properties[name] ==~ rule)) {
        def project = new File(request.outputDirectory, request.artifactId)
        throw new IllegalArgumentException(
            "${name} must match ${rule}, but is \"${properties[name]}\"; remove ${project} before you try again")
    }
}

// An archetype writes all files that it has.
if (properties.webhooks == "false") {
    def project = new File(request.outputDirectory, request.artifactId)
    def sources = request.properties["package"].replace(".", "/")
    [
        "src/main/java/${sources}/${properties.kind}Validator.java",
        "src/test/java/${sources}/${properties.kind}ValidatorTests.java",
        "src/main/resources/META-INF/controller-manager/rbac/webhooks.yaml",
        "config/webhook",
        "chart/rbac/webhooks.yaml",
        "chart/files/webhooks",
    ].each { path ->
        def file = new File(project, path)
        if (!(file.directory ? file.deleteDir() : file.delete())) {
            throw new IllegalStateException("${file} cannot be deleted")
        }
    }
}
