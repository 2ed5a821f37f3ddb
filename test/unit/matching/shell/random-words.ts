import * as fc from "fast-check";

const LITERALS = [
  "qa",
  "qb",
  "qcd",
  "-r",
  "-xy",
  "/qd/e",
  "q.f",
  "0",
  "1",
  "2",
  "=",
  "q:r",
  "%",
] as const;
const VARIABLES = ["A", "B", "C"] as const;

export const literal = fc.constantFrom(...LITERALS);
export const variable = fc.constantFrom(...VARIABLES);
const number = fc.constantFrom("0", "1", "2", "-1");

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Text that is known without an expansion. */
const plain: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: literal },
  literal.map((text) => `'${text} q'`),
  literal.map((text) => `"${text}  q"`),
  literal.map((text) => `\\${text}`),
  fc.constantFrom(
    "''",
    '""',
    "$'q\\x61\\tb'",
    "$'\\162'",
    "q''b",
    'q"a"b',
    "q\\ a",
    '"q\\"\\$A\\\\b"',
    "'$A'",
    "~/q",
    "q~",
    "'~'",
  ),
);

function parameter(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const withWord = fc.constantFrom(":-", "-", ":+", "+", ":=", "=", "#", "##", "%", "%%");
  return fc.oneof(
    { weight: 4, arbitrary: variable.map((name) => `$${name}`) },
    variable.map((name) => `\${${name}}`),
    fc.tuple(variable, withWord, inner).map(([name, op, word]) => `\${${name}${op}${word}}`),
    fc
      .tuple(variable, fc.constantFrom("/", "//", "/#", "/%"), literal, literal)
      .map(([name, op, from, to]) => `\${${name}${op}${from.replaceAll("/", "")}/${to}}`),
    fc
      .tuple(variable, number, number)
      .map(([name, from, count]) => `\${${name}: ${from}:${count}}`),
    fc
      .tuple(variable, fc.constantFrom("^", "^^", ",", ",,", "#*q", "%q*", "##*q", "%%q*"))
      .map(([name, op]) => `\${${name}${op}}`),
    variable.map((name) => `\${#${name}}`),
    fc.constantFrom(
      "$1",
      "$2",
      "$#",
      "$*",
      "$@",
      "${@:2}",
      "${@:1:1}",
      "${L[0]}",
      "${L[1]}",
      "${L[-1]}",
      "${L[@]}",
      "${L[*]}",
      "${#L[@]}",
      "${L[@]:1}",
      "$L",
    ),
  );
}

function substitution(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    inner.map((word) => `$(echo ${word})`),
    literal.map((word) => `\`echo ${word} q\``),
    inner.map((word) => `$(printf '%s\\n' ${word})`),
    literal.map((word) => `$(printf '${word}\\x71\\0162%%')`),
    literal.map((word) => `$(cat <<< ${word})`),
    literal.map((word) => `$(echo ${word} | cat)`),
    literal.map((word) => `$(echo -e '${word}\\n\\0162\\x72')`),
    fc.constantFrom("$((1+1))", "$((i++))", "$(true)", "$(zap q)", "$(echo $(zap q))", "$(pwd)"),
  );
}

const simpleWord: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: plain },
  { weight: 3, arbitrary: parameter(plain) },
);

const unit: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: plain },
  { weight: 3, arbitrary: parameter(simpleWord) },
  { weight: 2, arbitrary: parameter(simpleWord).map((text) => `"${text}"`) },
  substitution(simpleWord),
  substitution(simpleWord).map((text) => `"${text}"`),
  fc.tuple(simpleWord, simpleWord).map(([one, other]) => `{${one},${other}}`),
  fc.constantFrom("{1..3}", "{03..01}", "{a..c}", "q{,b}", "{q}", "{a,b}{c,d}"),
);

export const word: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: unit },
  fc.tuple(unit, unit).map(([one, other]) => one + other),
);

export const words = fc.array(word, { maxLength: 3 }).map((all) => all.join(" "));
