/** A call as it is written in code: `wait_random(min=1, max=2)`. */
export interface Call {
  readonly name: string;
  /** The arguments by the names of the parameters, whether they were written by position or by name. */
  readonly given: Readonly<Record<string, number>>;
}

/** Reads an argument, a number or text without its quotes; `undefined` if it is none. */
type ReadArgument = (written: number | string) => number | undefined;

/** The functions that may be called, with their parameters in order. */
export type Signatures = Readonly<Record<string, Readonly<Record<string, ReadArgument>>>>;

/** Returns a function that reads calls of these, joined in any way: `wait_fixed(3) + wait_random(0, 2)`; `undefined` for anything else. */
export function callsOf(signatures: Signatures): (written: unknown) => readonly Call[] | undefined {
  return (written) => {
    if (typeof written !== 'string') return undefined;
    const calls = [...written.matchAll(/([A-Za-z_]\w*)\s*\(([^()]*)\)/g)].map(([, name = '', inner = '']) =>
      callOf(name, inner, signatures),
    );
    const rest = written.replace(/[A-Za-z_.]*\w*\s*\([^()]*\)/g, '').replace(/[\s+.,>|&;]/g, '');
    const isWhole = calls.length > 0 && rest === '' && calls.every((call) => call !== undefined);
    return isWhole ? calls : undefined;
  };
}

function callOf(name: string, inner: string, signatures: Signatures): Call | undefined {
  if (!Object.hasOwn(signatures, name)) return undefined;
  const parameters = signatures[name] ?? {};
  const names = Object.keys(parameters);
  const parts = inner
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const entries = parts.map((part, index) => {
    const [, key = names[index] ?? '', text = part] = /^(\w+)\s*=\s*(.*)$/.exec(part) ?? [];
    const read = Object.hasOwn(parameters, key) ? parameters[key] : undefined;
    return [key, read?.(argumentOf(text))] as const;
  });
  if (entries.some(([, value]) => value === undefined)) return undefined;
  return { name, given: Object.fromEntries(entries) as Call['given'] }; // none is undefined
}

function argumentOf(text: string): number | string {
  const bare = text.replace(/^(["'])(.*)\1$/, '$2');
  const plain = bare.replaceAll('_', '');
  return plain !== '' && Number.isFinite(Number(plain)) ? Number(plain) : bare;
}

/** Reads a number ≥ 0. */
export function asAmount(written: number | string): number | undefined {
  return typeof written === 'number' && written >= 0 ? written : undefined;
}
