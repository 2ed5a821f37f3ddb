#!/usr/bin/env bash
# What action.yml runs in the folder with the orcs.toml: `orcs check`, `orcs test`, the digest, and the difference to
# ORCS_BASE. It writes Markdown to GITHUB_STEP_SUMMARY, and fails when one of the first three does.
set -uo pipefail

summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}
failed=0

# The orcs among the packages of this folder or of one above. Not npx, which asks the registry for the name.
program=$PWD
while [ ! -x "$program/node_modules/.bin/orcs" ] && [ "$program" != / ]; do program=$(dirname "$program"); done
program=$program/node_modules/.bin/orcs
[ -x "$program" ] || {
  echo "orcs is not among the packages of $PWD: add it to devDependencies and run npm ci before this action" | tee -a "$summary" >&2
  exit 1
}
orcs() { "$program" "$@"; }

# Says what a command printed, under a title; its exit code counts.
part() {
  local title=$1 text code
  shift
  text=$("$@" 2>&1)
  code=$?
  [ "$code" = 0 ] || failed=1
  printf '### %s %s\n\n~~~~~~text\n%s\n~~~~~~\n\n' "$([ "$code" = 0 ] && echo ✅ || echo ❌)" "$title" "$text" >> "$summary"
  printf '%s\n' "$text"
}

# What `orcs trust` would show in a folder, without the folder's own name.
shown() { (cd "$1" && orcs trust --show 2>&1 | tail -n +2 | sed "s|$(pwd -P)|.|g"); }

digest() {
  local found
  found=$(orcs trust --show --json | node -e 'console.log(JSON.parse(require("fs").readFileSync(0)).digest)')
  echo "$found"
  [ -z "${ORCS_DIGEST-}" ] || [ "$found" = "$ORCS_DIGEST" ] || {
    echo "expected $ORCS_DIGEST: review the hooks with orcs trust --show, and state the new digest"
    return 1
  }
}

# The hooks, files and permissions that differ from those of the base.
difference() {
  local base here aside
  base=${ORCS_BASE-}
  git cat-file -e "$base^{commit}" 2> /dev/null || {
    echo "nothing to compare with: the base is unknown here (actions/checkout with fetch-depth: 0 brings it)"
    return 0
  }
  here=$(git rev-parse --show-prefix)
  aside=$(mktemp -d)
  git worktree add --quiet --detach "$aside/base" "$base" || return 1
  diff --unified=100 --label before --label after <(shown "$aside/base/$here") <(shown .) || true
  git worktree remove --force "$aside/base"
}

part "orcs check" orcs check --config orcs.toml
part "orcs test" orcs test --config orcs.toml
part "digest" digest
part "what changed" difference
exit "$failed"
