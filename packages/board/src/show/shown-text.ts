import type { ShownText } from '../api.ts';
import type { Mask, Maskable } from './mask.ts';

/** How a value is shown. */
export interface Showing {
  /** Absent: as it is stored. */
  readonly mask: Mask | undefined;
  /** The most characters. */
  readonly limit: number;
}

/** Returns a value as text: JSON with line breaks, or text as it is. Cut where it is long. */
export function shownText(shown: Maskable, { mask, limit }: Showing): ShownText {
  const masked = mask === undefined ? shown.value : mask(shown);
  const write =
    typeof shown.value === 'string' && shown.kind !== 'payload' && shown.kind !== 'result' ? String : json;
  const text = write(masked);
  return {
    text: cut(text, limit),
    length: text.length,
    isCut: text.length > limit,
    isMasked: mask !== undefined && text !== write(shown.value),
  };
}

/** Returns at most `limit` UTF-16 units of a text, no half character at its end. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const isHalf = /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '');
  return text.slice(0, isHalf ? limit - 1 : limit);
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '(nested too deeply to be shown)';
  }
}
