import { around, type Rule, type Word } from "./draft.ts";
import { singleQuoted } from "../../core/index.ts";

/** The script, ended so that more can follow on the same line, or after the here-document that it may have. */
function ended(script: string): string {
  if (script.includes("\n")) return `${script}\n`;
  return script.endsWith("&") ? `${script} ` : `${script}; `;
}

/** The script as one command. */
function grouped(script: string): string {
  return `{ ${ended(script)}}`;
}

/** Lists, pipes and compound commands. */
const GRAMMAR: readonly Rule[] = [
  around("; behind", (script) => `${ended(script)}:`),
  around("; in front", (script) => `: ; ${script}`),
  around("no blank before", (script) => `:;${script}`),
  around("line break in front", (script) => `:\n${script}`),
  around("line break behind", (script) => `${script}\n:`),
  around("tabs", (script) => `\t ${script}`),
  around("comment behind", (script) => `${script} # done`),
  around("comment in front", (script) => `# ok\n${script}`),
  around("comment with a quote", (script) => `# it's\n${script}`),
  around("&&", (script) => `true && ${grouped(script)}`),
  around("&& behind", (script) => `${grouped(script)} && echo ok`),
  around("||", (script) => `false || ${grouped(script)}`),
  around("|| behind", (script) => `${grouped(script)} || true`),
  around("&", (script) => `${grouped(script)} & wait`),
  around("& in front", (script) => `: & ${script}`),
  around("| behind", (script) => `${grouped(script)} | cat`),
  around("| in front", (script) => `echo y | ${grouped(script)}`),
  around("|&", (script) => `${grouped(script)} |& cat`),
  around("!", (script) => `! ${grouped(script)}`),
  around("{ }", grouped),
  around("( )", (script) => `( ${ended(script)})`),
  around("( ) without blanks", (script) =>
    script.includes("\n") ? `(${script}\n)` : `(${script})`,
  ),
  around("( ( ) )", (script) => `( ( ${ended(script)}) )`),
  around("if", (script) => `if true; then ${ended(script)}fi`),
  around("if condition", (script) => `if ${ended(script)}then :; fi`),
  around("else", (script) => `if false; then :; else ${ended(script)}fi`),
  around("elif", (script) => `if false; then :; elif ${ended(script)}then :; fi`),
  around("while condition", (script) => `while ${grouped(script)}; do break; done`),
  around("while", (script) => `while true; do ${ended(script)}break; done`),
  around("until", (script) => `until false; do ${ended(script)}break; done`),
  around("for", (script) => `for i in 1; do ${ended(script)}done`),
  around("for ((", (script) => `for ((i=0; i<1; i++)); do ${ended(script)}done`),
  around("for of braces", (script) => `for i in {1..2}; do ${ended(script)}done`),
  around("select", (script) => `echo 1 | select i in a; do ${ended(script)}break; done`),
  around(
    "case",
    (script) => `case x in x) ${script.includes("\n") ? `${script}\n` : script} ;; esac`,
  ),
  around("case of *", (script) => `case $HOME in a) ;; (*) ${ended(script)}esac`),
  around("time", (script) => `time ${grouped(script)}`),
  around("coproc", (script) => `coproc ${grouped(script)}; wait`),
  around("[[ ]]", (script) => `[[ -n x ]] && ${grouped(script)}`),
  around("(( ))", (script) => `((1)) && ${grouped(script)}`),
  around("cd", (script) => `cd /tmp && ${grouped(script)}`),
  around("set -e", (script) => `set -e; ${script}`),
  around("assignments in front", (script) => `A=1 B="x y"; ${script}`),
];

/** Functions, aliases and traps. */
const DEFINITIONS: readonly Rule[] = [
  around("function", (script) => `f() { ${ended(script)}}; f`),
  around("function keyword", (script) => `function g { ${ended(script)}}; g`),
  around("function of ( )", (script) => `h() ( ${ended(script)}); h`),
  around("function in a function", (script) => `k() { l() { ${ended(script)}}; l; }; k`),
  around("function named as a program", (script) => `ls() { ${ended(script)}}; ls -la`),
  around("exported function", (script) => `m() { ${ended(script)}}; export -f m; bash -c m`),
  around("alias", (script) => `shopt -s expand_aliases\nalias al=${singleQuoted(script)}\nal`),
  around("trap", (script) => `trap ${singleQuoted(script)} EXIT`),
  around("trap DEBUG", (script) => `trap ${singleQuoted(script)} DEBUG\n:`),
  around("trap ERR", (script) => `trap ${singleQuoted(script)} ERR; false`),
];

