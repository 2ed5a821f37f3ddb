import * as fc from "fast-check";
import { literal, quoted, variable, word, words } from "./random-words.ts";

/**
 * Command lines that may run `zap`, a program of the test's own, in many ways, and nothing that does harm: no word
 * in them is the name of a program.
 */
export function randomLines(depth: number): fc.Arbitrary<string> {
  return fc.array(statement(depth), { minLength: 1, maxLength: 5 }).map((all) => all.join("\n"));
}

const zapName = fc.oneof(
  { weight: 8, arbitrary: fc.constant("zap") },
  fc.constantFrom(
    "'zap'",
    "z\\ap",
    'z"a"p',
    "$Z",
    "${Z}",
    '"$Z"',
    "${U:-zap}",
    "$(echo zap)",
    "`echo zap`",
    "${Z:-qno}",
    "z{,}ap",
    "${Y#q}",
    "$'z\\141p'",
    "$W",
  ),
);

const call = fc.tuple(zapName, words).map(([name, rest]) => `${name} ${rest}`);

const assignment = fc.oneof(
  fc.tuple(variable, word).map(([name, value]) => `${name}=${value}`),
  fc.tuple(variable, word).map(([name, value]) => `${name}+=${value}`),
  fc.constantFrom(
    "Z=zap",
    "Z=true",
    "Z=qno",
    "Y=qzap",
    "W='zap qw'",
    "W='true qw'",
    "IFS=:",
    "IFS=q",
    "IFS=' '",
    "unset IFS",
    "i=1",
    "((i=2))",
    "let i=0",
  ),
  words.map((all) => `L=(${all})`),
  words.map((all) => `L+=(${all})`),
  words.map((all) => `set -- ${all}`),
  fc.constantFrom(
    "shift",
    "shift 2",
    "set -f",
    "set +f qa",
    "L[1]=qz",
    "unset A",
    "unset 'L[0]'",
    "cd qdir",
    "cd qdir/sub",
    "cd ..",
    "cd -",
    "pushd qdir",
  ),
  fc.tuple(variable, word).map(([name, value]) => `export ${name}=${value}`),
  fc.tuple(variable, word).map(([name, value]) => `declare ${name}=${value}`),
  fc.tuple(variable, literal).map(([name, value]) => `read ${name} <<< ${value}`),
  fc.tuple(variable, literal).map(([name, value]) => `printf -v ${name} ${value}`),
  fc.tuple(variable, literal).map(([name, value]) => `printf -v ${name} '%s' ${value}`),
);

const condition = fc.constantFrom(
  "true",
  "false",
  ":",
  '[ "$A" = qa ]',
  "[[ $A == q* ]]",
  "zap q",
  "cd qdir",
  "A=qb",
  "! true",
  "Z=zap",
  "Z=true",
  "((i))",
);

