/** A call as it is written in code: `wait_random(min=1, max=2)`. */
export interface Call {
  readonly name: string;
  /** Numbers, and other texts without their quotes. */
  readonly args: readonly (number | string)[];
  readonly named: Readonly<Record<string, number | string>>;
}

/** Reads calls that are joined in any way: `wait_fixed(3) + wait_random(0, 2)`; `undefined` for anything else. */
export function readCalls(written: unknown): readonly Call[] | undefined {
  if (typeof written !== 'string') return undefined;
  const calls = [...written.matchAll(/([A-Za-z_]\w*)\s*\(([^()]*)\)/g)].map(([, name = '', inner = '']) =>
    callOf(name, inner),
  );
  const rest = written.replace(/[A-Za-z_.]*\w*\s*\([^()]*\)/g, '').replace(/[\s+.,>|&;]/g, '');
  return calls.length > 0 && rest === '' ? calls : undefined;
}

function callOf(name: string, inner: string): Call {
  const parts = inner
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const named = parts.filter((part) => /^\w+\s*=/.test(part)).map((part) => part.split(/\s*=\s*/, 2));
  return {
    name,
    args: parts.filter((part) => !/^\w+\s*=/.test(part)).map(argumentOf),
    named: Object.fromEntries(named.map(([key = '', text = '']) => [key, argumentOf(text)])),
  };
}

function argumentOf(text: string): number | string {
  const plain = text.replace(/^(["'])(.*)\1$/, '$2').replaceAll('_', '');
  return plain !== '' && Number.isFinite(Number(plain))
    ? Number(plain)
    : text.replace(/^(["'])(.*)\1$/, '$2');
}
