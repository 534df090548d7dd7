package controller

import (
	"crypto/sha256"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	examplev1 "io.controllermanager/benchmarks/peers/website/kubebuilder/api/v1"
)

// MadeHere labels what the operator makes.
var MadeHere = map[string]string{"app.kubernetes.io/managed-by": "website-operator"}

const (
	image = "nginxinc/nginx-unprivileged:1.29"
	// A change of it makes new pods: nginx reads its files when it starts.
	contentAnnotation = "example.com/content"
)

func pageData(site *examplev1.Website) map[string]string {
	tls := ""
	if site.Spec.TLSSecretName != "" {
		tls = `  listen 8443 ssl;
  ssl_certificate /etc/nginx/tls/tls.crt;
  ssl_certificate_key /etc/nginx/tls/tls.key;
`
	}
	return map[string]string{
		"index.html": site.Spec.HTML,
		"site.conf": fmt.Sprintf(`server {
  listen 8080;
%s  server_name %s;
  root /usr/share/nginx/html;
}
`, tls, site.Spec.Host),
	}
}

// setDeployment sets what is wanted of the Deployment. The version changes with the certificate.
func setDeployment(deployment *appsv1.Deployment, site *examplev1.Website, tlsVersion string) {
	nginx := corev1.Container{
		Name:         "nginx",
		Image:        image,
		Ports:        []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
		VolumeMounts: []corev1.VolumeMount{mount("html", "/usr/share/nginx/html"), mount("conf", "/etc/nginx/conf.d")},
	}
	volumes := []corev1.Volume{volume("html", site, "index.html"), volume("conf", site, "site.conf")}
	if site.Spec.TLSSecretName != "" {
		nginx.Ports = append(nginx.Ports, corev1.ContainerPort{Name: "https", ContainerPort: 8443})
		nginx.VolumeMounts = append(nginx.VolumeMounts, mount("tls", "/etc/nginx/tls"))
		volumes = append(volumes, corev1.Volume{Name: "tls", VolumeSource: corev1.VolumeSource{
			Secret: &corev1.SecretVolumeSource{SecretName: site.Spec.TLSSecretName},
		}})
	}
	content := fmt.Sprintf("%x-%s", sha256.Sum256(fmt.Append(nil, pageData(site))), tlsVersion)
	deployment.Spec.Replicas = site.Spec.Replicas
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: podLabels(site)}
	deployment.Spec.Template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: podLabels(site), Annotations: map[string]string{contentAnnotation: content}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{nginx}, Volumes: volumes},
	}
}

func setService(service *corev1.Service, site *examplev1.Website) {
	service.Spec.Selector = podLabels(site)
	service.Spec.Ports = []corev1.ServicePort{port("http", 80)}
	if site.Spec.TLSSecretName != "" {
		service.Spec.Ports = append(service.Spec.Ports, port("https", 443))
	}
}

func podLabels(site *examplev1.Website) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "website", "app.kubernetes.io/instance": site.Name}
}

func volume(name string, site *examplev1.Website, file string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: site.Name},
		Items:                []corev1.KeyToPath{{Key: file, Path: file}},
	}}}
}

func mount(volume, path string) corev1.VolumeMount {
	return corev1.VolumeMount{Name: volume, MountPath: path, ReadOnly: true}
}

func port(name string, number int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Port: number, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromString(name)}
}
