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

{{/*
The controllers that are on, with what they declare, as JSON: {"foo": {"rules": [...]}}. Each controller that the image
has, has a file in rbac/. The value has the meaning of the flag: the first of "foo" and "-foo" decides, then "*".
*/}}
{{- define "controller-manager.enabled" -}}
{{- $known := dict -}}
{{- range $path, $_ := .Files.Glob "rbac/*.yaml" -}}
{{- $_ := set $known (base $path | trimSuffix ".yaml") ($.Files.Get $path | fromYaml) -}}
{{- end -}}
{{- $entries := list -}}
{{- $unknown := list -}}
{{- range splitList "," (join "," .Values.controllers) -}}
{{- $entry := trim . -}}
{{- if $entry -}}
{{- $entries = append $entries $entry -}}
{{- $name := trimPrefix "-" $entry -}}
{{- if not (or (eq $entry "*") (hasKey $known $name)) -}}
{{- $unknown = append $unknown (quote $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with uniq $unknown -}}
{{- fail (printf "controllers: %s called %s; known are %s" (ternary "no controller is" "no controllers are" (eq 1 (len .))) (join ", " .) (keys $known | sortAlpha | join ", ")) -}}
{{- end -}}
{{- /* The process takes a property in several spellings, and flags of its own for some. */ -}}
{{- $values := dict
  "controllermanager.controllers" "controllers" "controllers" "controllers"
  "controllermanager.namespaces" "namespaces" "namespace" "namespaces"
  "controllermanager.leaderelection.resourcename" "leaderElection.resourceName" "leaderelectresourcename" "leaderElection.resourceName"
  "controllermanager.leaderelection.leasepercontroller" "leaderElection.leasePerController" -}}
{{- $fixed := list "controllermanager.leaderelection.resourcenamespace" "leaderelectresourcenamespace" -}}
{{- range $property, $_ := .Values.properties -}}
{{- $plain := regexReplaceAll "\\[.*" $property "" | lower | replace "-" "" | replace "_" "" -}}
{{- with get $values $plain -}}
{{- fail (printf "properties: instead of %s set the value %s, which decides the rules too" $property .) -}}
{{- end -}}
{{- if has $plain $fixed -}}
{{- fail (printf "properties: %s cannot be set: the rules are for a Lease in the release's namespace" $property) -}}
{{- end -}}
{{- end -}}
{{- $enabled := dict -}}
{{- range $name, $declared := $known -}}
{{- $on := and (has "*" $entries) (dig "enabledByDefault" true $declared) -}}
{{- range reverse $entries -}}
{{- if eq . $name -}}{{- $on = true -}}{{- end -}}
{{- if eq . (print "-" $name) -}}{{- $on = false -}}{{- end -}}
{{- end -}}
{{- $property := get $.Values.properties (printf "controller-manager.controller.%s.enabled" $name) -}}
{{- if and $on (not (has (toString $property | lower) (list "false" "off" "no" "0"))) -}}
{{- $_ := set $enabled $name $declared -}}
{{- end -}}
{{- end -}}
{{- toJson $enabled -}}
{{- end -}}

{{/* The names of the Leases that replicas compete for, as JSON: one, or one for each controller that is on. */}}
{{- define "controller-manager.leaseNames" -}}
{{- $lease := include "controller-manager.leaseName" . -}}
{{- $names := list -}}
{{- if .Values.leaderElection.leasePerController -}}
{{- range $name, $_ := include "controller-manager.enabled" . | fromJson -}}
{{- $property := get $.Values.properties (printf "controller-manager.controller.%s.needs-leader-election" $name) -}}
{{- if not (has (toString $property | lower) (list "false" "off" "no" "0")) -}}
{{- $names = append $names (printf "%s-%s" $lease $name) -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- $names = append $names $lease -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/* The rules that the controllers that are on need where their objects live; empty if none is on. */}}
{{- define "controller-manager.rules" -}}
{{- with include "controller-manager.enabled" . | fromJson }}
{{- range $name, $declared := . }}
{{- with $declared.rules }}
# {{ $name }}
{{ toYaml . }}
{{- end }}
{{- end }}
# Events of all controllers
- apiGroups: ["events.k8s.io"]
  resources: ["events"]
  verbs: ["create", "patch"]
{{- end }}
{{- end -}}
