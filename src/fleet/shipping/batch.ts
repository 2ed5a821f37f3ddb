import { isShaped, isText, type Json, type JsonObject, objectIn } from "../../core/index.ts";
import { sha256 } from "../../machine/index.ts";

/** Which log of which machine something is of. */
export interface LogName {
  /** Of the state folder of one user of one machine. */
  readonly machine: string;
  /** Of the log's folder on that machine. */
  readonly log: string;
}

/** The first line of a batch: what follows, and where it is in the chain. */
export interface BatchHeader extends LogName {
  /** The number of the last line that the receiver has confirmed before; 0 at the start of a chain. */
  readonly after: number;
  /** The numbers of the first and the last line. */
  readonly first: number;
  readonly last: number;
  /** The hash of the line before the first one, as that states it. */
  readonly prev: string;
  /** The hash of the last line. */
  readonly head: string;
  /** SHA-256 of all before it: the same lines of the same log have the same id. */
  readonly id: string;
}

/** Marks a line that is a header, and one that is a status. */
const BATCH = "orcs_batch";
const STATUS = "orcs_status";

/** A header as a line, without its newline. */
export function batchLine(header: Omit<BatchHeader, "id">): { text: string; id: string } {
  return sealed({ [BATCH]: 1, ...header });
}

/** The status of a machine as a line, without its newline. */
export function statusLine({ machine, log }: LogName, time: string, status: JsonObject): string {
  return sealed({ [STATUS]: 1, machine, log, time, ...status }).text;
}

/** A line of orcs that is not of a log. */
export type EnvelopeLine =
  | { readonly is: "batch"; readonly header: BatchHeader }
  | { readonly is: "status"; readonly machine: string; readonly status: JsonObject }
  | { readonly is: "changed" };

/** Read a header or a status; undefined for any other line. */
export function readEnvelope(text: string): EnvelopeLine | undefined {
  if (!text.startsWith(`{"${BATCH}":`) && !text.startsWith(`{"${STATUS}":`)) return undefined;
  const record = objectIn(text);
  if (!record || !isSealed(text, record["id"])) return { is: "changed" };
  const { machine } = record;
  if (typeof machine !== "string") return { is: "changed" };
  if (record[STATUS] === 1) return { is: "status", machine, status: record };
  return isHeader(record) ? { is: "batch", header: record } : { is: "changed" };
}

function isHeader(record: JsonObject): record is JsonObject & BatchHeader {
  const numbers = {
    after: Number.isSafeInteger,
    first: Number.isSafeInteger,
    last: Number.isSafeInteger,
  };
  return (
    record[BATCH] === 1 && isShaped(record, { ...numbers, log: isText, prev: isText, head: isText })
  );
}

function sealed(members: JsonObject): { text: string; id: string } {
  const start = JSON.stringify(members).slice(0, -1);
  const id = sha256(start);
  return { text: `${start},"id":"${id}"}`, id };
}

function isSealed(text: string, id: Json | undefined): boolean {
  if (typeof id !== "string") return false;
  const end = `,"id":"${id}"}`;
  return text.endsWith(end) && sha256(text.slice(0, -end.length)) === id;
}
