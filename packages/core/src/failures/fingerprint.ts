import { hideSecrets } from '../broker/kit/secrets.ts';
import { causesOf } from '../matching/causes.ts';
import { statusOf } from '../matching/status-of.ts';
import { read } from '../read.ts';
import { hashText } from './hash-text.ts';
import { maskMessage } from './mask-message.ts';
import { causeCodeOf, codeOf } from './recorded-attempt.ts';

/** What errors of one cause have in common. */
export interface Fingerprint {
  /** 16 hexadecimal digits: equal for equal names, codes, statuses and masked messages, in every process and release. */
  readonly id: string;
  /** One line to show, 1 to 160 characters: `Error ECONNREFUSED: connect ECONNREFUSED #`. */
  readonly title: string;
}

/** The characters of a message that are read: as many as a worker stores. */
const MAX_MESSAGE_LENGTH = 8_192;

/** The characters of a masked message that count. Behind them, it may have been cut at another place. */
const MAX_MASKED_LENGTH = 1_024;

const MAX_NAME_LENGTH = 64;

/** Every character of UTF-16 has at most three bytes in UTF-8, so that a title fits into the 512 bytes of a broker's names. */
const MAX_TITLE_LENGTH = 160;

/**
 * Returns what an error has in common with others of the same cause: its name, its code and status where it has them, and
 * its message with marks for what varies: `#` for numbers, instants and ids, `'…'` for quoted text, `<url>`, `<email>`,
 * `<path>`. Passwords are hidden first. The stack plays no part: it changes with each release.
 *
 * Never throws. The time is linear in the length of the message, of which the first 8192 characters are read.
 *
 * @param error - an error, what a broker stored of one, or anything else that was thrown
 * @see docs/error-groups.md#what-is-masked
 */
export function fingerprint(error: unknown): Fingerprint {
  const parts = [nameOf(error), plain(codeOf(error) ?? causeCodeOf(error)), plain(statusOf(error))];
  const message = maskMessage(readable(messageOf(error), MAX_MESSAGE_LENGTH)).slice(0, MAX_MASKED_LENGTH);
  const [name, ...codes] = parts;
  const head = [name, ...new Set(codes)].filter((part) => part !== '').join(' ');
  const title = message === '' ? head : `${head}: ${message}`;
  return { id: hashText([...parts, message].join('\n')), title: cut(title) };
}

/** Returns the name of an error as brokers store it: what is no object has the name of its type. */
function nameOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  const name = read(error, 'name');
  return (typeof name === 'string' && plain(name)) || 'Error';
}

/** Returns a name or code as one line of limited length, without passwords. */
function plain(value: string | number | undefined): string {
  return readable(String(value ?? ''), MAX_NAME_LENGTH)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** The message, else that of the nearest cause that has one: an `AggregateError` often has none itself. */
function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return textOf(error);
  const own = read(error, 'message');
  if (typeof own === 'string' && own !== '') return own;
  const messages = causesOf(error).map((cause) => read(cause, 'message'));
  return messages.find((message): message is string => typeof message === 'string' && message !== '') ?? '';
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return ''; // a function may refuse to be printed
  }
}

/** Returns the beginning of a text without passwords and without halves of surrogate pairs. */
function readable(text: string, maxLength: number): string {
  return hideSecrets(text.slice(0, maxLength)).replaceAll(/\p{Surrogate}/gu, '\u{fffd}');
}

function cut(title: string): string {
  if (title.length <= MAX_TITLE_LENGTH) return title;
  // Half a surrogate pair is left out.
  return `${title
    .slice(0, MAX_TITLE_LENGTH - 1)
    .replace(/\p{Surrogate}$/u, '')
    .trimEnd()}…`;
}