/** Scripts that a shell reads. */
const INPUTS: readonly Rule[] = [
  around("here-string", (script) => `bash <<< ${singleQuoted(script)}`),
  around("here-document", (script) => `bash <<'EOF'\n${script}\nEOF`),
  around("here-document with tabs", (script) => `sh <<-'END'\n\t${script}\n\tEND`),
  around("here-document behind cat", (script) => `cat <<'EOT' | bash\n${script}\nEOT`),
  around("bash -s", (script) => `bash -s x <<< ${singleQuoted(script)}`),
  around("echo | bash", (script) => `echo ${singleQuoted(script)} | bash`),
  around("printf | sh", (script) => `printf '%s\\n' ${singleQuoted(script)} | sh`),
  around(
    "echo | base64 -d | bash",
    (script) => `echo ${Buffer.from(script).toString("base64")} | base64 -d | bash`,
  ),
  around(
    "rev | bash",
    (script) => `rev <<< ${singleQuoted(Array.from(script).toReversed().join(""))} | bash`,
  ),
  around("source <(echo)", (script) => `source <(echo ${singleQuoted(script)})`),
  around(". /dev/stdin", (script) => `. /dev/stdin <<< ${singleQuoted(script)}`),
  around("bash <(echo)", (script) => `bash <(echo ${singleQuoted(script)})`),
  around("eval $(echo)", (script) => `eval "$(echo ${singleQuoted(script)})"`),
  around("eval $X", (script) => `Z=${singleQuoted(script)}; eval "$Z"`),
  around("bash -c $X", (script) => `export Z2=${singleQuoted(script)}; bash -c "$Z2"`),
  around("bash -c '$X'", (script) => `export Z3=${singleQuoted(script)}; bash -c 'eval "$Z3"'`),
  around("xargs of lines", (script) => `echo ${singleQuoted(script)} | xargs -d '\\n' sh -c`),
  around("file", (script) => `echo ${singleQuoted(script)} > s.sh; sh s.sh`),
  around(
    "file by tee",
    (script) => `echo ${singleQuoted(script)} | tee t.sh > /dev/null && bash ./t.sh`,
  ),
  around(
    "file, made executable",
    (script) =>
      `printf '#!/bin/sh\\n%s\\n' ${singleQuoted(script)} > u.sh && chmod +x u.sh && ./u.sh`,
  ),
  around("BASH_ENV", (script) => `echo ${singleQuoted(script)} > v.sh; BASH_ENV=v.sh bash -c :`),
];

/** Substitutions in which the script runs. */
const SUBSTITUTED: readonly Rule[] = [
  around("$( )", (script) => `echo $(${ended(script)})`),
  around('"$( )"', (script) => `echo "x $(${ended(script)}) y"`),
  around("assignment of $( )", (script) => `out=$(${ended(script)})`),
  around("` `", (script) => `echo \`${script.replaceAll(/[`\\$]/g, "\\$&")}\n\``),
  around("<( )", (script) => `cat <(${ended(script)})`),
  around(">( )", (script) => `echo x > >(${ended(script)})`),
  around("${x:-$( )}", (script) => `echo "\${NONE:-$(${ended(script)})}"`),
  around("$(( ))", (script) => `echo $(( $(${ended(script)}echo 1) + 1 ))`),
  around("[[ $( ) ]]", (script) => `[[ -z $(${ended(script)}) ]]`),
  around("case $( )", (script) => `case $(${ended(script)}) in *) ;; esac`),
  around("for in $( )", (script) => `for i in $(${ended(script)}); do :; done`),
  around("here-document of $( )", (script) => `cat <<EOF\n$(${ended(script)})\nEOF`),
  around("here-string of $( )", (script) => `cat <<< "$(${ended(script)})"`),
  around("redirection of $( )", (script) => `: > "x$(${ended(script)})"`),
  around("array index of $( )", (script) => `q[$(${ended(script)}echo 1)]=1`),
  around("PS4", (script) => `PS4='$(${singleQuoted(ended(script)).slice(1, -1)})'; set -x; :`),
  around(
    "${x@P}",
    (script) => `pr='$(${singleQuoted(ended(script)).slice(1, -1)})'; echo "\${pr@P}"`,
  ),
];

/** A rule that adds something that is no word of the command: a redirection or an assignment. */
function beside(name: string, shown: string, place: "first" | "inside" | "last"): Rule {
  return {
    name,
    kind: "around",
    apply: (draft) => {
      if (draft.kind !== "words") return undefined;
      const added: Word = { text: "", shown };
      const { words } = draft;
      const at = place === "first" ? 0 : place === "last" ? words.length : 1;
      return { ...draft, words: [...words.slice(0, at), added, ...words.slice(at)] };
    },
  };
}

const BESIDE: readonly Rule[] = [
  beside("> behind", ">/dev/null", "last"),
  beside("2>&1", "2>&1", "last"),
  beside("&>", "&> out", "last"),
  beside(">>", ">> out", "last"),
  beside(">|", ">| out", "last"),
  beside("< in front", "</dev/null", "first"),
  beside("> inside", ">/dev/null", "inside"),
  beside("2> inside", "2>/dev/null", "inside"),
  beside("{fd}>", "{fd}>/dev/null", "last"),
  beside("<<<", "<<< y", "last"),
  beside("3<&0", "3<&0", "inside"),
  beside("assignment", "A=1", "first"),
  beside("assignment with blanks", "B='x y'", "first"),
  beside("assignment of $(echo)", "C=$(echo 1)", "first"),
  beside("array assignment", "D[0]=1", "first"),
  beside("an empty variable", "$NONE", "first"),
  beside("an empty $( )", "$()", "first"),
  beside("blanks inside", "  \t", "inside"),
  beside("line continuation between words", "\\\n", "inside"),
];

/** What can stand around a command in the grammar of the shell. */
export const AROUND_RULES: readonly Rule[] = [
  ...GRAMMAR,
  ...DEFINITIONS,
  ...INPUTS,
  ...SUBSTITUTED,
  ...BESIDE,
];
