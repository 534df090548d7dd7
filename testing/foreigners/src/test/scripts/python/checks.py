"""What Kubernetes' client for Python meets on a server: one line for each check, with its name and what came of it."""

import datetime
import json
import threading

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client import ApiException
from kubernetes.dynamic.exceptions import DynamicApiError
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock
from kubernetes.stream import stream

NAMESPACE = "snake"
CHECKS = []

config.load_kube_config()
core = client.CoreV1Api()
apps = client.AppsV1Api()
batch = client.BatchV1Api()
custom = client.CustomObjectsApi()
extensions = client.ApiextensionsV1Api()


def check(function):
    CHECKS.append(function)
    return function


def said(error):
    """What a refusal says, in one line."""
    try:
        status = json.loads(error.body)
        return f"{error.status} {status.get('reason')} {status.get('message')}"
    except (TypeError, ValueError):
        return f"{error.status} {error.reason}"


def config_map(name, **data):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={"set": "python"}), data=data)


def pod(name):
    container = client.V1Container(name="main", image="example.com/box:1")
    return client.V1Pod(metadata=client.V1ObjectMeta(name=name), spec=client.V1PodSpec(containers=[container]))


def deployment(name, replicas=1):
    labels = {"app": name}
    container = client.V1Container(name="main", image="example.com/web:1")
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name=name),
        spec=client.V1DeploymentSpec(
            replicas=replicas,
            selector=client.V1LabelSelector(match_labels=labels),
            template=client.V1PodTemplateSpec(
                metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container])
            ),
        ),
    )


def thing(name, size):
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name}, "spec": {"size": size}}


@check
def version():
    info = client.VersionApi().get_code()
    return f"{info.major}.{info.minor}"


@check
def groups():
    names = sorted(group.name for group in client.ApisApi().get_api_versions().groups)
    return [name for name in names if name in ("apps", "batch", "rbac.authorization.k8s.io")]


@check
def resources_of_apps():
    return sorted(resource.name for resource in apps.get_api_resources().resources)


@check
def create_namespace():
    made = core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    return made.status.phase


@check
def create_and_read():
    core.create_namespaced_config_map(NAMESPACE, config_map("first", key="1"))
    read = core.read_namespaced_config_map("first", NAMESPACE)
    return [read.data, type(read.metadata.creation_timestamp).__name__, read.metadata.managed_fields[0].manager]


@check
def create_again():
    return core.create_namespaced_config_map(NAMESPACE, config_map("first"))


@check
def create_invalid():
    return core.create_namespaced_config_map(NAMESPACE, config_map("Not_A_Name"))


@check
def create_dry():
    core.create_namespaced_config_map(NAMESPACE, config_map("dry"), dry_run="All")
    return core.read_namespaced_config_map("dry", NAMESPACE)


@check
def replace():
    read = core.read_namespaced_config_map("first", NAMESPACE)
    read.data = {"key": "2"}
    core.replace_namespaced_config_map("first", NAMESPACE, read)
    read.data = {"key": "3"}
    return core.replace_namespaced_config_map("first", NAMESPACE, read)


@check
def patch_merge():
    return core.patch_namespaced_config_map("first", NAMESPACE, {"data": {"more": "4", "key": None}}).data


@check
def patch_json():
    return core.patch_namespaced_config_map(
        "first", NAMESPACE, [{"op": "add", "path": "/data/added", "value": "5"}]
    ).data


@check
def patch_strategic():
    apps.create_namespaced_deployment(NAMESPACE, deployment("web"))
    side = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "example.com/side:1"}]}}}}
    patched = apps.patch_namespaced_deployment("web", NAMESPACE, side)
    return [container.name for container in patched.spec.template.spec.containers]


@check
def patch_apply():
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"key": "1"}}
    kind = "application/apply-patch+yaml"
    applied = core.patch_namespaced_config_map(
        "applied", NAMESPACE, body, field_manager="one", _content_type=kind
    )
    body["data"]["key"] = "2"
    try:
        core.patch_namespaced_config_map("applied", NAMESPACE, body, field_manager="two", _content_type=kind)
    except ApiException as refused:
        return [applied.data, said(refused)]


@check
def scale():
    apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 3}})
    return apps.read_namespaced_deployment_scale("web", NAMESPACE).spec.replicas


@check
def status():
    changed = apps.patch_namespaced_deployment_status("web", NAMESPACE, {"status": {"replicas": 3}})
    return [changed.status.replicas, changed.spec.replicas]


@check
def list_in_pages():
    for number in range(5):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{number}"))
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="set=python", limit=2, _continue=token)
        names.append([item.metadata.name for item in page.items])
        token = page.metadata._continue
        if not token:
            return names


