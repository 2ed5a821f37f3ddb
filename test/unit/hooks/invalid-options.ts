import type { JsonObject } from "../../../src/core/json.ts";

const PRICE = { prompt: 1, completion: 2 };

/** Options with which a policy does not load, and what the error says. */
export const INVALID_OPTIONS: Readonly<
  Record<string, readonly (readonly [options: JsonObject, message: string | RegExp])[]>
> = {
  approve: [
    [
      { rule: [] },
      /approve: the option rule is \[\], expected no option of that name; known options: by, minutes/,
    ],
    [{ rules: [] }, /approve: the option rules is \[\], expected a list such as/],
    [{ rules: "exec" }, /approve: the option rules is "exec"/],
    [{ rules: { tool: "exec" } }, /approve: the option rules is/],
    [{ rules: ["exec"] }, /approve: the option rules\[1\] is "exec", expected a table/],
    [{ rules: [{ tool: "a" }, { tol: "b" }] }, /approve: the option rules\[2\]\.tol is "b"/],
    [{ rules: [{ reason: "r" }] }, /expected a condition/],
    [{ rules: [{ tool: 7 }] }, /approve: the option rules\[1\]\.tool is 7/],
    [{ rules: [{ tool: [] }] }, /rules\[1\]\.tool is \[\], expected a string or a list of strings/],
    [
      { rules: [{ tool: ["a", false] }] },
      /rules\[1\]\.tool .*expected a string or a list of strings/,
    ],
    [{ rules: [{ command: " " }] }, /approve: the option rules\[1\]\.command/],
    [{ rules: [{ path: "[" }] }, /\[/],
    [
      { rules: [{ runs: "git 'a" }] },
      /approve: the option rules\[1\]\.runs is \["git 'a"\], expected commands as/,
    ],
    [
      { rules: [{ runs: "a && b" }] },
      /approve: the option rules\[1\]\.runs .*'&' separates commands/,
    ],
    [{ rules: [{ runs: ["ls", "git p*sh"] }] }, /rules\[1\]\.runs .*'\*' is not a wildcard here/],
    [{ rules: [{ tool: "a", reason: 7 }] }, /approve: the option rules\[1\]\.reason is 7/],
    [{ rules: [{ tool: "a", by: "tols" }] }, /rules\[1\]\.by is "tols", expected one of call/],
    [{ by: false }, /approve: the option by is false/],
    [
      { remember: "forever" },
      /approve: the option remember is "forever", expected one of never, session/,
    ],
    [{ minutes: 0 }, /approve: the option minutes is 0, expected a number above 0, at most 525600/],
    [{ minutes: 525601 }, /approve: the option minutes is 525601/],
    [{ minutes: "1" }, /approve: the option minutes is "1"/],
    [{ name: "a b" }, /approve: the option name is "a b", expected letters, digits, _, - and \./],
  ],
  budget: [
    [{ sesion: { calls: 1 } }, /budget: the option sesion is .*known options: session, agent/],
    [{ session: 5 }, /option session is 5, expected limits/],
    [{ day: {} }, /option day is .*expected limits/],
    [{ agent: [5] }, /option agent\.1 is 5.*known limits: calls, minutes/],
    [{ session: { call: 5 } }, /session\.call is 5.*calls, minutes, tokens/],
    [{ session: { calls: 0 } }, /session\.calls is 0.*above 0; leave it out/],
    [{ day: { tokens: -1 } }, /day\.tokens is -1/],
    [{ session: { calls: "5" } }, /session\.calls is "5"/],
    [{ session: { calls: 2.5 } }, /session\.calls is 2\.5, expected a whole/],
    [{ day: { minutes: 1440 } }, /less than 1440/],
    [{ session: { minutes: 10080 } }, /less than 10080/],
    [{ warn_at: 80 }, /warn_at is 80, expected a share/],
    [{ warn_at: 1.5 }, /warn_at is 1\.5/],
    [{ ask_at: 0 }, /ask_at is 0/],
    [{ day: { cost: 5 } }, /prices is missing.*because day\.cost/],
    [{ prices: {} }, /prices is .*at least one model/],
    [{ prices: 5 }, /prices is 5, expected a table of models/],
    [
      { prices: { a: { completion: 3 } } },
      /prices\.a\.prompt is missing, expected a number from 0/,
    ],
    [
      { day: { tokens: 5 }, prices: { "a-*": PRICE } },
      /prices is .*a limit of cost together with it/,
    ],
    [{ prices: { a: 3 } }, /prices\.a is 3, expected \{ prompt = , completion = \}, for a million/],
    [
      { prices: { a: { prompt: 3 } } },
      /prices\.a\.completion is missing, expected a number from 0/,
    ],
    [{ prices: { a: { ...PRICE, cached: -1 } } }, /a\.cached is -1, expected a number from 0/],
    [
      { prices: { a: { ...PRICE, output: 1 } } },
      /a\.output is 1, expected prompt, completion or cached/,
    ],
    [{ prices: { "a[": PRICE } }, /prices\.a\[ is "a\[", expected the glob of a model's name/],
    [{ name: "my budget" }, /name is "my budget", expected letters, digits, _, - and \./],
  ],
  "loop-guard": [
    [
      { refused: 3 },
      /loop-guard: the option refused is 3.*known options: calls, ignore, name, refuse/,
    ],
    [{ refuse: 1 }, /option refuse is 1, expected a whole number from 2, or false/],
    [{ warn: 2.5 }, /option warn is 2\.5/],
    [{ calls: 2147483648 }, /option calls is 2147483648/],
    [{ calls: "100" }, /option calls is "100", expected a whole number from 1/],
    [{ stops: true }, /option stops is true/],
    [{ warn: 6 }, /option warn is 6, expected less than refuse/],
    [{ ignore: "wait" }, /option ignore is "wait", expected a list/],
    [{ ignore: ["a", 1] }, /option ignore is \["a",1\]/],
    [{ ignore: { wait: true } }, /option ignore is/],
    [{ ignore: { a: "wait" } }, /option ignore is/],
    [{ ignore: ["a["] }, /option ignore is \["a\["\], expected a list of names or globs/],
    [{ name: "" }, /option name is "", expected letters/],
  ],
  "mask-secrets": [
    [
      { result: "mask" },
      /mask-secrets: the option result is "mask", expected no option of that name; known options: args/,
    ],
    [
      { results: "refuse" },
      /mask-secrets: the option results is "refuse", expected one of mask, off/,
    ],
    [{ results: false }, /mask-secrets: the option results is false/],
    [
      { prompts: "on" },
      /mask-secrets: the option prompts is "on", expected one of mask, off, refuse/,
    ],
    [{ args: ["mask"] }, /mask-secrets: the option args is \["mask"\]/],
    [{ responses: "refuse" }, /mask-secrets: the option responses is "refuse"/],
    [{ except: "vault" }, /mask-secrets: the option except is "vault", expected a list/],
    [{ outgoing: [7] }, /mask-secrets: the option outgoing is \[7\]/],
    [
      { except: { tool: "vault" } },
      /mask-secrets: the option except is \{"tool":"vault"\}, expected a list/,
    ],
    [
      { outgoing: ["exec"] },
      /mask-secrets: the option outgoing is \["exec"\], expected args = "mask" or/,
    ],
    [
      { outgoing: [], args: "off" },
      /mask-secrets: the option outgoing is \[\], expected args = "mask" or/,
    ],
    [{ except: ["["] }, /\[/],
    [{ name: "my mask" }, /mask-secrets: the option name is "my mask", expected letters/],
    [{ notice: "no" }, /mask-secrets: the option notice is "no", expected true or false/],
  ],
  "keep-checks": [
    [
      { allowed: [] },
      "keep-checks: the option allowed is [], expected no option of that name; known options: allow, decision, protect",
    ],
    [
      { decision: "abort" },
      'keep-checks: the option decision is "abort", expected one of ask, deny',
    ],
  ],
  "path-guard": [
    [
      { root: ["."] },
      'path-guard: the option root is ["."], expected no option of that name; known options: allow, dynamic, protect, roots',
    ],
    [
      { dynamic: "maybe" },
      'path-guard: the option dynamic is "maybe", expected one of abort, allow, ask',
    ],
    [{ roots: "src" }, 'path-guard: the option roots is "src", expected a list of folders'],
    [{ roots: ["src/*"] }, 'the option roots is ["src/*"], expected a list of folders'],
    [{ protect: [""] }, 'the option protect is [""], expected a list of globs'],
    [{ allow: [true] }, "the option allow is [true], expected a list of globs"],
  ],
  "secret-guard": [
    [
      { levle: "strict" },
      'secret-guard: the option levle is "strict", expected no option of that name; known options: allow, deny, level, write',
    ],
    [
      { level: "high" },
      'secret-guard: the option level is "high", expected one of default, strict',
    ],
    [{ write: "no" }, 'secret-guard: the option write is "no", expected true or false'],
    [{ allow: ".env" }, 'secret-guard: the option allow is ".env", expected a list of globs'],
    [{ deny: [1] }, "secret-guard: the option deny is [1], expected a list of globs"],
    [{ deny: ["["] }, 'secret-guard: the option deny is ["["], expected a list of globs'],
    [
      { allow: ["!*.pem"] },
      'secret-guard: the option allow is ["!*.pem"], expected a list of globs',
    ],
  ],
  "self-guard": [
    [{ states: [] }, 'self-guard: unknown option "states"'],
    [{ state: "/x" }, "self-guard: option state is not a table"],
  ],
  "shell-guard": [
    [
      { enable: ["kubernets"] },
      'enable is "kubernets", expected names of packs or rules; did you mean "kubernetes"?',
    ],
    [{ disable: ["git.push-forced"] }, 'did you mean "git.push-force"?'],
    [{ disable: ["push-force"] }, 'did you mean "git.push-force"?'],
    [{ enable: ["kubernetes.delet"] }, 'did you mean "kubernetes.delete"?'],
    [{ disable: ["*"] }, 'the option disable is "*", expected names of packs or rules'],
    [{ enable: "git" }, 'the option enable is "git", expected a list of texts'],
    [{ disable: [1] }, "the option disable is [1], expected a list of texts"],
    [
      { levels: "strict" },
      'the option levels is "strict", expected no option of that name; known options: allow, disable, dynamic, enable',
    ],
    [
      { level: "Strict" },
      'the option level is "Strict", expected one of default, paranoid, strict',
    ],
    [{ level: 2 }, "the option level is 2, expected"],
    [{ dynamic: "deny" }, 'the option dynamic is "deny", expected one of abort, allow, ask'],
    [{ dynamic: true }, "the option dynamic is true, expected"],
    [{ roots: "." }, 'the option roots is ".", expected a list of texts'],
    [{ roots: [1] }, "the option roots is [1], expected a list of texts"],
    [{ roots: [""] }, 'the option roots is [""], expected a list of texts'],
    [{ roots: { a: "." } }, "expected a list of texts"],
    [{ allow: "git *" }, 'the option allow is "git *", expected a list of texts'],
    [{ allow: ["*"] }, 'the option allow is "*", expected patterns that begin with a program'],
  ],
  "rate-limit": [
    [{ maxx: 3 }, "rate-limit: the option maxx is 3, expected no option of that name"],
    [{ max: false }, "rate-limit: the option max is false, expected a whole number from 1"],
    [{ window_ms: 0.5 }, "the option window_ms is 0.5, expected a whole number from 1"],
  ],
  "narrow-caps": [[{ remove: "8" }, 'narrow-caps: the option remove is "8", expected a whole']],
  "mid-stream": [
    [{ kind: "" }, 'mid-stream: the option kind is "", expected a text'],
    [{ strategy: "x" }, 'the option strategy is "x", expected one of tool_result, user_message'],
  ],
  reminders: [[{ tags: "x" }, "reminders: the option tags is"]],
};
