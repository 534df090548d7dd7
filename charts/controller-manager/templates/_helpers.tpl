{{/* The name that all objects of a release carry. */}}
{{- define "controller-manager.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "controller-manager.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "controller-manager.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "controller-manager.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "controller-manager.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "controller-manager.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "controller-manager.leaseName" -}}
{{- default (include "controller-manager.fullname" .) .Values.leaderElection.resourceName -}}
{{- end -}}

{{/* "true" if the controller of the given name is on: its own name decides, first come first served, then "*". */}}
{{- define "controller-manager.enabled" -}}
{{- $name := .name -}}
{{- $decided := "" -}}
{{- range .controllers -}}
{{- if and (not $decided) (eq . $name) -}}{{- $decided = "true" -}}{{- end -}}
{{- if and (not $decided) (eq . (printf "-%s" $name)) -}}{{- $decided = "false" -}}{{- end -}}
{{- end -}}
{{- if not $decided -}}
{{- $decided = ternary "true" "false" (has "*" .controllers) -}}
{{- end -}}
{{- $decided -}}
{{- end -}}

{{/* The rules that the enabled controllers need where their objects live. */}}
{{- define "controller-manager.rules" -}}
- apiGroups: ["events.k8s.io"]
  resources: ["events"]
  verbs: ["create", "patch"]
{{- if eq "true" (include "controller-manager.enabled" (dict "name" "foo" "controllers" .Values.controllers)) }}
- apiGroups: ["samplecontroller.k8s.io"]
  resources: ["foos"]
  verbs: ["get", "list", "watch"]
- apiGroups: ["samplecontroller.k8s.io"]
  resources: ["foos/status"]
  verbs: ["patch"]
- apiGroups: ["samplecontroller.k8s.io"]
  resources: ["foos/finalizers"]
  verbs: ["update"]
- apiGroups: ["apps"]
  resources: ["deployments"]
  verbs: ["get", "list", "watch", "create", "patch"]
{{- end }}
{{- if eq "true" (include "controller-manager.enabled" (dict "name" "network" "controllers" .Values.controllers)) }}
- apiGroups: ["sample.k8s.io"]
  resources: ["networks"]
  verbs: ["get", "list", "watch"]
- apiGroups: ["sample.k8s.io"]
  resources: ["networks/status"]
  verbs: ["update"]
{{- end }}
{{- end -}}