@check
def list_by_field():
    found = core.list_config_map_for_all_namespaces(field_selector="metadata.name=first")
    return [f"{item.metadata.namespace}/{item.metadata.name} {item.kind}" for item in found.items]


@check
def watch_events():
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    watcher, seen = watch.Watch(), []

    def change():
        core.create_namespaced_config_map(NAMESPACE, config_map("watched", key="1"))
        core.patch_namespaced_config_map("watched", NAMESPACE, {"data": {"key": "2"}})
        core.delete_namespaced_config_map("watched", NAMESPACE)

    threading.Thread(target=change).start()
    for event in watcher.stream(core.list_namespaced_config_map, NAMESPACE, resource_version=version):
        seen.append(f"{event['type']} {event['object'].metadata.name} {event['object'].data}")
        if event["type"] == "DELETED":
            watcher.stop()
    return seen


@check
def watch_from_the_start():
    watcher, names = watch.Watch(), []
    for event in watcher.stream(core.list_namespaced_config_map, NAMESPACE, label_selector="set=python"):
        names.append(f"{event['type']} {event['object'].metadata.name}")
        if len(names) == 6:
            watcher.stop()
    return sorted(names)


@check
def watch_with_time_limit():
    watcher = watch.Watch()
    events = watcher.stream(core.list_namespaced_secret, NAMESPACE, timeout_seconds=1)
    return len(list(events))


@check
def delete_answers():
    core.create_namespaced_pod(NAMESPACE, pod("gone"))
    core.create_namespaced_secret(NAMESPACE, client.V1Secret(metadata=client.V1ObjectMeta(name="gone")))
    core.create_namespaced_service_account(
        NAMESPACE, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="gone"))
    )
    core.create_namespaced_service(
        NAMESPACE,
        client.V1Service(metadata=client.V1ObjectMeta(name="gone"), spec=client.V1ServiceSpec(cluster_ip="None")),
    )
    return [
        type(core.delete_namespaced_pod("gone", NAMESPACE)).__name__,
        core.delete_namespaced_secret("gone", NAMESPACE).status,
        type(core.delete_namespaced_service_account("gone", NAMESPACE)).__name__,
        type(core.delete_namespaced_service("gone", NAMESPACE)).__name__,
        apps.delete_namespaced_deployment("web", NAMESPACE, propagation_policy="Background").status,
    ]


@check
def delete_with_precondition():
    wrong = client.V1DeleteOptions(preconditions=client.V1Preconditions(resource_version="1"))
    return core.delete_namespaced_config_map("first", NAMESPACE, body=wrong)


@check
def delete_collection():
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="set=python")
    return len(core.list_namespaced_config_map(NAMESPACE, label_selector="set=python").items)


@check
def delete_what_is_not_there():
    return core.delete_namespaced_config_map("none", NAMESPACE)


@check
def create_from_yaml():
    made = utils.create_from_yaml(client.ApiClient(), "several.yaml", namespace=NAMESPACE)
    return [f"{item.kind} {item.metadata.name}" for items in made for item in items]


@check
def create_from_yaml_again():
    try:
        utils.create_from_yaml(client.ApiClient(), "several.yaml", namespace=NAMESPACE)
    except utils.FailToCreateError as refused:
        return [said(error) for error in refused.api_exceptions]


@check
def define():
    utils.create_from_yaml(client.ApiClient(), "crd.yaml")
    watcher = watch.Watch()
    for event in watcher.stream(
        extensions.list_custom_resource_definition, field_selector="metadata.name=things.example.com"
    ):
        conditions = event["object"].status.conditions or []
        if any(condition.type == "Established" and condition.status == "True" for condition in conditions):
            watcher.stop()
    return extensions.read_custom_resource_definition("things.example.com").spec.names.kind


@check
def custom_objects():
    custom.create_namespaced_custom_object("example.com", "v1", NAMESPACE, "things", thing("small", 1))
    custom.patch_namespaced_custom_object("example.com", "v1", NAMESPACE, "things", "small", {"spec": {"size": 2}})
    custom.patch_namespaced_custom_object_status(
        "example.com", "v1", NAMESPACE, "things", "small", {"status": {"phase": "Grown"}}
    )
    read = custom.get_namespaced_custom_object("example.com", "v1", NAMESPACE, "things", "small")
    return [read["spec"], read["status"], read["metadata"]["generation"]]


@check
def custom_object_that_is_invalid():
    return custom.create_namespaced_custom_object("example.com", "v1", NAMESPACE, "things", thing("big", 500))


