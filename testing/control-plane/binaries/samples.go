// Package samples keeps k8s.io/sample-controller in go.mod: build.sh copies its manifests beside the binaries.
package samples

import (
	_ "k8s.io/sample-controller/pkg/apis/samplecontroller/v1alpha1"
)
