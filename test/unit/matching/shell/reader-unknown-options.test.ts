import { describe, expect, it } from "vitest";
import { compileRuns, createShellReader } from "../../../../src/matching/shell/shell.ts";

/** Found by `orcs test --fuzz`: a word that the reader does not know may be an option of the program that starts others. */
const reader = createShellReader();
const holds = compileRuns(["git push --force"]);
const runs = (line: string): boolean => {
  const { commands, unread } = reader.read(line);
  return holds(commands, unread);
};

describe("an unknown word that may be an option", () => {
  it.each([
    'timeout "$(tr A-Z a-z <<< -K)" 1 9s git push --force',
    ': --signal=KILL; timeout "$_" 9 git push --force',
    'taskset "$(< <(echo -c))" 0 git push --force',
    'for F in -o; do :; done; chrt "$F" 0 git push --force',
    `for F in -c; do :; done; su "$F" 'git push --force'`,
    `su root "$(tr A-Z a-z <<< -C)" 'git push --force'`,
    `: -qc; script "$_" 'git push --force' /dev/null`,
    `declare -A M; M[k]=-exec; find . -maxdepth 0 "\${M[k]}" git push --force '{}' +`,
    'find . "$X" git push --force ";"',
    `find . "$(rev <<< htpedxam-)" 0 -execdir git push --force ';'`,
    `find . -ma$UNSET_""xdepth 0 -exec sh -c 'git push --force' ';'`,
    `: -name; find . -not "$_" x -exec sudo git push --force ';' -print`,
    'xargs -$UNSET_""n 1 git push --force',
    'sudo -$UNSET_""u root git push --force',
    'flock "$(base64 -d <<< LW4=)" lock git push --force',
    'timeout "$(base64 -d <<< LS1mb3JlZ3JvdW5k)" --preserve-status 9 git push --force',
    `su "$(< <(echo -c))" gi$UNSET_'t push --force'`,
    `git -c 'alias.zz=!git push --force' z$UNSET_""z`,
    `git -c 'alias.zz=push --fo'$()'rce' zz`,
    'printf -v P %s --force; git push "$P"',
    "git pu$()sh --force",
    "git push --for` `ce",
    `read -r L <<< git; find . -maxdepth 0 -exe$UNSET_""c "$L" push --force '{}' +`,
    `bash -c 'git pus'"$(date)"`,
    `su -c 'git push "\${NONE:---force}"'`,
    "ip -all netns exec git push --force",
    `su -$UNSET_""c '{git,push,--force}'`,
    `su -$UNSET_""c 'git push --force'`,
    `su root -"$X" '{git,push,--force}'`,
    `su --$X 'git push --force'`,
    `bash -O extglob -c 'git 3'$UNSET_'<&0 push --force'`,
    `sh -c 'git push 2'$X'>&1 --force'`,
    `bash -c 'git '$X'>/dev/null push --force'`,
    `bash -c 'git {fd}'$X'>/dev/null push --force'`,
    `bash -$X 'git push --force'`,
    `bash --norc -$UNSET_""c '{git,push,--force}'`,
    `sh -e$X -o pipefail 'git push --force'`,
    `dash -c$X -e 'git push --force'`,
    `echo 'git push --force' | bash -$X file`,
    `echo 'git push --force' | sudo -$X`,
    `sudo -$X""l git push --force`,
    `sudo --us$X root git push --force`,
    `script -$X""e '{git,push,--force}' /dev/null`,
    `flock -$X""n lock '{git,push,--force}'`,
    `echo --force | xargs -$X""n1 git push`,
    `echo push --force | xargs -$X""a /dev/null git`,
    `find . "$A" git push --force "$B"`,
  ])("%s", (line) => {
    expect(runs(line)).toBe(true);
  });

  it.each([
    'timeout "$T" echo git push --force',
    'timeout "$T" git push',
    'flock "$F" git push',
    "sudo -$X root git push",
    `su "$U" 'git push'`,
    'find "$DIR" -name "git push --force"',
    'find . -name "$X" -exec echo git push --force ";"',
    'printf -v P %s --dry-run; git push "$P"',
    'read -r P <<< --dry-run; git push "$P"',
    `bash -c 'git pul'"$(date)"`,
    "bash -$X ./push.sh",
    `su -$X root`,
    `bash -c 'git 3'$X' push --force'`,
    `bash -c 'git log'$X'>/dev/null push --force'`,
    "sudo -u$X git push",
    "sudo -E$X ls",
    `git push origin "v$X"`,
    `find "$A" "$B" "$C"`,
    `find "$A" "$B" -exec grep -n push {} ';'`,
  ])("is not one in %s", (line) => {
    expect(runs(line)).toBe(false);
  });
});