/** Statements whose variables are those of the line. */
function statement(depth: number): fc.Arbitrary<string> {
  const simple = fc.oneof({ weight: 4, arbitrary: call }, { weight: 4, arbitrary: assignment });
  if (depth === 0) return simple;
  const inner = statement(depth - 1);
  const block = fc.array(inner, { minLength: 1, maxLength: 3 }).map((all) => all.join("\n"));
  const few = fc.tuple(inner, inner).map((all) => all.join("; "));
  return fc.oneof(
    { weight: 6, arbitrary: simple },
    fc.tuple(assignment, inner).map(([one, other]) => `${one}; ${other}`),
    fc
      .tuple(condition, block, block)
      .map(([test, yes, no]) => `if ${test}; then ${yes}\nelse ${no}\nfi`),
    fc
      .tuple(condition, block, condition, block)
      .map(([one, yes, other, no]) => `if ${one}; then ${yes}\nelif ${other}; then ${no}\nfi`),
    fc
      .tuple(fc.constantFrom(";;", ";&", ";;&"), block, block)
      .map(([end, one, other]) => `case $A in qa|q*) ${one}\n${end}\n*) ${other}\n;;\nesac`),
    fc
      .tuple(variable, words, block)
      .map(([name, all, body]) => `for ${name} in ${all}; do ${body}\ndone`),
    fc
      .tuple(block, fc.constantFrom("break", "continue", "true"))
      .map(([body, jump]) => `for k in 1 2; do ${body}\n${jump}; A=qq; Z=true\ndone`),
    fc
      .tuple(block, block)
      .map(
        ([one, other]) =>
          `n=; while [ "$n" != xx ]; do n=x$n; ${one}\n[ "$A" = qa ] && break\n${other}\ndone`,
      ),
    fc
      .tuple(
        block,
        fc.constantFrom("", "return", "local A=qlocal; Z=zap", '[ "$1" = qa ] && return'),
      )
      .map(([body, more]) => `f() { ${body}\n${more}\nZ=true\n}`),
    words.map((all) => `f ${all}`),
    fc.tuple(assignment, words).map(([, all]) => `A=qe B=$A f ${all}`),
    fc
      .tuple(block, words)
      .map(([body, all]) => `g() { local B=qg; ${body}\n}; g ${all}; unset -f g`),
    block.map((body) => `( ${body}\n)`),
    block.map((body) => `{ ${body}\n}`),
    block.map((body) => `true | { ${body}\n}`),
    fc.tuple(condition, inner).map(([test, body]) => `${test} && { ${body}\n}`),
    fc
      .tuple(condition, inner, inner)
      .map(([test, yes, no]) => `${test} && { ${yes}\n} || { ${no}\n}`),
    fc
      .tuple(
        fc.constantFrom("sh -c", "bash -c", "bash -ec", "sh -xc", "eval", "bash +x -c"),
        few,
        words,
      )
      .map(
        ([shell, script, all]) =>
          `${shell} ${quoted(script)}${shell === "eval" ? "" : ` q ${all}`}`,
      ),
    fc
      .tuple(fc.constantFrom("sh -c", "eval", "bash -c --"), call)
      .map(([shell, script]) => `${shell} "${script.replaceAll(/["\\`]/g, "\\$&")}"`),
    few.map((script) => `bash <<'EOF'\n${script}\nEOF`),
    call.map((script) => `sh <<EOF\n${script}\nEOF`),
    few.map((script) => `. /dev/stdin <<< ${quoted(script)}`),
    few.map((script) => `echo ${quoted(script)} | sh`),
    few.map((script) => `bash <(echo ${quoted(script)})`),
    few.map((script) => `trap ${quoted(script)} EXIT`),
    fc
      .tuple(
        fc.constantFrom(
          "env A=qv",
          "env -u A",
          'env -i PATH="$PATH"',
          "nice -n 1",
          "timeout 9",
          "command",
          "exec",
          "nohup",
          "A=qp B=qq",
          "time",
          "! ",
          "setsid -w",
          "command -p",
          "builtin command",
          "stdbuf -oL",
          "env -",
          "eval",
        ),
        call,
      )
      .map(
        ([wrapper, body]) => `( ${wrapper === "env -" ? 'env - PATH="$PATH"' : wrapper} ${body}\n)`,
      ),
    fc
      .tuple(
        fc.constantFrom("", "-n1", "-n 2", "-I{}", "-I {} -t", "-L1", "-d :", "-r"),
        words,
        words,
      )
      .map(([options, all, rest]) => `echo ${all} | xargs ${options} zap ${rest} {}q`),
    fc
      .tuple(fc.constantFrom("{} \\;", "{} +", "q{}/r \\;", "\\;"), words)
      .map(([end, all]) => `find . -maxdepth 0 -exec zap ${all} ${end}`),
    call.map((body) => `find . -maxdepth 0 -exec sh -c ${quoted(body)} {} \\;`),
    fc
      .tuple(words, call)
      .map(([all, body]) => `echo ${all} | xargs -I{} sh -c ${quoted(`${body} {}`)}`),
    few.map((body) => `export A B C Z; sh -c ${quoted(body)}`),
    fc
      .tuple(call, assignment)
      .map(([body, set]) => `f2() { ${body}\n}; export -f f2; ${set}; bash -c 'f2 qa'`),
    call.map((body) => `command eval ${quoted(`Z=zap; ${body}`)}`),
    fc.constantFrom(
      "zap() { true; }",
      "unset -f zap",
      "true() { zap qtrue; }",
      "alias zap=true",
      "echo() { printf zap; }",
    ),
  );
}
