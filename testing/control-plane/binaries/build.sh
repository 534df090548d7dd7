#!/bin/sh
# Builds the programs of the test control plane and prints, as the only line on stdout, the directory that holds them.
#
#   build.sh         builds them unless they are there
#   build.sh --key   prints the name of that directory alone, and builds nothing
#
# The directory lies in the user's cache, named after a hash of this module's files: a change here makes a new one, and
# nothing else does. Callers at the same time wait for the first. A build that is cut off leaves nothing that counts.
# Only POSIX sh, coreutils and Go are needed; Go not even that once the directory exists.
set -eu
cd "$(dirname "$0")"

programs='etcd kube-apiserver kube-controller-manager kube-scheduler kwok check-metrics kubectl lease-contender'
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

root=${XDG_CACHE_HOME:-$HOME/.cache}/controller-manager/control-plane
target=$root/$key
if [ -d "$target" ]; then
  touch "$target" # what is in use is not old
  echo "$target"
  exit
fi

# The caller's Go settings must not reach in: a workspace, a vendor mode, or a C compiler that is not there.
export GOFLAGS=-mod=readonly GOWORK=off CGO_ENABLED=0

# Go 1.21 and later fetch the version that go.mod asks for; an earlier one cannot even read it.
if ! command -v go >/dev/null || ! go list -m >/dev/null; then
  say 'Go 1.26 or later is needed on PATH (https://go.dev/dl)'
  exit 69 # EX_UNAVAILABLE of sysexits: the launcher has a sentence for it
fi

mkdir -p "$root"
if command -v flock >/dev/null; then
  exec 9>"$root/lock"
  flock -n 9 || {
    say 'waiting for a build that is already under way'
    flock 9
  }
else # macOS has no flock; a directory is made by one caller only
  until mkdir "$root/lock.d" 2>/dev/null; do
    kill -0 "$(cat "$root/lock.d/pid" 2>/dev/null || echo $$)" 2>/dev/null || rm -rf "$root/lock.d"
    sleep 1
  done
  echo $$ >"$root/lock.d/pid"
  trap 'rm -rf "$root/lock.d"' EXIT
  trap 'exit 1' INT TERM HUP
fi
if [ -d "$target" ]; then
  echo "$target"
  exit
fi

# Whoever holds the lock is alone: an unfinished directory is from a build that was cut off.
rm -rf "$root"/*.unfinished
work=$target.unfinished
mkdir -p "$work"

version=k8s.io/component-base/version
major=${kubernetes#v}
minor=${major#*.}
flags="-s -w -X $version.gitVersion=$kubernetes -X $version.gitMajor=${major%%.*} -X $version.gitMinor=${minor%%.*}"
# The modules do not say which commit they are of; without this the unexpanded "$Format:%H$" would show.
flags="$flags -X $version.gitTreeState=archive -X $version.gitCommit="

started=$(date +%s)
say "building the test control plane $kubernetes in $target: some minutes, this once"
number=0
for program in $programs; do
  number=$((number + 1))
  say "building $program ($number of 9)"
  # Go takes the lock's descriptor no further, or a compiler left behind would hold the lock.
  go build -trimpath -buildvcs=false -ldflags "$flags" -o "$work/$program" "./cmd/$program" 9>&- >&2
done
say 'building helm (9 of 9)'
# Of the release that has these versions of Kubernetes' modules, so that most of it is compiled already.
go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$work/helm" helm.sh/helm/v4/cmd/helm 9>&- >&2

# Manifests that belong to these versions, taken from the modules themselves. No program is built from some of them, so that
# nothing has brought them here yet.
module() {
  go mod download "$1" 9>&- >&2
  go list -m -f '{{.Dir}}' "$1" 9>&-
}
mkdir "$work/sample-controller"
cp "$(module k8s.io/sample-controller)"/artifacts/examples/*.yaml "$work/sample-controller/"
stages=$(module sigs.k8s.io/kwok)/kustomize/stage
for stage in node/fast/node-initialize node/heartbeat-with-lease/node-heartbeat-with-lease \
  pod/fast/pod-ready pod/fast/pod-complete pod/fast/pod-delete; do
  echo '---'
  cat "$stages/$stage.yaml"
done >"$work/kwok-stages.yaml"
chmod -R u+w "$work" # files of the module cache are read-only

mv "$work" "$target"
say "built in $(($(date +%s) - started)) s"

# What nobody has used for a month goes: each directory holds some 300 MB.
find "$root" -mindepth 1 -maxdepth 1 -type d -mtime +30 -exec rm -rf {} +
echo "$target"
