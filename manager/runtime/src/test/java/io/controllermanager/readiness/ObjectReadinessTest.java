package io.controllermanager.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectReadinessTest {

    @ParameterizedTest(name = "{0} {1}: {2}, {3}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
# Any type
ConfigMap | {} | READY | the ConfigMap is ready
Thing.example.com | {} | READY | the Thing is ready
Thing.example.com | {'metadata': {'deletionTimestamp': 'x'}} | PROGRESSING | the Thing is being deleted
Thing.example.com | {'metadata': {'generation': 2}} | READY | the Thing is ready
Thing.example.com | {'metadata': {'generation': 2}, 'status': {'observedGeneration': 1, 'conditions': [{'type': 'Ready', 'status': 'True'}]}} | PROGRESSING | the Thing has a change that its controller has not seen yet
Thing.example.com | {'metadata': {'generation': 2}, 'status': {'observedGeneration': 2, 'conditions': [{'type': 'Ready', 'status': 'True'}]}} | READY | the Thing is ready
Thing.example.com | {'status': {'conditions': [{'type': 'Ready', 'status': 'False', 'message': 'no node'}]}} | PROGRESSING | the Thing says Ready: no node
Thing.example.com | {'status': {'conditions': [{'type': 'Ready', 'status': 'Unknown'}]}} | PROGRESSING | the Thing is not ready
Thing.example.com | {'status': {'conditions': [{'type': 'Stalled', 'status': 'True', 'message': 'no quota'}]}} | FAILED | the Thing says Stalled: no quota
Thing.example.com | {'status': {'conditions': [{'type': 'Reconciling', 'status': 'True'}, {'type': 'Ready', 'status': 'True'}]}} | PROGRESSING | the Thing is being reconciled
Thing.example.com | {'status': {'conditions': [{'type': 'Other', 'status': 'False'}]}} | READY | the Thing is ready
# Deployments
Deployment.apps | {'metadata': {'generation': 1}, 'status': {}} | PROGRESSING | the Deployment has a change that its controller has not seen yet
Deployment.apps | {'spec': {'replicas': 3}, 'status': {'replicas': 3, 'updatedReplicas': 3, 'availableReplicas': 2}} | PROGRESSING | 2 of 3 replicas are available
Deployment.apps | {'spec': {'replicas': 3}, 'status': {'replicas': 4, 'updatedReplicas': 3, 'availableReplicas': 3}} | PROGRESSING | the Deployment has 1 old replicas to end
Deployment.apps | {'spec': {'replicas': 3}, 'status': {'replicas': 3, 'updatedReplicas': 1, 'availableReplicas': 3}} | PROGRESSING | 1 of 3 replicas are updated
Deployment.apps | {'status': {'replicas': 1, 'updatedReplicas': 1, 'availableReplicas': 1, 'readyReplicas': 1}} | READY | the Deployment is ready
Deployment.apps | {'status': {'replicas': 1, 'updatedReplicas': 1, 'availableReplicas': 1, 'readyReplicas': 1, 'conditions': [{'type': 'Available', 'status': 'False'}]}} | PROGRESSING | the Deployment is not available
Deployment.apps | {'spec': {'replicas': 0}, 'status': {}} | READY | the Deployment is ready
Deployment.apps | {'status': {'conditions': [{'type': 'Progressing', 'status': 'False', 'reason': 'ProgressDeadlineExceeded', 'message': 'timed out'}]}} | FAILED | the Deployment says Progressing: timed out
# ReplicaSets
ReplicaSet.apps | {'spec': {'replicas': 2}, 'status': {'replicas': 2, 'availableReplicas': 1}} | PROGRESSING | 1 of 2 replicas are available
ReplicaSet.apps | {'spec': {'replicas': 1}, 'status': {'replicas': 2, 'availableReplicas': 2}} | PROGRESSING | the ReplicaSet has 1 replicas to end
ReplicaSet.apps | {'status': {'conditions': [{'type': 'ReplicaFailure', 'status': 'True', 'message': 'quota'}]}} | PROGRESSING | the ReplicaSet says ReplicaFailure: quota
ReplicaSet.apps | {'status': {'replicas': 1, 'availableReplicas': 1}} | READY | the ReplicaSet is ready
# StatefulSets
StatefulSet.apps | {'spec': {'replicas': 3}, 'status': {'replicas': 3, 'readyReplicas': 2}} | PROGRESSING | 2 of 3 replicas are ready
StatefulSet.apps | {'spec': {'replicas': 3}, 'status': {'replicas': 3, 'readyReplicas': 3, 'updatedReplicas': 1, 'currentRevision': 'a', 'updateRevision': 'b'}} | PROGRESSING | 1 of 3 replicas are updated
StatefulSet.apps | {'spec': {'replicas': 3}, 'status': {'replicas': 3, 'readyReplicas': 3, 'currentRevision': 'b', 'updateRevision': 'b'}} | READY | the StatefulSet is ready
StatefulSet.apps | {'spec': {'replicas': 3, 'updateStrategy': {'rollingUpdate': {'partition': 2}}}, 'status': {'replicas': 3, 'readyReplicas': 3, 'updatedReplicas': 1, 'currentRevision': 'a', 'updateRevision': 'b'}} | READY | the StatefulSet is ready
StatefulSet.apps | {'spec': {'replicas': 3, 'updateStrategy': {'rollingUpdate': {'partition': 2}}}, 'status': {'replicas': 3, 'readyReplicas': 3, 'updatedReplicas': 0}} | PROGRESSING | 0 of 1 replicas are updated
StatefulSet.apps | {'spec': {'replicas': 1, 'updateStrategy': {'type': 'OnDelete'}}, 'status': {'replicas': 1, 'readyReplicas': 1, 'currentRevision': 'a', 'updateRevision': 'b'}} | READY | the StatefulSet is ready
StatefulSet.apps | {'spec': {'replicas': 1}, 'status': {'replicas': 2, 'readyReplicas': 2}} | PROGRESSING | the StatefulSet has 1 replicas to end
# DaemonSets
DaemonSet.apps | {'metadata': {'generation': 1}} | PROGRESSING | the DaemonSet has a change that its controller has not seen yet
DaemonSet.apps | {'status': {'desiredNumberScheduled': 2, 'updatedNumberScheduled': 1}} | PROGRESSING | 1 of 2 replicas are updated
DaemonSet.apps | {'status': {'desiredNumberScheduled': 2, 'updatedNumberScheduled': 2, 'numberAvailable': 1}} | PROGRESSING | 1 of 2 replicas are available
DaemonSet.apps | {'status': {'desiredNumberScheduled': 2, 'updatedNumberScheduled': 2, 'numberAvailable': 2, 'numberReady': 2}} | READY | the DaemonSet is ready
# Jobs
Job.batch | {'spec': {'completions': 3}, 'status': {'succeeded': 1}} | PROGRESSING | 1 of 3 completions are done
Job.batch | {} | PROGRESSING | 0 of 1 completions are done
Job.batch | {'status': {'conditions': [{'type': 'Complete', 'status': 'True'}]}} | READY | the Job is complete
Job.batch | {'status': {'conditions': [{'type': 'Failed', 'status': 'True', 'message': 'backoff'}]}} | FAILED | the Job says Failed: backoff
Job.batch | {'status': {'conditions': [{'type': 'Suspended', 'status': 'True'}]}} | PROGRESSING | the Job is suspended
# Pods
Pod | {'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'message': 'no room'}]}} | PROGRESSING | the Pod says PodScheduled: no room
Pod | {'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'False', 'message': 'not yet'}]}} | PROGRESSING | the Pod says Ready: not yet
Pod | {'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'True'}]}} | READY | the Pod is ready
Pod | {'status': {'phase': 'Succeeded'}} | READY | the Pod has succeeded
Pod | {'status': {'phase': 'Failed'}} | FAILED | the Pod has failed
Pod | {} | PROGRESSING | the Pod is not ready
# Claims
PersistentVolumeClaim | {'status': {'phase': 'Bound'}} | READY | the PersistentVolumeClaim is ready
PersistentVolumeClaim | {'status': {'phase': 'Pending'}} | READY | the claim may wait for a Pod that uses it
PersistentVolumeClaim | {'metadata': {'annotations': {'volume.kubernetes.io/selected-node': 'n'}}, 'status': {'phase': 'Pending'}} | PROGRESSING | the PersistentVolumeClaim is not bound to a volume yet
PersistentVolumeClaim | {'spec': {'volumeName': 'v'}, 'status': {'phase': 'Pending'}} | PROGRESSING | the PersistentVolumeClaim is not bound to a volume yet
PersistentVolumeClaim | {'status': {'phase': 'Lost'}} | FAILED | the PersistentVolumeClaim has lost its volume
# Others
Service | {'spec': {'type': 'LoadBalancer'}} | PROGRESSING | the Service has no address yet
Service | {'spec': {'type': 'LoadBalancer', 'clusterIP': '10.0.0.1'}} | READY | the Service is ready
Service | {'spec': {'type': 'ClusterIP'}} | READY | the Service is ready
PodDisruptionBudget.policy | {'status': {'currentHealthy': 1, 'desiredHealthy': 2}} | PROGRESSING | the PodDisruptionBudget has 1 of 2 Pods healthy
PodDisruptionBudget.policy | {'status': {'currentHealthy': 2, 'desiredHealthy': 2}} | READY | the PodDisruptionBudget is ready
CustomResourceDefinition.apiextensions.k8s.io | {} | PROGRESSING | the CustomResourceDefinition is not served yet
CustomResourceDefinition.apiextensions.k8s.io | {'status': {'conditions': [{'type': 'Established', 'status': 'True'}]}} | READY | the CustomResourceDefinition is ready
CustomResourceDefinition.apiextensions.k8s.io | {'status': {'conditions': [{'type': 'NamesAccepted', 'status': 'False', 'message': 'taken'}]}} | FAILED | the CustomResourceDefinition says NamesAccepted: taken
""")
    void follows(String kind, String json, Readiness.State state, String message) {
        Readiness readiness = ObjectReadiness.of(
                kind, JsonParser.parseString(json.replace('\'', '"')).getAsJsonObject());

        assertThat(readiness.message()).isEqualTo(message);
        assertThat(readiness.state()).isEqualTo(state);
        assertThat(readiness.reason()).matches("[A-Z][A-Za-z]+");
    }

    @Test
    void whatIsNotThereIsNotReady() {
        assertThat(ObjectReadiness.of("ConfigMap", (V1ConfigMap) null))
                .isEqualTo(Readiness.progressing("ConfigMapMissing", "the ConfigMap is not there yet"));
        assertThat(ObjectReadiness.of("ConfigMap", new V1ConfigMap().metadata(new V1ObjectMeta().name("a")))
                        .isReady())
                .isTrue();
    }
}
