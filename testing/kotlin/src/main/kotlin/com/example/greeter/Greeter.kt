package com.example.greeter

import com.google.gson.annotations.SerializedName
import io.controllermanager.client.ResourceTypes
import io.controllermanager.reconciler.ControllerDescription
import io.controllermanager.reconciler.ObjectReconciler
import io.controllermanager.reconciler.Outcome
import io.controllermanager.reconciler.Reconciles
import io.controllermanager.reconciler.Reconciliation
import io.controllermanager.types.CustomObject
import io.controllermanager.types.CustomResource
import io.controllermanager.types.Default
import io.controllermanager.types.Doc
import io.kubernetes.client.openapi.models.V1Condition
import io.kubernetes.client.openapi.models.V1ConfigMap
import jakarta.validation.constraints.Max
import jakarta.validation.constraints.Min
import jakarta.validation.constraints.Size

@Doc("Greets somebody.")
@CustomResource(group = "example.com", version = "v1", selectableFields = [".spec.name"])
class Greeter : CustomObject<Greeter.Spec, Greeter.Status>() {

    enum class Tone { @SerializedName("polite") POLITE, WARM }

    @Doc("What is wanted.")
    data class Spec(
        @Size(min = 1) @Doc("Who is greeted.") val name: String,
        @Doc("With which title, none if absent.") val title: String?,
        @Doc("How.") val tone: Tone = Tone.WARM,
        @Min(1) @Max(9) @Doc("How often.") val times: Int = 2,
        @Default("!") @Doc("What ends the greeting. The API server knows this default too.") val end: String,
        @Doc("Whom else to greet, null for nobody in particular.") val others: List<@Size(max = 20) String?> = emptyList(),
        @Doc("By language.") val words: Map<String, List<String>?>? = null,
        @Doc("Since when, in seconds.") val since: Long?,
    ) {
        @Doc("What goes before.")
        var prefix: String = "> "

        val greeting: String
            get() = prefix + (listOf(listOfNotNull(title, name).joinToString(" ")) + others.map { it ?: "all" })
                .joinToString(", ") { person -> List(times) { words?.get("en")?.first() ?: tone.name }.joinToString(" ") + " " + person } + end

        companion object {
            const val LONGEST = 20
        }
    }

    @Doc("What the controller found.")
    data class Status(
        @Doc("Ready says whether the greeting is there.") val conditions: List<V1Condition> = emptyList(),
        @Doc("How long the greeting is.") val length: Int = 0,
    )
}

@Reconciles(Greeter::class)
class GreeterReconciler : ObjectReconciler<Greeter> {

    override fun describe(d: ControllerDescription<Greeter>) {
        d.owns(ResourceTypes.CONFIG_MAP)
    }

    override fun reconcile(greeter: Greeter, r: Reconciliation<Greeter>): Outcome {
        val greeting = greeter.spec().greeting
        r.apply(V1ConfigMap().data(mapOf("greeting" to greeting)))
        r.status(Greeter.Status(length = greeting.length))
        return Outcome.ready("Greeted", "the ConfigMap has the greeting")
    }
}
