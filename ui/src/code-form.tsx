import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface CodeFormProps {
  /** What the code is for: `Run it`. */
  readonly what: string;
  readonly canAsk?: boolean;
  /** Has the terminal of `orcs ui` show a code. */
  readonly ask: () => Promise<void>;
  readonly send: (code: string) => Promise<void>;
  readonly children?: ComponentChildren;
}

/** A button for what needs a code from the terminal, and the field for it. */
export function CodeForm({ what, canAsk = true, ask, send, children }: CodeFormProps) {
  const [isCoded, setCoded] = useState(false);
  const [code, setCode] = useState("");
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        void send(code);
      }}
    >
      {children}
      {canAsk && (
        <button type="button" onClick={() => void ask().then(() => setCoded(true))}>
          {isCoded ? "Another code" : `${what} …`}
        </button>
      )}
      {isCoded && (
        <>
          <input
            aria-label="Code"
            placeholder="Code from the terminal"
            autocomplete="off"
            value={code}
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
          />
          <button type="submit" disabled={code === ""}>
            {what}
          </button>
        </>
      )}
    </form>
  );
}
