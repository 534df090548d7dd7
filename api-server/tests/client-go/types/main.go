// Command types tells the embedded API server which types Kubernetes has, from what the module k8s.io/kubernetes says of
// its own API: the server itself has no Go. The version is that of the control plane for tests.
//
//	go run ./types resources            the server's resource kubernetes-resources.json
//	go run ./types schemas | gzip -9n   schemas.gz: of each line a name, a tab and an OpenAPI v3 schema without its texts.
//	                                    x-omitempty names the fields that Go leaves out when they are empty
//	go run ./types texts | gzip -9n     texts.gz: the texts, by the name of the field; that of the type has no name
//
// These are the types of generally available versions, but for groups that say how a server itself works.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

const binaries = "../../../testing/control-plane/binaries"

// reviews are groups and resources whose objects are answered, and not stored.
var reviews = []string{"authentication.k8s.io", "authorization.k8s.io", "bindings"}

// notForUsers are about the server: what it lets others serve, and whom it serves first.
var notForUsers = []string{"apiregistration.k8s.io", "flowcontrol.apiserver.k8s.io"}

var stable = regexp.MustCompile(`^v\d+$`)

type object = map[string]any

// row is a resource.
type row struct {
	Group        string   `json:"group"`
	Version      string   `json:"version"`
	Kind         string   `json:"kind"`
	Plural       string   `json:"plural"`
	Singular     string   `json:"singular"`
	Namespaced   bool     `json:"namespaced"`
	Short        []string `json:"short,omitempty"`
	Categories   []string `json:"categories,omitempty"`
	Subresources []string `json:"subresources,omitempty"`
	// Review says that its objects are answered, and not stored.
	Review bool `json:"review,omitempty"`
	// Schema is the name of its schema. What can neither be listed and watched nor be reviewed has none: it is not served.
	Schema string `json:"schema,omitempty"`
}

// resource is what discovery says of one.
type resource struct {
	Name, SingularName, Kind      string
	Namespaced                    bool
	Verbs, ShortNames, Categories []string
}

func main() {
	if len(os.Args) != 2 || !slices.Contains([]string{"resources", "schemas", "texts"}, os.Args[1]) {
		fmt.Fprintln(os.Stderr, "usage: types resources|schemas|texts")
		os.Exit(2)
	}
	rows, schemas := read(filepath.Join(module(), "api"))
	switch os.Args[1] {
	case "resources":
		for i, row := range rows {
			fmt.Printf("%s%s", []string{"[\n", ",\n"}[min(i, 1)], text(row))
		}
		fmt.Print("\n]\n")
	case "schemas":
		seen := map[reflect.Type]bool{}
		markEmpties(schemas, reflect.TypeFor[apiextensionsv1.CustomResourceDefinition](), seen)
		for _, kind := range scheme.Scheme.AllKnownTypes() {
			markEmpties(schemas, kind, seen)
		}
		for _, name := range slices.Sorted(maps.Keys(schemas)) {
			takeTexts(schemas[name])
			fmt.Printf("%s\t%s\n", name, text(schemas[name]))
		}
	case "texts":
		for _, name := range slices.Sorted(maps.Keys(schemas)) {
			fmt.Printf("%s\t%s\n", name, text(takeTexts(schemas[name])))
		}
	}
}

// module says where Kubernetes' module is, which this one does not use itself.
func module() string {
	run := func(arguments ...string) string {
		command := exec.Command("go", arguments...)
		command.Dir, command.Stderr = binaries, os.Stderr
		command.Env = append(os.Environ(), "GOFLAGS=-mod=readonly")
		return strings.TrimSpace(string(must(command.Output())))
	}
	run("mod", "download", "k8s.io/kubernetes")
	return run("list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes")
}

