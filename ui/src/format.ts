/** A duration in milliseconds, short. */
export function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The time of day of a moment, with milliseconds. */
export function clock(at: number): string {
  const time = new Date(at);
  const two = (n: number): string => String(n).padStart(2, "0");
  const ms = String(time.getMilliseconds()).padStart(3, "0");
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${ms}`;
}

/** The time of day; of another day, its date as well. */
export function moment(at: number): string {
  const day = new Date(at);
  if (day.toDateString() === new Date().toDateString()) return clock(at);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${two(day.getMonth() + 1)}-${two(day.getDate())} ${clock(at).slice(0, 8)}`;
}

/** `agent::claude-code` as `claude-code`. */
export function agentName(component: string): string {
  return component.replace(/^(agent|host)::/, "");
}

/** A value as JSON, short ones on one line. */
export function json(value: unknown): string {
  const line = JSON.stringify(value) ?? "nothing";
  return line.length <= 80 ? line : JSON.stringify(value, null, 2);
}

/** A text as it is; other values as JSON. */
export function plain(value: unknown): string {
  return typeof value === "string" ? value : json(value);
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
