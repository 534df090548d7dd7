#!/bin/sh
# Builds programs of the test control plane and prints, as the only line on stdout, the directory that holds them.
#
#   build.sh              builds all that are not there yet
#   build.sh PROGRAM...   builds those of them that are not there yet, and no others
#   build.sh --key        prints the name of that directory alone, and builds nothing
#
# The directory lies in the user's cache, named after a hash of this module's files: a change here makes a new one, and
# nothing else does. Callers at the same time wait for the first. A program appears there whole or not at all: a build
# that fails or is cut off leaves nothing that counts.
# Only POSIX sh, coreutils and Go are needed; Go not even that once the programs are there.
set -eu
cd "$(dirname "$0")"

# Beside the programs lie manifests of the same versions, which are asked for by name like them.
all='etcd kube-apiserver housekeeper kube-controller-manager kube-scheduler kwok check-metrics kubectl'
all="$all lease-contender helm kwok-stages.yaml sample-controller"
kubernetes=$(awk '$1 == "k8s.io/kubernetes" { print $2 }' go.mod)

say() { echo "control-plane: $*" >&2; }

if command -v sha256sum >/dev/null; then sha256='sha256sum'; else sha256='shasum -a 256'; fi
hash=$(
  {
    uname -sm
    find . -type f \( -name '*.go' -o -name go.mod -o -name go.sum -o -name build.sh \) | LC_ALL=C sort |
      while read -r file; do
        echo "$file"
        $sha256 <"$file"
      done
  } | $sha256 | cut -c1-16
)
key=$kubernetes-$hash
if [ "${1:-}" = --key ]; then
  echo "$key"
  exit
fi

# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || set -- $all
for name; do
  case " $all " in
    *" $name "*) ;;
    *)
      say "there is no $name, but: $all"
      exit 64 # EX_USAGE of sysexits
      ;;
  esac
done

root=${XDG_CACHE_HOME:-$HOME/.cache}/controller-manager/control-plane
target=$root/$key

# Those of the arguments that are not there yet.
lacking() {
  for name; do
    [ -e "$target/$name" ] || echo "$name"
  done
}

finish() {
  touch "$target" # what is in use is not old
  echo "$target"
  exit
}

[ -n "$(lacking "$@")" ] || finish

# The caller's Go settings must not reach in: a workspace, a vendor mode, or a C compiler that is not there.
export GOFLAGS=-mod=readonly GOWORK=off CGO_ENABLED=0

# Go 1.21 and later fetch the version that go.mod asks for; an earlier one cannot even read it.
if ! command -v go >/dev/null || ! go list -m >/dev/null; then
  say 'Go 1.26 or later is needed on PATH (https://go.dev/dl)'
  exit 69 # EX_UNAVAILABLE of sysexits: the launcher has a sentence for it
fi

mkdir -p "$root"
waiting='waiting for a build that is already under way'
work=$target.$$.unfinished
if command -v flock >/dev/null; then
  exec 9>"$root/lock"
  flock -n 9 || {
    say "$waiting"
    flock 9
  }
  trap 'rm -rf "$work"' EXIT
else # macOS has no flock; a directory is made by one caller only
  until mkdir "$root/lock.d" 2>/dev/null; do
    [ -z "$waiting" ] || say "$waiting"
    waiting=
    kill -0 "$(cat "$root/lock.d/pid" 2>/dev/null || echo $$)" 2>/dev/null || rm -rf "$root/lock.d"
    sleep 1
  done
  echo $$ >"$root/lock.d/pid"
  trap 'rm -rf "$work" "$root/lock.d"' EXIT
  trap 'exit 1' INT TERM HUP
fi
# The one before may have built them.
# shellcheck disable=SC2046 # names of one word each
set -- $(lacking "$@")
[ $# -gt 0 ] || finish

# Whoever holds the lock is alone: an unfinished directory is from a build that was cut off.
rm -rf "$root"/*.unfinished
mkdir "$work"
started=$(date +%s)

# Go takes the lock's descriptor no further, or a compiler left behind would hold the lock.
build() {
  version=k8s.io/component-base/version
  major=${kubernetes#v}
  minor=${major#*.}
  flags="-s -w -X $version.gitVersion=$kubernetes -X $version.gitMajor=${major%%.*} -X $version.gitMinor=${minor%%.*}"
  # The modules do not say which commit they are of; without this the unexpanded "$Format:%H$" would show.
  flags="$flags -X $version.gitTreeState=archive -X $version.gitCommit="
  # Compiling takes the time. Nobody debugs these programs, so no package makes DWARF. The packages below are the most, and
  # compile a third faster without inlining. What serves any request (apiserver, apimachinery, etcd) has it.
  plain='-dwarf=false -l'
  # A compiler lives for seconds. It collects garbage only where it has reached the limit.
  GOGC=off GOMEMLIMIT=2GiB go build -trimpath -buildvcs=false -ldflags "$flags" \
    -gcflags=all=-dwarf=false \
    "-gcflags=k8s.io/client-go/applyconfigurations/...=$plain" \
    "-gcflags=k8s.io/client-go/informers/...=$plain" \
    "-gcflags=k8s.io/client-go/kubernetes/...=$plain" \
    "-gcflags=k8s.io/client-go/listers/...=$plain" \
    "-gcflags=k8s.io/kubernetes/...=$plain" \
    -o "$work/" "$@" 9>&- >&2
}

# Manifests are taken from the modules themselves. No program is built from some of them, so that nothing has brought
# them here yet.
module() {
  go mod download "$1" 9>&- >&2
  go list -m -f '{{.Dir}}' "$1" 9>&-
}

packages=
for name; do
  case $name in
    sample-controller)
      examples=$(module k8s.io/sample-controller)/artifacts/examples
      mkdir "$work/$name"
      cp "$examples"/*.yaml "$work/$name/"
      ;;
    kwok-stages.yaml)
      stages=$(module sigs.k8s.io/kwok)/kustomize/stage
      for stage in node/fast/node-initialize node/heartbeat-with-lease/node-heartbeat-with-lease \
        pod/fast/pod-ready pod/fast/pod-complete pod/fast/pod-delete; do
        echo '---'
        cat "$stages/$stage.yaml"
      done >"$work/$name"
      ;;
    # Of the release that has these versions of Kubernetes' modules, so that the two share most packages.
    helm) packages="$packages helm.sh/helm/v4/cmd/helm" ;;
    *) packages="$packages ./cmd/$name" ;;
  esac
done
if [ -n "$packages" ]; then
  say "building $* in $target: some minutes, this once"
  # All at once: Go loads and compiles what they share once, and links one while it compiles another.
  # shellcheck disable=SC2086 # a list of words
  build $packages
fi
chmod -R u+w "$work" # files of the module cache are read-only

mkdir -p "$target"
for name; do
  mv "$work/$name" "$target/"
done
say "built in $(($(date +%s) - started)) s"

# What nobody has used for a month goes: all of them take some 300 MB.
find "$root" -mindepth 1 -maxdepth 1 -type d -mtime +30 -exec rm -rf {} +
finish