@check
def dynamic_client():
    things = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="example.com/v1", kind="Thing")
    things.create(body=thing("dynamic", 3), namespace=NAMESPACE)
    things.patch(
        name="dynamic",
        namespace=NAMESPACE,
        body={"spec": {"color": "blue"}},
        content_type="application/merge-patch+json",
    )
    items = things.get(namespace=NAMESPACE).items
    return [f"{item.metadata.name} {item.spec.size} {item.spec.color}" for item in items]


@check
def dynamic_apply():
    maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dynamic"}, "data": {"key": "1"}}
    return maps.server_side_apply(body=body, namespace=NAMESPACE, field_manager="python").data.to_dict()


@check
def dynamic_watch():
    things = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="example.com/v1", kind="Thing")
    watcher = watch.Watch()
    for event in things.watch(namespace=NAMESPACE, name="dynamic", watcher=watcher):
        watcher.stop()
        return f"{event['type']} {event['object'].metadata.name}"


@check
def dynamic_delete():
    things = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="example.com/v1", kind="Thing")
    return things.delete(name="dynamic", namespace=NAMESPACE).status


@check
def job():
    spec = client.V1JobSpec(
        template=client.V1PodTemplateSpec(
            spec=client.V1PodSpec(
                restart_policy="Never", containers=[client.V1Container(name="main", image="example.com/job:1")]
            )
        )
    )
    made = batch.create_namespaced_job(NAMESPACE, client.V1Job(metadata=client.V1ObjectMeta(name="once"), spec=spec))
    return [made.spec.backoff_limit, made.spec.completions, sorted(made.spec.selector.match_labels)]


@check
def token():
    core.create_namespaced_service_account(
        NAMESPACE, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="robot"))
    )
    made = core.create_namespaced_service_account_token(
        "robot",
        NAMESPACE,
        client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=3600)),
    )
    mine = client.Configuration.get_default_copy()
    robot = client.Configuration()
    robot.host, robot.ssl_ca_cert = mine.host, mine.ssl_ca_cert
    robot.api_key = {"BearerToken": "Bearer " + made.status.token}
    return client.CoreV1Api(client.ApiClient(robot)).list_namespaced_secret(NAMESPACE)


@check
def access_review():
    review = client.V1SubjectAccessReview(
        spec=client.V1SubjectAccessReviewSpec(
            user="jane", resource_attributes=client.V1ResourceAttributes(verb="get", resource="pods")
        )
    )
    return client.AuthorizationV1Api().create_subject_access_review(review).status.allowed


@check
def event():
    made = core.create_namespaced_event(
        NAMESPACE,
        client.CoreV1Event(
            metadata=client.V1ObjectMeta(generate_name="tested-"),
            involved_object=client.V1ObjectReference(kind="ConfigMap", name="applied", namespace=NAMESPACE),
            reason="Tested",
            type="Normal",
            first_timestamp=datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc),
        ),
    )
    return [made.reason, str(made.first_timestamp)]


@check
def leader_election():
    lock = ConfigMapLock("lock", NAMESPACE, "me")
    settings = electionconfig.Config(
        lock, lease_duration=17, renew_deadline=15, retry_period=5, onstarted_leading=list, onstopped_leading=list
    )
    election = leaderelection.LeaderElection(settings)
    won = [election.try_acquire_or_renew(), election.try_acquire_or_renew()]
    kept = core.read_namespaced_config_map("lock", NAMESPACE).metadata.annotations
    return won + [json.loads(record)["holderIdentity"] for record in kept.values()]


@check
def logs():
    core.create_namespaced_pod(NAMESPACE, pod("quiet"))
    return core.read_namespaced_pod_log("quiet", NAMESPACE)


@check
def execute():
    return stream(core.connect_get_namespaced_pod_exec, "quiet", NAMESPACE, command=["true"], stdout=True)


@check
def evict():
    eviction = client.V1Eviction(metadata=client.V1ObjectMeta(name="quiet", namespace=NAMESPACE))
    return core.create_namespaced_pod_eviction("quiet", NAMESPACE, eviction).metadata.name


@check
def delete_namespace():
    core.delete_namespace(NAMESPACE)
    extensions.delete_custom_resource_definition("things.example.com")
    return [core.read_namespace("kube-system").status.phase]


def shown(value):
    return value.to_dict() if hasattr(value, "to_dict") else str(value)


def run(function):
    try:
        return function()
    except DynamicApiError as refused:
        return "refused: " + said(refused)
    except ApiException as refused:
        return "refused: " + said(refused)
    except Exception as failure:  # Whatever it is, it is what the client met.
        return f"failed: {type(failure).__name__}: {failure}"


for function in CHECKS:
    print(function.__name__.replace("_", " ") + ":", json.dumps(run(function), default=shown, sort_keys=True), flush=True)
