// Command protobuf tells the embedded API server how Kubernetes' types look in protobuf: the server itself has no Go.
//
//	go run ./protobuf table    the server's resource messages.json
//	go run ./protobuf samples  random objects, one a line: in protobuf (base64), a tab, in JSON
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

// notServed are groups of which the server has nothing.
var notServed = []string{"flowcontrol.apiserver.k8s.io", "internal.apiserver.k8s.io"}

// kinds are those that the server serves, and what is sent along with them: all of generally available versions.
func kinds() map[schema.GroupVersion][]runtime.Object {
	stable := regexp.MustCompile(`^v\d+$`)
	kinds := map[schema.GroupVersion][]runtime.Object{
		corev1.SchemeGroupVersion:          {&metav1.DeleteOptions{}},
		apiextensionsv1.SchemeGroupVersion: {&apiextensionsv1.CustomResourceDefinition{}},
	}
	for kind, typ := range scheme.Scheme.AllKnownTypes() {
		object, ok := reflect.New(typ).Interface().(metav1.Object)
		if ok && stable.MatchString(kind.Version) && !slices.Contains(notServed, kind.Group) {
			version := kind.GroupVersion()
			kinds[version] = append(kinds[version], object.(runtime.Object))
		}
	}
	return kinds
}

// special are the types that write their JSON themselves. The server knows each by its name.
var special = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():                                  "Time",
	reflect.TypeFor[metav1.MicroTime]():                             "MicroTime",
	reflect.TypeFor[metav1.FieldsV1]():                              "Raw",
	reflect.TypeFor[runtime.RawExtension]():                         "Raw",
	reflect.TypeFor[apiextensionsv1.JSON]():                         "Raw",
	reflect.TypeFor[resource.Quantity]():                            "Quantity",
	reflect.TypeFor[intstr.IntOrString]():                           "IntOrString",
	reflect.TypeFor[authenticationv1.ExtraValue]():                  "Strings",
	reflect.TypeFor[authorizationv1.ExtraValue]():                   "Strings",
	reflect.TypeFor[certificatesv1.ExtraValue]():                    "Strings",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        "SchemaOrBool",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       "SchemaOrArray",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): "SchemaOrStrings",
}

type table struct {
	Kinds    map[string]string            `json:"kinds"`
	Messages map[string]map[string]string `json:"messages"`
}

func main() {
	switch strings.Join(os.Args[1:], " ") {
	case "table":
		writeTable()
	case "samples":
		writeSamples()
	default:
		fmt.Fprintln(os.Stderr, "usage: protobuf table|samples")
		os.Exit(2)
	}
}

func writeTable() {
	all := table{Kinds: map[string]string{}, Messages: map[string]map[string]string{
		"SchemaOrBool":    {"1": "allows bool", "2": "schema apiextensions.v1.JSONSchemaProps"},
		"SchemaOrArray":   {"1": "schema apiextensions.v1.JSONSchemaProps", "2": "all list apiextensions.v1.JSONSchemaProps"},
		"SchemaOrStrings": {"1": "schema apiextensions.v1.JSONSchemaProps", "2": "all list string"},
		"Strings":         {"1": "items list string"},
	}}
	for version, objects := range kinds() {
		for _, object := range objects {
			message := reflect.TypeOf(object).Elem()
			all.Kinds[version.String()+"/"+message.Name()] = all.add(message)
		}
	}
	// One message a line, so that a change of version shows as what it changes.
	fmt.Printf("{\n  \"kinds\": %s,\n  \"messages\": {", must(json.MarshalIndent(all.Kinds, "  ", "  ")))
	names := make([]string, 0, len(all.Messages))
	for name := range all.Messages {
		names = append(names, name)
	}
	sort.Strings(names)
	for i, name := range names {
		separator := ","
		if i == 0 {
			separator = ""
		}
		fmt.Printf("%s\n    %q: %s", separator, name, must(json.Marshal(all.Messages[name])))
	}
	fmt.Print("\n  }\n}\n")
}

// add adds a message with all that it holds, and says its name.
func (t *table) add(message reflect.Type) string {
	path := strings.Split(message.PkgPath(), "/")
	name := strings.Join(append(path[len(path)-2:], message.Name()), ".")
	if _, known := t.Messages[name]; known {
		return name
	}
	if message.Implements(reflect.TypeFor[json.Marshaler]()) {
		panic("writes its JSON itself: " + message.String())
	}
	fields := map[string]string{}
	t.Messages[name] = fields
	for i := range message.NumField() {
		field := message.Field(i)
		wire := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(wire) < 2 {
			continue
		}
		words := strings.Split(field.Tag.Get("json"), ",")
		said := t.typeOf(field.Type)
		omits := slices.Contains(words, "omitempty") || slices.Contains(words, "omitzero")
		if words[0] == "" && slices.Contains(words, "inline") {
			said = "inline " + said
		} else if omits && slices.Contains([]string{"bool", "bytes", "double", "int", "string"}, said) && field.Type.Kind() != reflect.Pointer {
			said = "nonzero " + said
		}
		fields[wire[1]] = strings.TrimPrefix(words[0]+" "+said, " ")
	}
	return name
}

