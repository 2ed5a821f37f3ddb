import type { JsonObject } from "../../../../src/core/json.ts";
import type { Verdict } from "./guard.ts";

/** Lines with their verdicts, by options. */
type ByOptions = readonly (readonly [
  options: JsonObject,
  lines: Readonly<Record<string, Verdict>>,
])[];

export const OPTIONS: ByOptions = [
  [
    { dynamic: "allow" },
    {
      "$X -rf /": "pass",
      'echo "unterminated': "pass",
      "$X; rm -rf /": "refuse",
    },
  ],
  [{ dynamic: "ask" }, { "rm -rf $X": "ask" }],
  [{ dynamic: "abort" }, { "rm -rf $X": "refuse" }],
  [
    { level: "paranoid" },
    {
      "env $(grep -v '^#' .env | xargs) npm start": "refuse",
      "rm -rf $X": "refuse",
    },
  ],
  [{ level: "paranoid", dynamic: "allow" }, { "rm -rf $X": "pass" }],
  [{ level: "strict", dynamic: "abort" }, { $X: "refuse" }],
  [
    { roots: ["/srv/builds"] },
    {
      "rm -rf /srv/builds/1": "pass",
      "rm -rf /srv/builds": "refuse",
      "rm -rf /srv/builds/*": "refuse",
      "rm -rf /srv": "refuse",
      "rm -rf src": "refuse",
    },
  ],
  [{ roots: ["dist", "./out/"] }, { "rm -rf dist/a out/b": "pass" }],
  [
    { roots: ["dist"] },
    {
      "rm -rf dist": "refuse",
      "rm -rf src": "refuse",
      "rm -rf dist/../src": "refuse",
    },
  ],
  [
    { roots: [] },
    {
      "rm -rf build": "refuse",
      "rm -rf /tmp/x": "pass",
    },
  ],
  [
    { roots: ["/"] },
    {
      "rm -rf /srv/x/y": "pass",
      "rm -rf /srv": "refuse",
      "rm -rf ~": "refuse",
      "rm -rf .": "refuse",
    },
  ],
  [
    { roots: [".."] },
    {
      "rm -rf ../other": "pass",
      "rm -rf ..": "refuse",
    },
  ],
  [
    { allow: ["git clean -f*"] },
    {
      "git clean -fdx": "pass",
      "git clean -fdx src": "refuse",
      "git clean -fdx && git reset --hard": "refuse",
    },
  ],
  [{ allow: ["git clean -f* *"] }, { "git clean -fdx src": "pass" }],
  [
    { allow: ["git push --force *"] },
    {
      "sudo git push --force origin x": "pass",
      "/usr/bin/git push --force": "pass",
    },
  ],
  [{ allow: ["git push --force origin a.b"] }, { "git push --force origin aXb": "refuse" }],
  [{ allow: ["git push --force origin *"] }, { "git push --force origin $X": "pass" }],
  [{ allow: ["git push * --force"] }, { "git push $X --force": "pass" }],
  [{ allow: ["git push --force origin a*"] }, { "git push --force origin $X": "refuse" }],
  [{ allow: ["$EDITOR2 *"] }, { "$EDITOR2 a.txt": "pass" }],
  [{ allow: ["rm"] }, { "rm -rf /": "refuse" }],
];

/** `enable` and `disable`. */
export const SELECTIONS: ByOptions = [
  [
    {},
    {
      "git push --force": "refuse",
      "git push -d origin x": "pass",
      "kubectl delete ns x": "pass",
    },
  ],
  // The id of a rule that another one has taken in.
  [{ disable: ["server.accounts"] }, { "userdel x": "pass", "git push --force": "refuse" }],
  [
    { disable: ["git.push-force"] },
    {
      "git push --force": "pass",
      "git push origin +main": "pass",
      "git push --mirror": "refuse",
      "git push --force --mirror": "refuse",
      "git push --force && git reset --hard": "refuse",
    },
  ],
  [
    { disable: ["git"] },
    { "git push --force": "pass", "git reset --hard": "pass", "rm -rf .git": "refuse" },
  ],
  [
    { disable: ["git"], enable: ["git.clean"] },
    { "git push --force": "pass", "git clean -fd": "refuse" },
  ],
  [
    { enable: ["git"], disable: ["git.clean"] },
    { "git push -d origin x": "refuse", "git clean -fd": "pass" },
  ],
  [{ enable: ["git.clean"], disable: ["git.clean"] }, { "git clean -fd": "pass" }],
  [
    { enable: ["kubernetes"] },
    {
      "kubectl delete ns x": "refuse",
      "kubectl cordon n": "refuse",
      "terraform destroy": "pass",
    },
  ],
  [
    { enable: ["kubernetes.delete"] },
    { "kubectl delete deploy x": "refuse", "kubectl drain n": "pass" },
  ],
  [
    { enable: ["*"] },
    {
      "kubectl delete ns x": "refuse",
      "terraform destroy": "refuse",
      "git push -d origin x": "pass",
      "sudo ls": "pass",
    },
  ],
  [
    { enable: ["*"], disable: ["terraform"] },
    { "kubectl delete ns x": "refuse", "terraform destroy": "pass" },
  ],
  // The preset of the level has rules of packs; packs do not have rules of level "paranoid".
  [
    { level: "strict" },
    {
      "kubectl delete ns x": "refuse",
      "kubectl cordon n": "pass",
      "git push -d origin x": "refuse",
    },
  ],
  [
    { level: "strict", disable: ["kubernetes"] },
    { "kubectl delete ns x": "pass", "terraform destroy": "refuse" },
  ],
  [{ enable: ["files", "system", "code"] }, { "rm -rf src": "pass", "sudo ls": "pass" }],
  [{ enable: ["system.sudo"] }, { "sudo ls": "refuse", "rm -rf src": "pass" }],
  [{ enable: ["files.rm-recursive"] }, { "rm -rf src": "refuse" }],
  [
    { disable: ["files.rm-home", "history.wipe", "disk.write-device"] },
    {
      "rm -rf ~": "pass",
      "rm -rf ~ /": "refuse",
      "rm ~/.bash_history": "pass",
      "echo x > /dev/sda": "pass",
      "echo x > /dev/sda > ~/.bash_history": "pass",
      "tee /dev/sda ~/.bash_history": "pass",
      "curl x | sh > /dev/sda": "refuse",
    },
  ],
  // Questions are about what is not known; no rule has to be on.
  [{ disable: ["files"] }, { "rm -rf $X": "ask", $X: "ask" }],
];
