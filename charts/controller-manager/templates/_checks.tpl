{{/* A duration as Go writes it, such as 1m30s, in milliseconds. */}}
{{- define "controller-manager.milliseconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9.]+(ms|s|m|h)" . -1 -}}
{{- $sum = addf $sum (mulf (regexFind "[0-9.]+" . | float64) (get $units (regexFind "[a-z]+" .))) -}}
{{- end -}}
{{- ceil $sum | int64 -}}
{{- end -}}

{{/*
How long the kubelet waits before it kills the container, in seconds: running reconciles have their time, those that were
interrupted 3 s to end, the release of the Lease the renew deadline, and 2 s are for the rest. Webhooks are served for 5 s more,
and running requests of theirs have up to 30 s to end.
*/}}
{{- define "controller-manager.gracePeriodSeconds" -}}
{{- $release := 0 -}}
{{- if .Values.leaderElection.enabled -}}
{{- $release = divf (include "controller-manager.milliseconds" .Values.leaderElection.renewDeadline | float64) 1000 | ceil | int64 -}}
{{- end -}}
{{- $webhooks := include "controller-manager.webhooks" . | fromJsonArray | empty | ternary 0 35 -}}
{{- add (int64 .Values.shutdownTimeoutSeconds) $release 5 $webhooks -}}
{{- end -}}

