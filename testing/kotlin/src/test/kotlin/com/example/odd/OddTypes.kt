package com.example.odd

import com.fasterxml.jackson.annotation.JsonIgnore
import com.fasterxml.jackson.annotation.JsonProperty
import com.google.gson.annotations.SerializedName
import io.controllermanager.types.CustomObject
import io.controllermanager.types.CustomResource
import io.controllermanager.types.Doc
import jakarta.validation.constraints.Min
import jakarta.validation.constraints.Size

data class Box<T>(val value: T, val values: List<T>)

data class Fine(
    @field:Min(1) val ofField: Int,
    @get:Min(2) val ofGetter: Int,
    @param:Min(3) val ofParameter: Int,
    @SerializedName("other-name") val named: Long?,
    val box: Box<String?>,
    val array: Array<String?>,
    val numbers: IntArray,
    @Transient val hidden: Int = 3,
    @JvmField val open: Boolean,
    val isReady: Boolean?,
    val any: Any?,
) {
    lateinit var late: String
    var begun: Int = 3
    internal val inside: String? = null
    @delegate:Transient
    val lazily by lazy { 3 }
}

open class Base(@SerializedName("base-name") var base: String?)

class Derived(val own: String, val more: List<String>) : Base(null)

class AllDefaults(val a: Int = 3, val b: List<String> = listOf("x"))

class Body {
    var host: String = "localhost"
    lateinit var port: String
}

@CustomResource(group = "example.com", version = "v1")
class FineObject : CustomObject<FineObject.Spec, Void>() {
    data class Spec(val fine: Fine, val derived: Derived, val all: AllDefaults, val body: Body)
}

@JvmInline
value class Id(val value: String)

sealed class Shape {
    data class Circle(val radius: Int) : Shape()
}

object Single

@CustomResource(group = "example.com", version = "v1")
class Refused : CustomObject<Refused.Spec, Void>() {
    data class Spec(
        val id: Id,
        val ids: List<Id?>,
        val unsigned: UInt,
        val shape: Shape,
        val single: Single,
        val sized: List<@Size(max = 3) String>,
        @JsonProperty("other-name") val named: String,
        @get:JsonIgnore val ignored: String,
        val action: (Int) -> Int,
        val pair: Pair<String, Int>,
        val half: HalfProperties,
    ) {
        val lazily by lazy { 3 }
    }
}

class HalfProperties(from: String, val to: Int = 3) {
    val start: String = from
}

@CustomResource(group = "example.com", version = "v1")
class NoSpec : CustomObject<NoSpec.Spec?, NoSpec.Spec>() {
    @Doc("What is wanted.")
    data class Spec(val undescribed: String, @Doc("Described.") val described: String)
}

data class Many(
    val a0: Int = 0, val a1: Int = 1, val a2: Int = 2, val a3: Int = 3, val a4: Int = 4, val a5: Int = 5, val a6: Int = 6,
    val a7: Int = 7, val a8: Int = 8, val a9: Int = 9, val a10: Int = 10, val a11: Int = 11, val a12: Int = 12,
    val a13: Int = 13, val a14: Int = 14, val a15: Int = 15, val a16: Int = 16, val a17: Int = 17, val a18: Int = 18,
    val a19: Int = 19, val a20: Int = 20, val a21: Int = 21, val a22: Int = 22, val a23: Int = 23, val a24: Int = 24,
    val a25: Int = 25, val a26: Int = 26, val a27: Int = 27, val a28: Int = 28, val a29: Int = 29, val a30: Int = 30,
    val a31: Int = 31, val a32: Int = 32, val last: String, val a34: Long = 34,
)
