import { stripVTControlCharacters, styleText } from 'node:util';
import type { OutputStream } from '../environment.ts';

/** A style of text that is used for a meaning. */
export type Style = 'strong' | 'quiet' | 'good' | 'warning' | 'bad' | 'accent';

const FORMATS = {
  strong: 'bold',
  quiet: 'dim',
  good: 'green',
  warning: 'yellow',
  bad: 'red',
  accent: 'cyan',
} as const satisfies Record<Style, string>;

/** Where text is shown. */
export interface Screen {
  /** Columns, ≥ 40. */
  readonly width: number;
  /** Returns the text in a style; unchanged where there is no colour. */
  readonly paint: (style: Style, text: string) => string;
}

const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 40;

/**
 * Returns the screen of a stream: colour only on a terminal, never with `NO_COLOR` or `TERM=dumb`; `FORCE_COLOR` forces
 * it. The width is that of the terminal, else `COLUMNS`, else 80; at least 40, in which tables are readable.
 */
export function createScreen(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
  { color }: { readonly color: boolean },
): Screen {
  const isColored = color && hasColor(stream, env);
  return {
    width: widthOf(stream, env),
    paint: (style, text) =>
      isColored && text !== '' ? styleText(FORMATS[style], text, { validateStream: false }) : text,
  };
}

function hasColor({ isTTY }: OutputStream, env: Readonly<Record<string, string | undefined>>): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'] ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return isTTY === true && env['TERM'] !== 'dumb';
}

function widthOf(
  { isTTY, columns }: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): number {
  const given = isTTY === true && columns !== undefined ? columns : Number(env['COLUMNS'] ?? DEFAULT_WIDTH);
  return Number.isInteger(given) && given > 0 ? Math.max(given, MIN_WIDTH) : DEFAULT_WIDTH;
}

/** Returns the text in lines of at most `width` columns, broken at spaces; lines after the first start with the indent. */
export function wrap(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  const start = text.search(/[^ ]/);
  let line = text.slice(0, Math.max(start, 0));
  for (const word of text.slice(Math.max(start, 0)).split(' ')) {
    const longer = line.trim() === '' ? line + word : `${line} ${word}`;
    if (columnsOf(longer) <= width || line.trim() === '') line = longer;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line].join('\n');
}

/** Characters that take two columns: East Asian scripts, full-width forms and pictures. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** Returns how many columns a text takes. Its styles take none. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of stripVTControlCharacters(text)) {
    if (/^\p{Mark}$/u.test(character)) continue;
    columns += WIDE.test(character) ? 2 : 1;
  }
  return columns;
}
