// Stands in for k8s.io/sample-cli-plugin, which k8s.io/kubernetes names and nobody releases. No package of it is used.
module k8s.io/sample-cli-plugin

go 1.26.0