func read(api string) ([]row, map[string]object) {
	var groups struct {
		Groups []struct {
			Name     string
			Versions []struct{ Version string }
		}
	}
	load(filepath.Join(api, "discovery/apis.json"), &groups)
	rows, schemas := rowsOf(api, "", "v1", "api__v1")
	for _, group := range groups.Groups {
		for _, version := range group.Versions {
			if stable.MatchString(version.Version) && !slices.Contains(notForUsers, group.Name) {
				file := "apis__" + group.Name + "__" + version.Version
				more, theirs := rowsOf(api, group.Name, version.Version, file)
				rows = append(rows, more...)
				maps.Copy(schemas, theirs)
			}
		}
	}
	return rows, schemas
}

// rowsOf reads a version of a group; there is nothing of one that has nothing to be served.
func rowsOf(api, group, version, file string) ([]row, map[string]object) {
	var list struct{ Resources []resource }
	load(filepath.Join(api, "discovery", file+".json"), &list)
	var document struct {
		Components struct{ Schemas map[string]object }
	}
	load(filepath.Join(api, "openapi-spec/v3", file+"_openapi.json"), &document)
	subresources := map[string][]string{}
	for _, resource := range list.Resources {
		if name, sub, ok := strings.Cut(resource.Name, "/"); ok {
			subresources[name] = append(subresources[name], sub)
		}
	}
	var served, others []row
	for _, resource := range list.Resources {
		row := row{
			group, version, resource.Kind, resource.Name, resource.SingularName, resource.Namespaced,
			resource.ShortNames, resource.Categories, subresources[resource.Name], false, "",
		}
		row.Review = slices.Contains(reviews, group) || slices.Contains(reviews, resource.Name)
		if strings.Contains(resource.Name, "/") {
			continue
		} else if row.Review || slices.Contains(resource.Verbs, "create") && slices.Contains(resource.Verbs, "watch") {
			row.Schema = schemaOf(document.Components.Schemas, group, version, resource.Kind)
			served = append(served, row)
		} else {
			others = append(others, row)
		}
	}
	if served == nil {
		return nil, nil
	}
	return append(served, others...), document.Components.Schemas
}

func schemaOf(schemas map[string]object, group, version, kind string) string {
	for name, schema := range schemas {
		kinds, _ := schema["x-kubernetes-group-version-kind"].([]any)
		for _, of := range kinds {
			if maps.Equal(of.(object), object{"group": group, "version": version, "kind": kind}) {
				return name
			}
		}
	}
	panic("no schema of " + kind)
}

// takeTexts takes its texts out of a schema.
func takeTexts(schema object) map[string]string {
	texts := map[string]string{}
	take := func(field string, of object) {
		if text, ok := of["description"].(string); ok {
			texts[field] = text
			delete(of, "description")
		}
	}
	take("", schema)
	properties, _ := schema["properties"].(object)
	for name, property := range properties {
		take(name, property.(object))
	}
	return texts
}

// markEmpties notes in the schemas of a type and of all in it which values are left out when they are empty. OpenAPI does not
// tell them from those that Go points to, which stay.
func markEmpties(schemas map[string]object, of reflect.Type, seen map[reflect.Type]bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || seen[of] {
		return
	}
	seen[of] = true
	path := strings.ReplaceAll(strings.TrimPrefix(of.PkgPath(), "k8s.io/"), "/", ".")
	schema := schemas["io.k8s."+path+"."+of.Name()]
	properties, _ := schema["properties"].(object)
	var empties []string
	for _, field := range reflect.VisibleFields(of) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch field.Type.Kind() {
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64:
			if properties[name] != nil && options == "omitempty" {
				empties = append(empties, name)
			}
		default:
			markEmpties(schemas, field.Type, seen)
		}
	}
	if empties != nil {
		slices.Sort(empties)
		schema["x-omitempty"] = empties
	}
}

func load(file string, into any) {
	if err := json.Unmarshal(must(os.ReadFile(file)), into); err != nil {
		panic(err)
	}
}

func text(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSpace(text.String())
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