func (t *table) typeOf(of reflect.Type) string {
	if name, ok := special[of]; ok {
		return name
	}
	switch of.Kind() {
	case reflect.Pointer:
		return t.typeOf(of.Elem())
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "list " + t.typeOf(of.Elem())
	case reflect.Map:
		if of.Key().Kind() != reflect.String {
			panic("a map not of strings: " + of.String())
		}
		return "map " + t.typeOf(of.Elem())
	case reflect.Struct:
		return t.add(of)
	case reflect.Bool, reflect.String:
		return of.Kind().String()
	case reflect.Int32, reflect.Int64:
		return "int"
	case reflect.Float64:
		return "double"
	default:
		panic("no such type in protobuf: " + of.String())
	}
}

// writeSamples writes as JSON what Go reads from the protobuf, since protobuf does not tell an empty list from none.
func writeSamples() {
	for version, objects := range kinds() {
		for _, object := range objects {
			only := runtime.NewScheme()
			only.AddKnownTypes(version, object)
			serializer := protobuf.NewSerializer(only, only)
			kind := version.WithKind(reflect.TypeOf(object).Elem().Name())
			for seed := range int64(20) {
				fill(object, seed)
				object.GetObjectKind().SetGroupVersionKind(kind)
				written := must(runtime.Encode(serializer, object))
				read := must(runtime.Decode(serializer, written))
				fmt.Printf("%s\t%s\n", base64.StdEncoding.EncodeToString(written), must(json.Marshal(read)))
			}
		}
	}
}

// fill gives an object random values, as many of them empty as not.
func fill(object runtime.Object, seed int64) {
	raw := func(c randfill.Continue) []byte {
		return must(json.Marshal(map[string]any{"a": c.String(5), "b": []any{c.Intn(9), nil, c.Bool()}}))
	}
	reflect.ValueOf(object).Elem().SetZero()
	randfill.NewWithSeed(seed).NilChance(.5).NumElements(0, 2).MaxDepth(12).Funcs(
		func(*metav1.TypeMeta, randfill.Continue) {},
		func(time *metav1.Time, c randfill.Continue) {
			if c.Bool() {
				*time = metav1.Unix(int64(c.Uint32()), 0)
			}
		},
		func(time *metav1.MicroTime, c randfill.Continue) {
			if c.Bool() {
				*time = metav1.NewMicroTime(metav1.Unix(int64(c.Uint32()), int64(c.Intn(1000000))*1000).Time)
			}
		},
		func(quantity *resource.Quantity, c randfill.Continue) {
			*quantity = *resource.NewMilliQuantity(int64(c.Intn(100000)), resource.DecimalSI)
		},
		func(either *intstr.IntOrString, c randfill.Continue) {
			*either = intstr.FromInt32(int32(c.Intn(9) - 4))
			if c.Bool() {
				*either = intstr.FromString(c.String(5))
			}
		},
		func(fields *metav1.FieldsV1, c randfill.Continue) { fields.SetRawBytes(raw(c)) },
		func(extension *runtime.RawExtension, c randfill.Continue) { extension.Raw = raw(c) },
		func(value *apiextensionsv1.JSON, c randfill.Continue) { value.Raw = raw(c) },
		func(either *apiextensionsv1.JSONSchemaPropsOrBool, c randfill.Continue) {
			either.Allows = c.Bool()
			if c.Bool() {
				either.Allows = true
				either.Schema = &apiextensionsv1.JSONSchemaProps{Description: c.String(5)}
			}
		},
		func(either *apiextensionsv1.JSONSchemaPropsOrArray, c randfill.Continue) {
			either.Schema = &apiextensionsv1.JSONSchemaProps{Minimum: new(float64(c.Intn(9)) / 2)}
			if c.Bool() {
				either.JSONSchemas = []apiextensionsv1.JSONSchemaProps{*either.Schema, {Type: "object"}}
				either.Schema = nil
			}
		},
		func(either *apiextensionsv1.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			either.Schema = &apiextensionsv1.JSONSchemaProps{Type: c.String(5)}
			if c.Bool() {
				either.Property = []string{c.String(5), ""}
				either.Schema = nil
			}
		},
	).Fill(object)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
