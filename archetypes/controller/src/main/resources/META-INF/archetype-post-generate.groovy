// Maven checks properties only where it asks for them.
def label = /[a-z0-9]([-a-z0-9]*[a-z0-9])?/
def rules = [
    // Names the jar, the image, the release and the Lease.
    artifactId: /[a-z]([-a-z0-9]{0,51}[a-z0-9])?/,
    // Names the image's tag, and stands in a label.
    version: /[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?/,
    kind: /[A-Z][A-Za-z0-9]{0,62}/,
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