{{/* Refuses values that do not go together, by name and value. Nothing if all is well. */}}
{{- define "controller-manager.check" -}}
{{- $election := .Values.leaderElection -}}
{{- if and (gt (int .Values.replicas) 1) (not $election.enabled) -}}
{{- fail (printf "replicas: %d replicas would all work at once, since leaderElection.enabled is false: one at most without it" (int .Values.replicas)) -}}
{{- end -}}
{{- $known := include "controller-manager.declared" . | fromJson -}}
{{- range $name, $_ := .Values.shards -}}
{{- if not (hasKey $known $name) -}}
{{- fail (printf "shards: no controller is called %s; known are %s" (quote $name) (keys $known | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.shards (not $election.enabled) -}}
{{- fail "shards: replicas share them by Leases, but leaderElection.enabled is false" -}}
{{- end -}}
{{- with .Values.autoscaling -}}
{{- if and .create (empty (include "controller-manager.shared" $ | fromJsonArray)) -}}
{{- fail (printf "autoscaling.create: true, but with shards: %s no controller that is on has more than one shard, and further replicas would only stand by" (toJson $.Values.shards)) -}}
{{- end -}}
{{- if gt (int .minReplicas) (int .maxReplicas) -}}
{{- fail (printf "autoscaling.maxReplicas: %d must not be less than autoscaling.minReplicas, %d" (int .maxReplicas) (int .minReplicas)) -}}
{{- end -}}
{{- end -}}
{{- if $election.enabled -}}
{{- $lease := include "controller-manager.milliseconds" $election.leaseDuration | float64 -}}
{{- $renew := include "controller-manager.milliseconds" $election.renewDeadline | float64 -}}
{{- $retry := include "controller-manager.milliseconds" $election.retryPeriod | float64 -}}
{{- if le $lease $renew -}}
{{- fail (printf "leaderElection.leaseDuration: %s must be longer than leaderElection.renewDeadline, %s" $election.leaseDuration $election.renewDeadline) -}}
{{- end -}}
{{- if le $renew (mulf 1.2 $retry) -}}
{{- fail (printf "leaderElection.renewDeadline: %s must be longer than 1.2 times leaderElection.retryPeriod, %s" $election.renewDeadline $election.retryPeriod) -}}
{{- end -}}
{{- end -}}
{{- $fullname := include "controller-manager.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $fullname) -}}
{{- fail (printf "fullnameOverride: the Service would be called %s, but such a name begins with a letter and has lower-case letters, digits and dashes: set another" $fullname) -}}
{{- end -}}
{{- if and .Values.customResources (not .Values.rights) -}}
{{- fail "customResources: given, but rights are not, and so the controllers are those of this chart, with their CRDs: give the rights of your controllers too" -}}
{{- end -}}
{{- $webhooks := include "controller-manager.webhooks" . | fromJsonArray -}}
{{- if and (eq (toString .Values.webhooks.enabled) "true") (empty $webhooks) -}}
{{- fail "webhooks.enabled: true, but the application has none: set webhooks.manifests to the text of its config/webhook/manifests.yaml" -}}
{{- end -}}
{{- if and .Values.webhooks.manifests (not .Values.rights.webhooks) -}}
{{- fail "webhooks.manifests: given, but rights.webhooks is not: it takes the text of META-INF/controller-manager/rbac/webhooks.yaml, by --set-file" -}}
{{- end -}}
{{- if and .Values.webhooks.secretName (empty $webhooks) -}}
{{- fail "webhooks.secretName: given, but no webhooks are served" -}}
{{- end -}}
{{- if and .Values.rights (not (or .Values.image.tag .Values.image.digest)) -}}
{{- fail "image.tag: empty, but rights are given, and the chart does not know the version of your application: set image.tag or image.digest" -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.create .Values.metrics.podMonitor.create -}}
{{- fail "metrics.podMonitor.create: true, but metrics.serviceMonitor.create is true as well, and each pod would be scraped twice: one of them is enough" -}}
{{- end -}}
{{- range .Values.extraEnv -}}
{{- if eq .name "JAVA_TOOL_OPTIONS" -}}
{{- fail "extraEnv: instead of JAVA_TOOL_OPTIONS set the values jvm.profile and javaOptions" -}}
{{- end -}}
{{- if eq .name "CONTROLLER_MANAGER_LEADER_ELECTION_POD_UID" -}}
{{- fail "extraEnv: CONTROLLER_MANAGER_LEADER_ELECTION_POD_UID is the pod's uid and cannot be set" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.metrics.podMonitor.create .Values.authentication.enabled (not .Values.metrics.podMonitor.authorization) -}}
{{- fail "metrics.podMonitor.authorization: empty, but authentication.enabled is true and a PodMonitor cannot send Prometheus's own token: name a Secret with one" -}}
{{- end -}}
{{- if and .Values.authentication.metricsReaders (not .Values.authentication.enabled) -}}
{{- fail "authentication.metricsReaders: nobody is asked who he is, since authentication.enabled is false" -}}
{{- end -}}
{{- /* The process takes a property in several spellings, and flags of its own for some. */ -}}
{{- $values := dict
  "controllermanager.controllers" "controllers"
  "controllers" "controllers"
  "controllermanager.namespaces" "namespaces"
  "namespace" "namespaces"
  "controllermanager.leaderelection.enabled" "leaderElection.enabled"
  "leaderelect" "leaderElection.enabled"
  "controllermanager.leaderelection.resourcename" "leaderElection.resourceName"
  "leaderelectresourcename" "leaderElection.resourceName"
  "controllermanager.leaderelection.formerresourcename" "leaderElection.formerResourceName"
  "controllermanager.leaderelection.leaseduration" "leaderElection.leaseDuration"
  "leaderelectleaseduration" "leaderElection.leaseDuration"
  "controllermanager.leaderelection.renewdeadline" "leaderElection.renewDeadline"
  "leaderelectrenewdeadline" "leaderElection.renewDeadline"
  "controllermanager.leaderelection.retryperiod" "leaderElection.retryPeriod"
  "leaderelectretryperiod" "leaderElection.retryPeriod"
  "controllermanager.leaderelection.leasepercontroller" "leaderElection.leasePerController"
  "controllermanager.shutdowntimeout" "shutdownTimeoutSeconds"
  "controllermanager.endpoints.authentication.enabled" "authentication.enabled"
  "logging.structured.format.console" "logging.format"
  "controllermanager.webhooks.enabled" "webhooks.enabled"
  "controllermanager.webhooks.certificate.secretname" "webhooks.secretName"
  "server.ssl.bundle" "tls.secretName" -}}
{{- $fixed := dict
  "controllermanager.leaderelection.resourcenamespace" "the rules are for a Lease in the release's namespace"
  "leaderelectresourcenamespace" "the rules are for a Lease in the release's namespace"
  "controllermanager.webhooks.name" "the Service has the name of the release"
  "controllermanager.webhooks.port" "the Service asks port 9443"
  "server.port" "the probes and the Service ask port 8080"
  "management.server.port" "the probes and the Service ask port 8080"
  "server.address" "the probes and the Service ask the pod's own address"
  "server.servlet.contextpath" "the probes and the monitors ask below /actuator"
  "management.endpoints.web.basepath" "the probes and the monitors ask below /actuator"
  "management.server.ssl.enabled" "the value tls.secretName decides between HTTP and HTTPS"
  "server.ssl.enabled" "the value tls.secretName decides between HTTP and HTTPS" -}}
{{- range $property, $_ := .Values.properties -}}
{{- if hasPrefix "controller-manager.controller." $property -}}
{{- $name := index (splitList "." $property) 2 -}}
{{- if not (hasKey $known $name) -}}
{{- fail (printf "properties: %s is for no controller there is; known are %s" $property (keys $known | sortAlpha | join ", ")) -}}
{{- end -}}
{{- end -}}
{{- $plain := include "controller-manager.plain" $property -}}
{{- with get $values $plain -}}
{{- fail (printf "properties: instead of %s set the value %s, which decides other objects too" $property .) -}}
{{- end -}}
{{- if regexMatch "^controllermanager\\.controller\\.[^.]+\\.shards$" $plain -}}
{{- fail (printf "properties: instead of %s set the value shards, which decides other objects too" $property) -}}
{{- end -}}
{{- with get $fixed $plain -}}
{{- fail (printf "properties: %s cannot be set: %s" $property .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
