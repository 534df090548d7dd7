{{/* No more than so many characters of (a name, their number), and none at its end that a name may not end with. */}}
{{- define "controller-manager.cut" -}}
{{- regexReplaceAll "[-._]+$" (trunc (index . 1) (index . 0)) "" -}}
{{- end -}}

{{/*
Short enough for a label's value. The chart has the name of its application; one that is given by its rights has that of the
release, without the dots that a Service may not have in its name.
*/}}
{{- define "controller-manager.name" -}}
{{- $name := empty .Values.rights | ternary .Chart.Name (replace "." "-" .Release.Name) -}}
{{- include "controller-manager.cut" (list (default $name .Values.nameOverride) 63) -}}
{{- end -}}

{{/* The version of what runs; empty if only a digest says which it is. */}}
{{- define "controller-manager.version" -}}
{{- empty .Values.rights | ternary .Chart.AppVersion .Values.image.tag -}}
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
helm.sh/chart: {{ include "controller-manager.cut" (list (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_") 63) }}
{{ include "controller-manager.selectorLabels" . }}
{{- with include "controller-manager.version" . }}
app.kubernetes.io/version: {{ include "controller-manager.cut" (list . 63) | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* Of the Job that changes nothing. */}}
{{- define "controller-manager.dryRunName" -}}
{{- include "controller-manager.cut" (list (include "controller-manager.fullname" .) 50) }}-dry-run
{{- end -}}

{{/* Whose rights are those of the others. */}}
{{- define "controller-manager.dryRunSubject" -}}
{{- if .Values.dryRun.enabled -}}
- kind: ServiceAccount
  name: {{ include "controller-manager.dryRunName" . | quote }}
  namespace: {{ .Release.Namespace | quote }}
{{- end -}}
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
What each controller declares that the image has, as JSON: {"foo": {"rules": [...]}}. Those of the chart's application have a
file in rbac/, those of another are given. What is done for webhooks is declared the same way, and is no controller.
*/}}
{{- define "controller-manager.declared" -}}
{{- $declared := dict -}}
{{- range $name, $text := .Values.rights -}}
{{- $rights := fromYaml $text -}}
{{- if not (kindIs "slice" $rights.rules) -}}
{{- fail (printf "rights.%s: no list of rules, but %s: it takes the text of META-INF/controller-manager/rbac/%s.yaml, by --set-file" $name (default "another content" $rights.Error) $name) -}}
{{- end -}}
{{- $_ := set $declared $name $rights -}}
{{- else -}}
{{- range $path, $_ := .Files.Glob "rbac/*.yaml" -}}
{{- $_ := set $declared (base $path | trimSuffix ".yaml") ($.Files.Get $path | fromYaml) -}}
{{- end -}}
{{- end -}}
{{- toJson (omit $declared "webhooks") -}}
{{- end -}}

{{/*
Those of them that are on. The value has the meaning of the flag: the first of "foo" and "-foo" decides, then "*".
*/}}
{{- define "controller-manager.enabled" -}}
{{- $known := include "controller-manager.declared" . | fromJson -}}
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

{{/* The name of the Secret, the Service and the configurations of webhooks. */}}
{{- define "controller-manager.webhookName" -}}
{{- printf "%s-webhooks" (include "controller-manager.cut" (list (include "controller-manager.fullname" .) 54)) -}}
{{- end -}}

{{/* The reference to their Service (the chart, a clientConfig) gets the names of the release. */}}
{{- define "controller-manager.webhookService" -}}
{{- with (index . 1).service -}}
{{- $_ := set . "name" (include "controller-manager.webhookName" (index $ 0)) -}}
{{- $_ := set . "namespace" (index $ 0).Release.Namespace -}}
{{- end -}}
{{- end -}}

{{/*
The objects of webhooks, as JSON, with the names of the release; none if there are no webhooks or they are off. Those of the
chart's application are in files/webhooks, those of another are given.
*/}}
{{- define "controller-manager.webhooks" -}}
{{- $texts := list .Values.webhooks.manifests -}}
{{- if not .Values.rights -}}
{{- range $path, $_ := .Files.Glob "files/webhooks/*.yaml" -}}
{{- $texts = append $texts ($.Files.Get $path) -}}
{{- end -}}
{{- end -}}
{{- $objects := list -}}
{{- range regexSplit "(?m)^---.*$" (join "\n---\n" $texts) -1 -}}
{{- with fromYaml . -}}
{{- if not .metadata -}}
{{- fail "webhooks.manifests: no manifests: it takes the text of config/webhook/manifests.yaml, by --set-file" -}}
{{- end -}}
{{- $_ := set .metadata "name" (include "controller-manager.webhookName" $) -}}
{{- $_ := set .metadata "labels" (include "controller-manager.labels" $ | fromYaml) -}}
{{- if hasKey .metadata "namespace" -}}
{{- $_ := set .metadata "namespace" $.Release.Namespace -}}
{{- end -}}
{{- if eq (toString .kind) "Service" -}}
{{- $_ := set .spec "selector" (include "controller-manager.selectorLabels" $ | fromYaml) -}}
{{- end -}}
{{- range .webhooks -}}
{{- $placeholder := .clientConfig.service.namespace -}}
{{- range (default dict .namespaceSelector).matchExpressions -}}
{{- $_ := set . "values" (append (without .values $placeholder) $.Release.Namespace | uniq) -}}
{{- end -}}
{{- include "controller-manager.webhookService" (list $ .clientConfig) -}}
{{- end -}}
{{- $objects = append $objects . -}}
{{- end -}}
{{- end -}}
{{- toJson (eq (toString .Values.webhooks.enabled) "false" | ternary list $objects) -}}
{{- end -}}

{{/* What is granted, as JSON: what the controllers that are on declare, and what is done for webhooks. */}}
{{- define "controller-manager.granted" -}}
{{- $granted := include "controller-manager.enabled" . | fromJson -}}
{{- if include "controller-manager.webhooks" . | fromJsonArray -}}
{{- $text := empty .Values.rights | ternary (.Files.Get "rbac/webhooks.yaml") (default "" .Values.rights.webhooks) -}}
{{- $webhooks := replace "controller-manager-webhooks" (include "controller-manager.webhookName" .) $text | fromYaml -}}
{{- with .Values.webhooks.secretName -}}
{{- $rule := dict "apiGroups" (list "") "resources" (list "secrets") "resourceNames" (list .) "verbs" (list "get" "list" "watch") -}}
{{- $_ := set $webhooks "hostRules" (append $webhooks.hostRules $rule) -}}
{{- end -}}
{{- $_ := set $granted "webhooks" $webhooks -}}
{{- end -}}
{{- toJson $granted -}}
{{- end -}}

{{/*
The names of the Leases that replicas compete for, as JSON: one, and one for each controller that is on if leasePerController is
given. Where it is false, replicas of before the update may have the latter, and those of after it look for them. The same of
formerResourceName, if there is one.
*/}}
{{- define "controller-manager.leaseNames" -}}
{{- $names := list -}}
{{- range $lease := compact (list (include "controller-manager.leaseName" .) .Values.leaderElection.formerResourceName) | uniq -}}
{{- $names = append $names $lease -}}
{{- if kindIs "bool" $.Values.leaderElection.leasePerController -}}
{{- range $name, $_ := include "controller-manager.enabled" $ | fromJson -}}
{{- if ne "off" (include "controller-manager.switch" (list $ $name "needs-leader-election")) -}}
{{- $names = append $names (printf "%s-%s" $lease $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/* The names of the controllers that are on and have a number of shards, as JSON; those with one shard had more before. */}}
{{- define "controller-manager.sharded" -}}
{{- $names := list -}}
{{- range $name, $_ := include "controller-manager.enabled" . | fromJson -}}
{{- if hasKey $.Values.shards $name -}}
{{- $names = append $names $name -}}
{{- end -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/* Those of them that replicas share, as JSON: they have more than one shard. */}}
{{- define "controller-manager.shared" -}}
{{- $names := list -}}
{{- range include "controller-manager.sharded" . | fromJsonArray -}}
{{- if gt (int (get $.Values.shards .)) 1 -}}
{{- $names = append $names . -}}
{{- end -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/* The rules that the controllers that are on need where their objects live; empty if none is on. */}}
{{- define "controller-manager.rules" -}}
{{- with include "controller-manager.granted" . | fromJson }}
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

{{/*
The rules of another section, from (the chart, its name): hostRules hold in the release's own namespace, clusterRules in the
whole cluster, whatever is watched. Empty if there are none.
*/}}
{{- define "controller-manager.section" -}}
{{- $section := index . 1 -}}
{{- range $name, $declared := include "controller-manager.granted" (index . 0) | fromJson }}
{{- with get $declared $section }}
# {{ $name }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
The CRDs, as JSON, by name: those that ship as far as the controllers that are on watch or write their objects, or all
those that are given with an application of one's own.
*/}}
{{- define "controller-manager.crds" -}}
{{- $crds := dict -}}
{{- if .Values.rights -}}
{{- range $key, $text := .Values.customResources -}}
{{- range regexSplit "(?m)^---.*$" $text -1 -}}
{{- with fromYaml . -}}
{{- if ne "CustomResourceDefinition" (toString .kind) -}}
{{- fail (printf "customResources.%s: no CustomResourceDefinition, but %s: it takes the text of a CRD's file, by --set-file" $key (default (printf "kind %v" .kind) .Error)) -}}
{{- end -}}
{{- $_ := set $crds .metadata.name . -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- $kinds := dict -}}
{{- range $name, $declared := include "controller-manager.granted" . | fromJson -}}
{{- range $rule := $declared.rules -}}
{{- range $group := $rule.apiGroups -}}
{{- range $resource := $rule.resources -}}
{{- $_ := set $kinds (printf "%s.%s" $resource $group) true -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" -}}
{{- $crd := $.Files.Get $path | fromYaml -}}
{{- if hasKey $kinds $crd.metadata.name -}}
{{- $_ := set $crds $crd.metadata.name $crd -}}
{{- end -}}
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

{{/* A security context without the fields that are null: Helm leaves those in the values of a subchart. */}}
{{- define "controller-manager.securityContext" -}}
{{- $fields := dict -}}
{{- range $name, $value := . -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $_ := set $fields $name $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $fields -}}
{{- end -}}
