import { InvalidArgumentError } from 'commander';

const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3_600 };

/** Reads a rate: `2000/s`, `90/min`, `5/h`; a number alone is a second's. @returns how many a second, over 0 */
export function rateArgument(text: string): number {
  const [, amount = '', unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/(s|min|h))?$/.exec(text) ?? [];
  const perSecond = amount === '' ? Number.NaN : Number(amount) / (SECONDS[unit] ?? 1);
  if (perSecond > 0 && perSecond < Infinity) return perSecond;
  throw new InvalidArgumentError('Write how many a second, minute or hour: 50/s, 90/min, 5/h.');
}

/** The option of each kind of budget that its number is. */
const BUDGET_KEYS = { ratio: 'ratio', 'token-bucket': 'capacity', throttle: 'maxTokens' } as const;

/** Reads a retry budget: `ratio:0.1`, `token-bucket:500`, `throttle:10`, or all of its options as JSON. */
export function budgetArgument(text: string): object {
  if (text.startsWith('{')) return readJson(text);
  const [, kind = '', number] = /^([a-z-]+)(?::(\d*\.?\d+))?$/.exec(text) ?? [];
  for (const [type, key] of Object.entries(BUDGET_KEYS)) {
    if (type === kind) return { type, ...(number !== undefined && { [key]: Number(number) }) };
  }
  throw new InvalidArgumentError('Write ratio:0.1, token-bucket:500, throttle:10, or its options as JSON.');
}

function readJson(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Write ratio:0.1, or JSON such as {"type":"ratio","ratio":0.1}.');
  }
}
