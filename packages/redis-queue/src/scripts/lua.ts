import { STATE_LETTERS } from '@retry/core/broker/kit';
import type { Answers } from '../record/answers.ts';
import { ANSWERS } from '../record/answers.ts';
import type { Flag, KeptState, Layout, RecordField } from '../record/layout.ts';
import { FLAGS, flagText, RECORD, widthOf } from '../record/layout.ts';
import { EXCHANGE, SETTLE_MODES } from '../record/requests.ts';

/**
 * The layout of records as Lua text, so that no script has an offset, a letter or a byte of its own. Lua counts
 * characters from 1, and both ends of a range belong to it.
 */

/** The range of a field, for `sub`: `78, 93`. */
export function field<Field extends string>(layout: Layout<Field>, name: NoInfer<Field>): string {
  return fields(layout, name, name);
}

/** The range of several fields that follow one another. */
export function fields<Field extends string>(
  layout: Layout<Field>,
  first: NoInfer<Field>,
  last: NoInfer<Field>,
): string {
  return `${startOf(layout, first)}, ${layout.fields[last].end}`;
}

/** Where a field begins. */
export function startOf<Field extends string>(layout: Layout<Field>, name: NoInfer<Field>): number {
  return layout.fields[name].from + 1;
}

/** Where the text after all fields begins. */
export function behind(layout: Pick<Layout<string>, 'length'>): number {
  return layout.length + 1;
}

/** The number zero, in as many digits as the field has: no instant, no order, no epoch. */
export function zeros<Field extends string>(layout: Layout<Field>, name: NoInfer<Field>): string {
  return `'${'0'.repeat(widthOf(layout, name))}'`;
}

/** An epoch that no run reaches, as a record has it. */
export const lastEpoch: string = `'${'9'.repeat(widthOf(RECORD, 'epoch'))}'`;

/** The format of a whole number in as many digits as the field has. */
export function digits<Field extends string>(layout: Layout<Field>, name: NoInfer<Field>): string {
  return `'%0${widthOf(layout, name)}.0f'`;
}

/**
 * The instant of `time`, as the server tells it, in as many digits as the field has: seconds as text, and the first three digits of
 * the microseconds. To format a number takes the server as long as two short commands.
 */
export function instantText<Field extends string>(
  layout: Layout<Field>,
  name: NoInfer<Field>,
  time: string,
): string {
  const width = widthOf(layout, name);
  const millis = `string.sub('00000' .. ${time}[2], -6, -4)`;
  return `string.sub(${zeros(layout, name)} .. ${time}[1] .. ${millis}, ${-width})`;
}

/** The range of a field of a member, after the lane or key that it begins with and a zero character. */
export function fieldPast<Field extends string>(
  tag: string,
  layout: Layout<Field>,
  name: NoInfer<Field>,
): string {
  const { from, end } = layout.fields[name];
  return `#${tag} + ${from + 2}, #${tag} + ${end + 1}`;
}

/** Lua expressions for fields of a record. */
type Values = Partial<Readonly<Record<RecordField, string>>>;

/** The record in the variable `source`, with these values in place of what it has. */
export function rewritten(source: string, values: Values): string {
  const { pieces, keptFrom } = rewrite(source, values);
  const rest = keptFrom === undefined ? behind(RECORD) : startOf(RECORD, keptFrom);
  return [...pieces, `sub(${source}, ${rest})`].join(' .. ');
}

/** The fields of the record in the variable `source`, with these values in place of what they have, and nothing after them. */
export function rewrittenFields(source: string, values: Values): string {
  const { pieces, keptFrom } = rewrite(source, values);
  const kept = keptFrom === undefined ? [] : [`sub(${source}, ${fields(RECORD, keptFrom, 'laneSeq')})`];
  return [...pieces, ...kept].join(' .. ');
}

/** Everything up to the last value, and the first of the fields after it that stay as they are. */
function rewrite(
  source: string,
  values: Values,
): { readonly pieces: string[]; readonly keptFrom: RecordField | undefined } {
  const pieces: string[] = [];
  let keptFrom: RecordField | undefined;
  for (const name of RECORD.names) {
    const value = values[name];
    if (value === undefined) {
      keptFrom ??= name;
      continue;
    }
    if (keptFrom !== undefined)
      pieces.push(`sub(${source}, ${startOf(RECORD, keptFrom)}, ${RECORD.fields[name].from})`);
    keptFrom = undefined;
    pieces.push(value);
  }
  return { pieces, keptFrom };
}

/** Values of all fields of a layout, in its order. */
export function written<Field extends string>(
  { names }: Layout<Field>,
  values: Readonly<Record<NoInfer<Field>, string>>,
): string {
  return names.map((name) => values[name]).join(' .. ');
}

/** The first record of a run, without counters and result; fields without a value are zero. */
export function firstRecord(
  values: Pick<Required<Values>, 'state' | 'flags'> & Values,
  rest: string = String.raw`'\0\0'`,
): string {
  return [...RECORD.names.map((name) => values[name] ?? zeros(RECORD, name)), rest].join(' .. ');
}

/** An instant in as many digits as the one when a run is due. */
export function lateInstant(instant: string): string {
  return `'${'0'.repeat(widthOf(RECORD, 'runAt') - widthOf(RECORD, 'submittedAt'))}' .. ${instant}`;
}

/** The letter of a state, or of several in one text, quoted. */
export function letter(...states: readonly KeptState[]): string {
  return `'${states.map((state) => STATE_LETTERS[state]).join('')}'`;
}

/** The letter of a state as a byte. */
export function code(state: KeptState): number {
  return STATE_LETTERS[state].charCodeAt(0);
}

/** The byte of a letter. */
export function byteOf(text: string): number {
  return text.charCodeAt(0);
}

/** Whether the record in a variable is in a state. */
export function isIn(source: string, state: KeptState): string {
  return `byte(${source}, ${startOf(RECORD, 'state')}) == ${code(state)}`;
}

/** Whether the record in a variable is in another state. */
export function isNotIn(source: string, state: KeptState): string {
  return `byte(${source}, ${startOf(RECORD, 'state')}) ~= ${code(state)}`;
}

/** Whether the byte in a variable is one of these letters. */
export function isOneOf(source: string, letters: readonly string[]): string {
  return letters.map((letter) => `${source} == ${byteOf(letter)}`).join(' or ');
}

/** Whether flags, a number, have this one. */
export function has(flags: string, flag: Flag): string {
  return `${flags} % ${2 * FLAGS[flag]} >= ${FLAGS[flag]}`;
}

/** Whether a mode, a number, includes this one. */
export function hasMode(mode: string, name: keyof typeof SETTLE_MODES): string {
  return `${mode} % ${2 * SETTLE_MODES[name]} >= ${SETTLE_MODES[name]}`;
}

/** The flags as the character that a record has, quoted. */
export function flagsAs(...flags: readonly Flag[]): string {
  return `'${flagText(...flags)}'`;
}

/** The letter of an answer, quoted. */
export function answer<Verb extends keyof Answers>(verb: Verb, word: keyof Answers[Verb] & string): string {
  const letters: Readonly<Record<string, string>> = ANSWERS[verb];
  return `'${letters[word]}'`;
}

/** An argument of an exchange, as text. */
export function argument(name: (typeof EXCHANGE)[number]): string {
  return `ARGV[${EXCHANGE.indexOf(name) + 1}]`;
}
