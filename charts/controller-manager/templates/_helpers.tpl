{{/* No more than so many characters of (a name, their number), and none at its end that a name may not end with. */}}
{{- define "controller-manager.cut" -}}
{{- regexReplaceAll "[-.]+$" (trunc (index . 1) (index . 0)) "" -}}
{{- end -}}

{{/* Short enough for a label's value. */}}
{{- define "controller-manager.name" -}}
{{- include "controller-manager.cut" (list (default .Chart.Name .Values.nameOverride) 63) -}}
{{- end -}}

{{/* The name that all objects of a release carry. */}}
{{- define "controller-manager.fullname" -}}
{{- $name := include "controller-manager.name" . -}}
{{- /* A Service may have no dot in its name, which a release may. */ -}}
{{- $release := .Release.Name | replace "." "-" -}}
{{- if .Values.fullnameOverride -}}
{{- include "controller-manager.cut" (list .Values.fullnameOverride 63) -}}
{{- else if contains $name $release -}}
{{- include "controller-manager.cut" (list $release 63) -}}
{{- else -}}
{{- include "controller-manager.cut" (list (printf "%s-%s" $release $name) 63) -}}
{{- end -}}
{{- end -}}

{{/* The same for objects without a namespace, of which two releases may not have the same. */}}
{{- define "controller-manager.clusterName" -}}
{{- printf "%s-%s" (include "controller-manager.fullname" .) .Release.Namespace -}}
{{- end -}}

{{- define "controller-manager.selectorLabels" -}}
app.kubernetes.io/name: {{ include "controller-manager.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* Of the pod of `helm test`, which no selector of the others may match. */}}
{{- define "controller-manager.testLabels" -}}
app.kubernetes.io/name: {{ include "controller-manager.cut" (list (include "controller-manager.name" .) 58) }}-test
app.kubernetes.io/instance: {{ .Release.Name | quote }}
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

{{/* How a property is spelt in none of its spellings: without case, dashes, underscores and what is in brackets. */}}
{{- define "controller-manager.plain" -}}
{{- regexReplaceAll "\\[.*" . "" | lower | replace "-" "" | replace "_" "" -}}
{{- end -}}

{{/* "off" if a controller's property of (the chart, the controller, the property) is false, in whatever spelling. */}}
{{- define "controller-manager.switch" -}}
{{- $wanted := include "controller-manager.plain" (printf "controller-manager.controller.%s.%s" (index . 1) (index . 2)) -}}
{{- range $property, $value := (index . 0).Values.properties -}}
{{- if and (eq $wanted (include "controller-manager.plain" $property)) (has (toString $value | lower) (list "false" "off" "no" "0")) -}}off{{- end -}}
{{- end -}}
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
{{- $enabled := dict -}}
{{- range $name, $declared := $known -}}
{{- $on := and (has "*" $entries) (dig "enabledByDefault" true $declared) -}}
{{- range reverse $entries -}}
{{- if eq . $name -}}{{- $on = true -}}{{- end -}}
{{- if eq . (print "-" $name) -}}{{- $on = false -}}{{- end -}}
{{- end -}}
{{- if and $on (ne "off" (include "controller-manager.switch" (list $ $name "enabled"))) -}}
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
{{- if ne "off" (include "controller-manager.switch" (list $ $name "needs-leader-election")) -}}
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
{{- with .Values.rbac.extraRules }}
# rbac.extraRules
{{ toYaml . }}
{{- end }}
{{- end -}}


{{/* The CRDs whose objects the controllers that are on watch or write, as JSON, by name. */}}
{{- define "controller-manager.crds" -}}
{{- $kinds := dict -}}
{{- range $name, $declared := include "controller-manager.enabled" . | fromJson -}}
{{- range $rule := $declared.rules -}}
{{- range $group := $rule.apiGroups -}}
{{- range $resource := $rule.resources -}}
{{- $_ := set $kinds (printf "%s.%s" $resource $group) true -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $crds := dict -}}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" -}}
{{- $crd := $.Files.Get $path | fromYaml -}}
{{- if hasKey $kinds $crd.metadata.name -}}
{{- $_ := set $crds $crd.metadata.name $crd -}}
{{- end -}}
{{- end -}}
{{- toJson $crds -}}
{{- end -}}

{{/* Whether the cluster's view, edit and admin take in the controllers' kinds; empty if not. */}}
{{- define "controller-manager.aggregates" -}}
{{- $create := toString .Values.aggregatedRoles.create -}}
{{- if or (eq $create "true") (and (eq $create "auto") (not .Values.namespaces)) -}}true{{- end -}}
{{- end -}}

{{/* The port's name and the probes' scheme. */}}
{{- define "controller-manager.scheme" -}}
{{- if .Values.tls.secretName -}}https{{- else -}}http{{- end -}}
{{- end -}}

{{/* One endpoint of a ServiceMonitor or PodMonitor, from (the chart, the monitor's values). */}}
{{- define "controller-manager.endpoint" -}}
{{- $chart := index . 0 -}}
{{- $monitor := index . 1 -}}
- port: {{ include "controller-manager.scheme" $chart }}
  path: /actuator/prometheus
  scheme: {{ include "controller-manager.scheme" $chart }}
  {{- with $monitor.interval }}
  interval: {{ . | quote }}
  {{- end }}
  {{- with $monitor.scrapeTimeout }}
  scrapeTimeout: {{ . | quote }}
  {{- end }}
  {{- if $monitor.authorization }}
  authorization:
    {{- toYaml $monitor.authorization | nindent 4 }}
  {{- else if $chart.Values.authentication.enabled }}
  bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
  {{- end }}
  {{- if $monitor.tlsConfig }}
  tlsConfig:
    {{- toYaml $monitor.tlsConfig | nindent 4 }}
  {{- else if $chart.Values.tls.secretName }}
  tlsConfig:
    serverName: {{ include "controller-manager.fullname" $chart }}.{{ $chart.Release.Namespace }}.svc
    ca:
      secret:
        name: {{ $chart.Values.tls.secretName }}
        key: ca.crt
  {{- end }}
  {{- with $monitor.relabelings }}
  relabelings:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $monitor.metricRelabelings }}
  metricRelabelings:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
