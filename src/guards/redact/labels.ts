import { MASK, wordSet } from "../../core/index.ts";
import { isGeneratedName, isTellingName } from "./key-names.ts";

/** Texts that people read, in the place of a value: names of fields, messages, translations. */

/** What `password` and the like are called in other languages, as in the texts of a user interface. */
const TRANSLATED = wordSet(`
  password passwort passwörter kennwort senha wachtwoord wachtwoorden adgangskode passord
  salasana heslo parola geslo lozinka contrasenya token tokens jeton
  secret geheimnis secreto segreto clave cookies cookie pasahitza parolă
  sandi credentials zugangsdaten
`);

/** The name of a field as people read it: `Mot de passe`, `API Key`, `Пароль`. */
export function isLabel(value: string, name: string): boolean {
  if (TRANSLATED.has(value.toLowerCase()) && /^\p{Lu}/u.test(value)) return true;
  if (isSentence(value, name)) return true;
  if (!/^[\p{L}\p{M}][\p{L}\p{M}\s'’.,:!?*()/-]*$/u.test(value)) return false;
  // A password in another alphabet is rare, and its name in a translation is not.
  if (!isAscii(value) && (isGeneratedName(name) || !/^[A-Z_]+$/.test(name))) return true;
  if (!/^[A-Z]/.test(value) || !value.includes(" ")) return false;
  if (isTellingName(value.replaceAll(" ", "_"))) return true;
  return value
    .split(" ")
    .slice(1)
    .every((word) =>
      /^(?:[a-z'’.,:!?()/-]+|[A-Z]{2,5}|Keys?|Tokens?|Password|Secrets?|Cookies?|Access|Client|Secret)[.:!?…]*$/.test(
        word,
      ),
    );
}

function isAscii(text: string): boolean {
  return !/[^ -~\s]/.test(text);
}

/** Marks beside a word of a sentence. */
const MARKS_BEFORE = /^(?:[\s"'“”„«»‘’([*_`>:-]|\\["'])+/;
const MARKS_AFTER = /(?:[\s"'“”„«»‘’.,:;!?…)\]*_`-]|\\["'])+$/;
/** Between the letters of some alphabets. */
const JOINERS = /\u200c|\u200d/g;
/** A placeholder of several words, and quotation marks within a word. */
const PLACEHOLDER = /\{[A-Za-z]\w*(?: \w+){0,3}\}/g;
const INNER_MARKS = /(?<=\p{L})\\?["“”„«»](?=-?\p{L})/gu;
/** A word, a number, a placeholder, a name of a variable or of a host, a tag. */
const WORD =
  /^(?:[\p{L}\p{M}][\p{L}\p{M}'’/&.-]*|\d{1,4}\p{L}*|[vV]?\d{1,3}(?:\.\d{1,3})*|OAuth\d|SHA-?\d{1,3}|Base64|MD5|[SE]C?[23]|IPv[46]|[\p{Lu}-]{2,}:\p{Ll}{1,4}|\{\w*\}[\p{L}'’/{}-]*|%[sd@]|\$\{\w*\}|<\/?\w+>.*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:-\p{L}+)?|[\w-]+\.[\w.-]*[a-z]{2,4}(?:\/[\w/-]*)?)$/u;
/** Passphrases, and the words that restore a key, have no other marks and are at least this many. */
const PHRASE = 8;

/**
 * Whether a text is a sentence or the name of something. A key or a token has no spaces. A password may have some, so
 * its text must show that people read it: by a capital, a mark, a placeholder, another alphabet.
 */
export function isSentence(value: string, name: string): boolean {
  // What stands beside a mask is a part of what was masked.
  if ((!/\s/.test(value) && isAscii(value)) || value.includes(MASK)) return false;
  if (isCommandLine(value)) return true;
  const words = value
    .replaceAll(PLACEHOLDER, "{x}")
    .replaceAll(INNER_MARKS, "")
    .split(/\s+/)
    .map((word) => word.replaceAll(JOINERS, "").replace(MARKS_BEFORE, "").replace(MARKS_AFTER, ""))
    .filter((word) => word !== "");
  if (words.length === 0 || !words.some((word) => /\p{L}{3}|[^\0-\u02ff]/u.test(word)))
    return false;
  if (!words.every((word) => WORD.test(word) || isForeign(word))) return false;
  const isPlain = /^[a-z]+(?: [a-z]+)*$/.test(value);
  if (isPlain && words.length >= PHRASE) return false;
  if (isGeneratedName(name)) return words.length > 1 || !isAscii(value);
  if (words.some(isForeign) && !/^[A-Z_]+$/.test(name)) return true;
  if (/[.!?:]\s*$|\{\w*\}|%[sd@]/.test(value)) return true;
  if (/^\p{Lu}/u.test(value)) return /\s\p{Ll}/u.test(value);
  return words.length > 1 && words.some((word) => isTellingName(word));
}

/** Words of alphabets without spaces, with the Latin words among them. */
function isForeign(word: string): boolean {
  const letters = word.match(/[^\0-\u02ff]/gu)?.length ?? 0;
  return (
    letters > 0 && letters * 2 >= word.replaceAll(/[\w{}.-]+/g, "").length && !/\d{5}/.test(word)
  );
}

/** A script of a package: `node extra/reset-password.js`. */
function isCommandLine(value: string): boolean {
  return (
    /^[a-z][\w-]{1,20} /.test(value) &&
    /[ "](?:[\w.-]+\/)+[\w.*-]+\.[a-z]{1,5}(?=$|[\\" ])/.test(value)
  );
}

/** How far the entries beside a value are looked at, in characters and in number. */
const AROUND = 700;
const LEAST_AROUND = 4;
const MOST_OTHERS = 0.25;
const ENTRY = /^\s*["']?[^"'\n]{1,80}?["']?\s*(?::|=>?)\s*["']?([^"'\n]{2,200}?)["']?,?\s*$/;

/** Whether a word stands in a list of texts, as in a file of translations: `"password": "Pasfhocal"`. */
export function isAmongLabels(text: string, from: number, to: number): boolean {
  if (!/^[\p{L}\p{M}][\p{L}\p{M}\s'’.,:!?*()/{}&-]*$/u.test(text.slice(from, to))) return false;
  const before = text
    .slice(Math.max(0, from - AROUND), from)
    .split("\n")
    .slice(1, -1);
  const after = text
    .slice(to, to + AROUND)
    .split("\n")
    .slice(1, -1);
  const values = [...before, ...after].flatMap((line) => ENTRY.exec(line)?.[1] ?? []);
  const labels = values.filter((value) => /^\p{Lu}\p{Ll}|^[^\0-\u02ff]|\p{L} \p{L}/u.test(value));
  return (
    labels.length >= LEAST_AROUND && values.length - labels.length <= MOST_OTHERS * values.length
  );
}
