import type { VectorCase } from './vectors.ts';

/** The valid values of a field of a case, and their description. */
export interface FieldRule {
  readonly accepts: (value: unknown) => boolean;
  readonly means: string;
  /** Whether the field is optional. */
  readonly isOptional?: boolean;
}

/**
 * All fields of the cases of a kind. A case with any other field fails, so that no part of a case is ignored.
 */
export type CaseSchema = Readonly<Record<string, FieldRule>>;

export const text: FieldRule = { accepts: (value) => typeof value === 'string', means: 'text' };
export const number: FieldRule = { accepts: (value) => typeof value === 'number', means: 'a number' };
export const integer: FieldRule = { accepts: Number.isInteger, means: 'an integer' };
export const boolean: FieldRule = { accepts: (value) => typeof value === 'boolean', means: 'true or false' };
export const record: FieldRule = {
  accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  means: 'a record',
};

/** A list of values of this kind. */
export function listOf({ accepts, means }: FieldRule): FieldRule {
  return { accepts: (value) => Array.isArray(value) && value.every(accepts), means: `a list, each ${means}` };
}

/** A value of this kind, or `null`. */
export function orNull({ accepts, means }: FieldRule): FieldRule {
  return { accepts: (value) => value === null || accepts(value), means: `${means} or null` };
}

/** One of several kinds of values. */
export function either(...rules: readonly FieldRule[]): FieldRule {
  return {
    accepts: (value) => rules.some(({ accepts }) => accepts(value)),
    means: rules.map(({ means }) => means).join(' or '),
  };
}

/** One of these words. */
export function oneOf(...words: readonly string[]): FieldRule {
  return {
    accepts: (value) => words.some((word) => word === value),
    means: `one of ${words.join(', ')}`,
  };
}

/** An optional field. */
export function optional(rule: FieldRule): FieldRule {
  return { ...rule, isOptional: true };
}

/** The same rules for optional fields: an expectation, which may be an `error` instead. */
export function expected<Schema extends CaseSchema>(schema: Schema): CaseSchema {
  return Object.fromEntries(Object.entries(schema).map(([key, rule]) => [key, optional(rule)]));
}

/** The fields of every case; its `config` is read by a dialect, which refuses unknown keys. */
const EVERY_CASE: CaseSchema = {
  id: text,
  kind: text,
  produced: optional(text),
  note: optional(text),
  version: optional(text),
  error: optional(text),
  config: optional(orNull(record)),
};

/** Returns why a case does not follow the schema; `undefined` if it does. */
export function unreadable(given: VectorCase, schema: CaseSchema): string | undefined {
  const rules: CaseSchema = { ...EVERY_CASE, ...schema };
  const values = new Map(Object.entries(given));
  for (const [key, value] of values) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) return `no runner of ${given.kind} reads the field ${key}`;
    if (!rule.accepts(value)) return `${key} is ${JSON.stringify(value)}, not ${rule.means}`;
  }
  const missing = Object.keys(rules).find((key) => !values.has(key) && rules[key]?.isOptional !== true);
  return missing === undefined ? undefined : `the field ${missing} is missing`;
}
